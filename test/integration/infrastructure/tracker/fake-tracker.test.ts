/** The double of the tracking server passes the cases that a real one passes in `test/peers`. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { type FakeTracker, fakeTracker } from "../../../support/fake-tracker.ts"
import { trackerSuite } from "../../../support/tracker-suite.ts"

const scope = Effect.runSync(Scope.make())
let plain: FakeTracker
let workspaces: FakeTracker
beforeAll(async () => {
  plain = await Effect.runPromise(Scope.extend(fakeTracker({ workspaces: "off" }), scope))
  workspaces = await Effect.runPromise(Scope.extend(fakeTracker({ workspaces: ["team-a", "team-b"] }), scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

trackerSuite("the double of the tracking server", { plain: () => plain, workspaces: () => workspaces })
