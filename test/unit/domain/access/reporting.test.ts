import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { foreignIndex, foreignUnit, reporterAtAddress, reporterOfCaller } from "../../../../domain/access/reporting.ts"

const podBinding = {
  required: false,
  backingName: ({ index, attempt }: { readonly index: number; readonly attempt: number }) => `now-${index}-${attempt}`
}
const caller = { tenant: "t", boundPod: "now-0-1-abcde" }

describe("who may report about a benchmark", () => {
  it("a caller of the plain routes, as far as the settings let", () => {
    assert.deepStrictEqual(reporterOfCaller({ secretOnly: false }, caller), Either.right({ tenant: "t" }))
    assert.deepStrictEqual(
      reporterOfCaller({ secretOnly: false }, { tenant: undefined, boundPod: undefined }),
      Either.right({})
    )
    assert.isTrue(Either.isLeft(reporterOfCaller({ secretOnly: true }, caller)))
  })
  it("a token that is bound to no pod counts unless pods are required", () => {
    const unbound = { tenant: "t", boundPod: undefined }
    assert.deepStrictEqual(reporterOfCaller({ secretOnly: false, podBinding }, unbound), Either.right({ tenant: "t" }))
    assert.isTrue(
      Either.isLeft(reporterOfCaller({ secretOnly: false, podBinding: { ...podBinding, required: true } }, unbound))
    )
  })
  it("a pod reports the unit it was made for, under the name that was stored before the one of now", () => {
    const reporter = Either.getOrThrow(reporterOfCaller({ secretOnly: false, podBinding }, caller))
    const unit = { jobId: "j", index: 0, attempt: 1 }
    assert.isUndefined(foreignUnit(reporter, unit))
    for (const other of [
      { ...unit, index: 1 },
      { ...unit, attempt: 2 },
      { ...unit, backingName: "before-0-1" },
      { ...unit, backingName: "now-0-" }
    ])
      assert.include(foreignUnit(reporter, other), "another benchmark")
    assert.isUndefined(foreignUnit({}, unit))
  })
  it("a callback address is good for its job and its benchmark alone", () => {
    const address = { tenant: "t", jobId: "j", index: 2 }
    const reporter = Either.getOrThrow(reporterAtAddress(address, "j"))
    assert.deepStrictEqual(reporter, { tenant: "t", ownIndex: 2 })
    assert.isTrue(Either.isLeft(reporterAtAddress(address, "k")))
    assert.deepStrictEqual(
      [foreignIndex(reporter, 2), foreignIndex(reporter, undefined), foreignIndex({}, 7)],
      [undefined, undefined, undefined]
    )
    assert.include(foreignIndex(reporter, 1), "another benchmark")
  })
})
