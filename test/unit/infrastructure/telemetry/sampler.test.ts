import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { samplerOf } from "../../../../infrastructure/telemetry/sampler.ts"

const low = "0af7651916cd43dd8440000000000001"
const middle = "0af7651916cd43dd8448000000000000"
const high = "0af7651916cd43dd844fffffffffffff"
const decisions = (name: string, argument = "1") => {
  const sampler = Either.getOrThrow(samplerOf(name, argument))
  return [low, middle, high].map((id) =>
    [sampler(id, undefined), sampler(id, true), sampler(id, false)].map(Number).join("")
  )
}

describe("samplers: of three traces without a parent, with a recorded one, with one that is not", () => {
  it.each<readonly [name: string, argument: string, decisions: ReadonlyArray<string>]>([
    ["always_on", "", ["111", "111", "111"]],
    ["always_off", "", ["000", "000", "000"]],
    ["traceidratio", "0.5", ["000", "111", "111"]],
    ["traceidratio", "0", ["000", "000", "000"]],
    ["traceidratio", "1", ["111", "111", "111"]],
    ["parentbased_always_on", "", ["110", "110", "110"]],
    ["parentbased_always_off", "", ["010", "010", "010"]],
    ["parentbased_traceidratio", ".25", ["010", "010", "110"]]
  ])("%s %s", (name, argument, expected) => assert.deepStrictEqual(decisions(name, argument), expected))

  it("the share of recorded traces is the one asked for", () => {
    const sampler = Either.getOrThrow(samplerOf("parentbased_traceidratio", "0.125"))
    const ids = Array.from({ length: 1024 }, (_, at) => (BigInt(at) * 2n ** 42n).toString(16).padStart(32, "0"))
    assert.strictEqual(ids.filter((id) => sampler(id, undefined)).length, 128)
  })

  it("what is not known is named", () => {
    const refused = (name: string, argument: string) => Either.getOrThrow(Either.flip(samplerOf(name, argument)))
    assert.include(refused("jaeger_remote", ""), "parentbased_traceidratio")
    for (const argument of ["", "2", "-1", "half", "NaN", "1e-1"])
      assert.include(refused("traceidratio", argument), "from 0 to 1", argument)
  })
})
