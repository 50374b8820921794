/** How far a search in samples looks. Reference: samples.md, "Search". */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { SampleStore, type StoredSample } from "../../../../application/ports/stores/sample-store.ts"
import { listSamples } from "../../../../application/samples/read-samples.ts"

const scope = { tenant: "t", jobId: "j" }

const stored = (row: number): StoredSample => ({
  ...{ sampleId: `s${row}`, task: "t", repeat: 0, index: row, verdict: "correct", flags: [], benchmark: 0 },
  ...{ digest: "", position: { benchmark: 0, value: row, row }, place: { chunk: 0, start: 0, length: 40 } }
})

/** so many records, of which those that `holds` says have the word; each look at texts takes so long */
const storeOf = (count: number, holds: (row: number) => boolean, millisEach: number) => {
  let read = 0
  const unused = () => Effect.die("not used")
  const layer = Layer.succeed(SampleStore, {
    page: (_, { limit, after }) =>
      Effect.sync(() => {
        const from = after === undefined ? 0 : after.row + 1
        const items = Array.from({ length: Math.min(limit, count - from) }, (_row, at) => stored(from + at))
        return { items, total: count, more: from + items.length < count }
      }),
    texts: (samples) =>
      Effect.as(
        TestClock.adjust(millisEach),
        samples.map(({ index }) => {
          read += 1
          return JSON.stringify({ response: holds(index) ? "a needle" : "hay" })
        })
      ),
    ...{
      read: unused,
      add: unused,
      find: unused,
      kinds: unused,
      summary: unused,
      scored: unused,
      digest: unused,
      digests: unused
    },
    ...{ expire: unused, purge: unused }
  })
  return { layer, read: () => read }
}

const search = (after?: StoredSample["position"]) =>
  listSamples(scope, {
    filter: {},
    sort: { by: "index", descending: false },
    limit: 10,
    content: false,
    search: "Needle",
    ...(after === undefined ? {} : { after })
  })

describe("a search in samples", () => {
  it.effect("looks at 50,000 candidates, says so, and goes on behind them", () => {
    const { layer, read } = storeOf(50_300, (row) => row === 7 || row > 50_200, 0)
    return Effect.gen(function* () {
      const first = yield* search()
      assert.deepStrictEqual(
        [first.items.map(({ sampleId }) => sampleId), first.searched, first.total],
        [["s7"], { scanned: 50_000, complete: false }, undefined]
      )
      assert.strictEqual(read(), 50_000)
      const second = yield* search(first.next)
      assert.deepStrictEqual(
        [second.items[0]?.sampleId, second.items.length, second.searched?.complete],
        ["s50201", 10, false]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends after two seconds, with where to go on", () => {
    // a look every 100 ms, at 200 records each
    const { layer, read } = storeOf(50_300, () => false, 100)
    return Effect.gen(function* () {
      const page = yield* search()
      assert.deepStrictEqual([page.items, page.searched?.complete, page.total], [[], false, undefined])
      assert.strictEqual(page.searched?.scanned, read())
      assert.isAtMost(read(), 21 * 200)
      assert.isAtLeast(read(), 20 * 200)
      assert.strictEqual(page.next?.row, read() - 1)
    }).pipe(Effect.provide(layer))
  })
})
