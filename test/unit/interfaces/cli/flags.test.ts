import { assert, describe, it } from "@effect/vitest"
import { type Flag, parseFlags, renderHelp } from "../../../../interfaces/cli/flags.ts"

const flags: ReadonlyArray<Flag> = [
  { name: "local", meaning: "local mode" },
  { name: "configdir", value: "DIR", meaning: "configuration" },
  { name: "benchmark", value: "ID", repeated: true, meaning: "benchmark" }
]

describe("flags", () => {
  it("one dash and two are the same, a value may follow or stand behind =", () => {
    for (const args of [
      ["-local", "-configdir", "x"],
      ["--local", "--configdir=x"]
    ]) {
      const { switches, values, problems } = parseFlags(args, flags)
      assert.deepStrictEqual([...switches], ["local"])
      assert.deepStrictEqual(values.get("configdir"), ["x"])
      assert.deepStrictEqual(problems, [])
    }
  })
  it("repeated flags keep their order, others may stand once", () => {
    const { values, problems } = parseFlags(
      ["--benchmark", "a", "--benchmark=b", "--configdir", "x", "--configdir", "y"],
      flags
    )
    assert.deepStrictEqual(values.get("benchmark"), ["a", "b"])
    assert.deepStrictEqual(problems, ["--configdir is given twice"])
  })
  it("an unknown flag is named with its nearest neighbour, a missing value with its form", () => {
    assert.deepStrictEqual(parseFlags(["--config"], flags).problems, [
      "unknown flag '--config'; did you mean --configdir?"
    ])
    assert.deepStrictEqual(parseFlags(["--confgidri"], flags).problems, [
      "unknown flag '--confgidri'; did you mean --configdir?"
    ])
    assert.deepStrictEqual(parseFlags(["--configdir"], flags).problems, ["--configdir needs a value: --configdir DIR"])
    assert.deepStrictEqual(parseFlags(["--local=3"], flags).problems, ["--local is a switch, it takes no value"])
  })
  it("an unknown flag is said without its value, which may be a secret (it was printed)", () => {
    assert.deepStrictEqual(parseFlags(["--token=hidden"], flags).problems, ["unknown flag '--token'"])
    assert.notInclude(parseFlags(["-t=hidden"], flags).problems.join(), "hidden")
  })
  it("help names every flag", () => {
    const text = renderHelp({ usage: "evald x", summary: "does x", flags })
    for (const { name } of flags) assert.include(text, `--${name}`)
  })
})
