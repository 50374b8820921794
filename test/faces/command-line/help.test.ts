/** What the program says about itself is what it does, and what the pages for users call exists. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { run } from "../../support/evald-process.ts"

const pages = [
  "README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [join("docs", name)] : []))
]

/** `evald …` lines of the pages' shell blocks, continued lines joined */
const calls = pages.flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(/```(?:sh|bash|console)\n(.*?)```/gs)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\\n", " ")
      .split("\n")
      .flatMap((line) => [...line.replace(/(^| )#.*$/, "").matchAll(/(?:^|[\s;&|])evald ((?:[\w-]+)[^|;&>]*)/g)])
      .map(([, words = ""]) => ({ page, words: words.trim().split(/\s+/) }))
  )
)

let top = ""
let commands: ReadonlyArray<string> = []
const helpOf = new Map<string, string>()

beforeAll(async () => {
  top = (await run(["--help"])).stdout
  commands = [...top.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].flatMap(([, name]) => name ?? [])
  for (const name of commands) helpOf.set(name, (await run([name, "--help"])).stdout)
})

describe("evald --help", () => {
  it("lists commands, each of which explains itself with its usage", () => {
    assert.isAbove(commands.length, 8, top)
    for (const name of commands.filter((one) => one !== "version"))
      assert.match(helpOf.get(name) ?? "", new RegExp(`Usage: evald ${name}`), name)
  })

  it("an unknown command and, with every command that has flags, an unknown flag are refused with a word of help", async () => {
    const unknown = await run(["sevrer"])
    assert.strictEqual(unknown.code, 64)
    assert.match(unknown.stdout + unknown.stderr, /unknown command 'sevrer'/)
    for (const name of commands.filter((one) => /^Flags:/m.test(helpOf.get(one) ?? ""))) {
      const { code, stdout, stderr } = await run([name, "--no-such-flag"])
      assert.strictEqual(code, 64, `${name}: ${stdout}${stderr}`)
      assert.include(stdout + stderr, "--no-such-flag", name)
    }
  })

  it("knows every command and flag that the pages call", () => {
    assert.isNotEmpty(calls)
    for (const { page, words } of calls) {
      const [command = "", ...rest] = words
      assert.include(commands, command, `${page}: evald ${words.join(" ")}`)
      for (const flag of rest.filter((word) => word.startsWith("-")).map((word) => word.replace(/=.*$/, ""))) {
        const long = flag.startsWith("--") ? flag : `-${flag}`
        assert.match(
          helpOf.get(command) ?? "",
          new RegExp(`${flag}\\b|${long}\\b`),
          `${page}: evald ${words.join(" ")}`
        )
      }
    }
  })
})
