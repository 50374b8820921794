import { assert, describe, it } from "@effect/vitest"
import { victimOf } from "../../../../interfaces/sidecar/event-queue.ts"

const events = (kinds: string) => [...kinds].map((kind) => ({ bytes: 10, terminal: kind === "T" }))
const victim = (kinds: string, limits: { readonly maxFiles?: number; readonly maxBytes?: number }) =>
  victimOf(events(kinds), kinds.length * 10, { maxFiles: 100, maxBytes: 1000, ...limits })

describe("a full event spool", () => {
  it("loses nothing while there is room", () => assert.isUndefined(victim("ppppp", { maxFiles: 5, maxBytes: 50 })))
  it("loses its oldest progress event when there are too many, or they are too large", () => {
    assert.strictEqual(victim("ppppp", { maxFiles: 4 }), 1)
    assert.strictEqual(victim("pTppp", { maxBytes: 49 }), 2)
  })
  it("keeps the event under way, the one that has just come, and every terminal one", () => {
    assert.isUndefined(victim("pp", { maxFiles: 1 }))
    assert.isUndefined(victim("pTTp", { maxFiles: 1 }))
  })
})
