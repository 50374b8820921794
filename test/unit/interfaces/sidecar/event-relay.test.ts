import { assert, describe, it } from "@effect/vitest"
import { makeRelay } from "../../../../interfaces/sidecar/event-relay.ts"

describe("the relay of events", () => {
  it("begins with any number of events that a former process left (the spread of 130,000 of them overflowed)", async () => {
    const written: Array<number> = []
    const relay = makeRelay({
      spool: {
        restored: Array.from({ length: 130_000 }, (_, at) => ({ number: at + 1, bytes: 1, terminal: false })),
        ignored: [],
        write: async (number) => void written.push(number),
        read: () => Promise.resolve(Buffer.from("{}")),
        remove: () => Promise.resolve()
      },
      limits: { maxFiles: 1_000_000, maxBytes: 1_000_000_000 },
      post: () => new Promise(() => {}),
      renewToken: () => {},
      waitMillis: 0,
      log: () => {},
      random: () => 0,
      onTerminalDelivered: () => {}
    })
    assert.strictEqual(relay.pending(), 130_000)
    await relay.accept(Buffer.from("{}"), true)
    assert.deepStrictEqual(written, [130_001])
  })
})
