/** Code that a model wrote and that would never end, or would take all there is: it is stopped by its limits of time and memory. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCandidate } from "../../providers/evald/code/sandbox.ts"

const limited = (code: string) => runCandidate({ code, name: "f", calls: [[]] })

describe("sandbox", () => {
  it.live(
    "an endless loop and a greedy allocation are stopped",
    () =>
      Effect.gen(function* () {
        const [endless, heap, buffers] = yield* Effect.all(
          [
            limited("function f() { for (;;) {} }"),
            limited("function f() { const all = []; for (;;) all.push({ all: [all.length] }) }"),
            limited(
              "function f() { const all = []; for (let i = 0; i < 100; i++) all.push(new Uint8Array(1e7).fill(1)); const end = Date.now() + 4000; while (Date.now() < end); return 1 }"
            )
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(endless.problem, "took longer than 5 s")
        assert.match(heap.problem ?? "", /MiB|out of memory|longer than/)
        assert.match(buffers.problem ?? "", /more than 128 MiB/)
        assert.lengthOf(endless.outcomes, 0)
      }),
    30_000
  )
})
