/** What fits into the limits of a tenant, and what a caller reads when something does not. */
import { assert, describe, it } from "@effect/vitest"
import { overLimitText, roomForBenchmarks, roomForBytes } from "../../../../domain/tenant/limits.ts"

describe("limits of a tenant", () => {
  it("what runs takes no place of what waits, with and without a limit of running ones", () => {
    const table = [
      [{ maxQueued: 2 }, { pending: 0, running: 50 }, 2, true],
      [{ maxQueued: 2 }, { pending: 1, running: 50 }, 2, false],
      [{ maxQueued: 0 }, { pending: 0, running: 0 }, 1, false],
      // places that are free to run count for what waits
      [{ maxQueued: 2, maxRunning: 3 }, { pending: 0, running: 0 }, 5, true],
      [{ maxQueued: 2, maxRunning: 3 }, { pending: 2, running: 3 }, 1, false],
      [{ maxQueued: 0, maxRunning: 3 }, { pending: 1, running: 1 }, 1, true],
      [{ maxRunning: 3 }, { pending: 1000, running: 3 }, 1000, true],
      [{}, { pending: 1000, running: 1000 }, 1000, true]
    ] as const
    for (const [limits, unfinished, added, fits] of table)
      assert.strictEqual(
        roomForBenchmarks(limits, unfinished, added) === undefined,
        fits,
        JSON.stringify([limits, unfinished, added])
      )
  })

  it("the refusal has the numbers, and says when waiting does not help", () => {
    const over = roomForBenchmarks({ maxQueued: 2, maxRunning: 3 }, { pending: 1, running: 3 }, 4)
    const alone = roomForBenchmarks({ maxQueued: 2, maxRunning: 3 }, { pending: 0, running: 0 }, 6)
    assert.strictEqual(
      over && overLimitText("a", over),
      "tenant 'a' has 4 benchmarks that wait or run, of at most 5 (tenants.max_queued and tenants.max_running), and this job has 4: submit it again when some have ended"
    )
    assert.include(alone && overLimitText("a", alone), "this job alone has 6: submit it in parts")
  })

  it("bytes are refused from the limit on", () => {
    assert.isUndefined(roomForBytes({}, 1e12))
    assert.isUndefined(roomForBytes({ maxStoredBytes: 100 }, 99))
    const over = roomForBytes({ maxStoredBytes: 100 }, 100)
    assert.include(over && overLimitText("a", over), "keeps 100 bytes of at most 100 (tenants.max_stored_bytes)")
  })
})
