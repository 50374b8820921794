/** `evald open`: a page in a browser where there is one, else its address. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run, until } from "../../support/evald-process.ts"
import { onTerminal } from "./on-terminal.ts"

let home = ""
let server: Running
let id = ""

const submitted = async (at: Running): Promise<string> => {
  const target = ["--model", "http://127.0.0.1:9/v1", "--name", "m", "--benchmark", "arith_basic"]
  return (await run(["run", ...target], { HOME: home, EVALD_SERVER: at.url })).stdout.trim()
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-open-"))
  server = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home })
  id = await submitted(server)
})
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

describe("the page of a job", () => {
  const environment = () => ({ HOME: home, EVALD_SERVER: server.url })

  it("is opened by the browser of a desktop", async () => {
    const [folder, seen] = [join(home, "bin"), join(home, "seen")]
    mkdirSync(folder)
    writeFileSync(
      join(folder, "xdg-open"),
      `#!/bin/sh\nprintf '%s' "$1" > "${seen}.part" && mv "${seen}.part" "${seen}"\n`
    )
    chmodSync(join(folder, "xdg-open"), 0o755)
    const { code, text } = await onTerminal(["open", id], {
      ...environment(),
      DISPLAY: ":0",
      PATH: `${folder}:${process.env["PATH"] ?? ""}`
    })
    assert.strictEqual(code, 0, text)
    assert.include(text, `opened ${server.url}/jobs/${id}`)
    const opened = await until(
      async () => {
        try {
          return readFileSync(seen, "utf8")
        } catch {
          return ""
        }
      },
      (address) => address !== "",
      10_000
    )
    assert.strictEqual(opened, `${server.url}/jobs/${id}`)
  })
  it("is an address to copy where there is no browser, and in a pipe", async () => {
    const nowhere = await onTerminal(["open", id], environment())
    assert.strictEqual(nowhere.text.trim(), `${server.url}/jobs/${id}`)
    const empty = await onTerminal(["open", id], { ...environment(), DISPLAY: ":0", PATH: "/bin:/usr/bin" })
    assert.include(empty.text, `${server.url}/jobs/${id}`)
    const piped = await run(["open", id], { ...environment(), DISPLAY: ":0" })
    assert.deepStrictEqual([piped.code, piped.stdout], [0, `${server.url}/jobs/${id}\n`], piped.stderr)
  })
  it("of a job that is not there is not opened", async () => {
    const { code, stdout, stderr } = await run(["open", "00000000-0000-7000-8000-000000000000"], environment())
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, /resource_not_found: .*\nnext: evald get jobs\n$/s)
  })
  it("of a server without pages is said not to be, with the command that says the same", async () => {
    const folder = join(home, "config")
    mkdirSync(folder)
    writeFileSync(join(folder, "config.yaml"), "ui: {enabled: false}\n")
    const plain = await listen(["server", "-local", "-configdir", folder], { PORT: "0", HOME: home, TMPDIR: home })
    const other = await submitted(plain)
    const { code, stderr } = await run(["open", other], { HOME: home, EVALD_SERVER: plain.url })
    await plain.stop()
    assert.strictEqual(code, 1, stderr)
    assert.match(stderr, new RegExp(`serves no pages.*\nnext: evald describe job ${other}\n$`))
  })
})
