/** Words that may follow, without a server: those of the table, and names that this account knows. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { candidates } from "../../../../interfaces/cli/client/complete.ts"
import { saveContexts } from "../../../../interfaces/cli/client/contexts.ts"
import { commands } from "../../../../interfaces/cli/commands.ts"

let home = ""
const words = (...typed: ReadonlyArray<string>) =>
  candidates(typed, {
    environment: { XDG_CONFIG_HOME: home },
    kubeconfigToken: () => Promise.reject(new Error("no context of these tests is one of a kubeconfig"))
  })

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-complete-"))
  const server = "https://evald.example"
  await saveContexts(join(home, "evald", "config.yaml"), { contexts: { team: { server }, test: { server } } })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe("what may follow", () => {
  it("every command has its flags, those that ask no server too (they had none)", async () => {
    for (const { name, forms } of commands)
      assert.includeMembers(
        [...(await words(name, "-"))],
        forms.flatMap(({ flags }) => flags.map((flag) => `--${flag.name}`)),
        name
      )
    assert.deepStrictEqual(await words("server", "--lo"), ["--local"])
    assert.deepStrictEqual(await words("db", ""), ["check", "backup", "prune"])
  })
  it("a flag's value is completed from what it may be, behind a blank and behind =", async () => {
    assert.deepStrictEqual(await words("get", "jobs", "-o", "js"), ["json", "jsonl", "jsonpath="])
    assert.deepStrictEqual(await words("get", "jobs", "--output=y"), ["--output=yaml"])
    assert.deepStrictEqual(await words("get", "jobs", "--status", "f"), ["failed"])
    assert.deepStrictEqual(await words("wait", "x", "--for", "verdict=p"), ["verdict=pass"])
    assert.deepStrictEqual(await words("export", "x", "-o", "j"), ["junit", "jsonl"])
    assert.deepStrictEqual(await words("validate", "--schema", "g"), ["gate-policy"])
    // what a file or an address is, nobody knows but the shell
    assert.deepStrictEqual(await words("run", "--file", ""), [])
  })
  it("contexts are completed where one is named", async () => {
    assert.deepStrictEqual(await words("context", "use", "te"), ["team", "test"])
    assert.deepStrictEqual(await words("get", "jobs", "--context", "tea"), ["team"])
  })
  it("a command is completed behind help, and nothing behind what there is not", async () => {
    assert.deepStrictEqual(await words("help", "comple"), ["completion"])
    assert.deepStrictEqual(await words("nothing", ""), [])
  })
  it("a token that is to be read from the terminal is not waited for (a Tab read what was typed next)", async () => {
    assert.deepStrictEqual(await words("watch", "--token-stdin", ""), [])
  })
})
