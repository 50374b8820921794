import { assert, describe, it } from "@effect/vitest"
import { seedOf } from "../../support/seed.ts"

describe("the seed of property tests", () => {
  const fresh = () => 7
  it("is the same in every run on a developer's machine and a fresh one in CI", () => {
    assert.strictEqual(seedOf({}, fresh), 20_260_117)
    assert.strictEqual(seedOf({ CI: "false" }, fresh), 20_260_117)
    assert.strictEqual(seedOf({ CI: "true" }, fresh), 7)
    assert.strictEqual(seedOf({ CI: "1", EVALD_TEST_SEED: "" }, fresh), 7)
  })
  it("is the one of EVALD_TEST_SEED everywhere, which must be a whole number", () => {
    assert.strictEqual(seedOf({ EVALD_TEST_SEED: "42" }, fresh), 42)
    assert.strictEqual(seedOf({ CI: "true", EVALD_TEST_SEED: "42" }, fresh), 42)
    assert.throws(() => seedOf({ EVALD_TEST_SEED: "x" }), "EVALD_TEST_SEED='x' must be a whole number")
  })
})
