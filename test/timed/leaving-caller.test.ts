/** Reference: gateway.md, "Streams and limits"; case 41. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { callerLeaves, momentsToLeave } from "../support/leaving-caller.ts"
import { makeScope } from "../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

describe("case 41: partners that leave", () => {
  it.each(momentsToLeave)("a caller that leaves %s ends the model's request within 100 ms", async (moment) => {
    assert.isAtMost(await callerLeaves(scope, moment), 100)
  })
})
