import { assert, describe, it } from "vitest"
import { tooFar } from "../../../../interfaces/cli/client/skew.ts"

describe("a server of another version", () => {
  it("is near enough at one minor version older or newer, whatever its patch", () => {
    for (const its of ["0.2.0", "0.2.9", "0.1.7", "0.3.0", "0.3.0-rc.1", "v0.3.1"])
      assert.isUndefined(tooFar("0.2.0", its), its)
  })
  it("is too far beyond that, and at another major version, which is said with both", () => {
    for (const its of ["0.0.9", "0.4.0", "1.2.0", "garbage"]) {
      const said = tooFar("0.2.0", its) ?? ""
      assert.include(said, its)
      assert.include(said, "0.2.0")
    }
  })
})
