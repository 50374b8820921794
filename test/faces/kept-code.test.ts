/** The code that the build has compiled for the server is taken where it fits; where it does not, the server is loaded all the same. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, assert, describe, it } from "vitest"

const ended = (flags: ReadonlyArray<string>, folder: string, then: string): string => {
  const text = `import { main, script } from ${JSON.stringify(pathToFileURL(resolve(folder, "server.mjs")).href)}\n${then}`
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "--input-type=module", "--eval", text], {
    encoding: "utf8",
    env: {}
  })
  assert.strictEqual(stderr, "")
  return stdout.trim()
}
const loaded = "console.log(typeof main, script.cachedDataRejected)"

const copies: Array<string> = []
/** the built server without what it loads later, below the folder of its driver */
const copied = (): string => {
  mkdirSync(".cache", { recursive: true })
  const folder = mkdtempSync(join(".cache", "kept-code-"))
  copies.push(folder)
  for (const name of readdirSync("dist").filter((name) => /^server(\.mjs|-\w+\.cjs.*)$/.test(name)))
    cpSync(join("dist", name), join(folder, name))
  return folder
}
afterEach(() => {
  for (const folder of copies.splice(0)) rmSync(folder, { recursive: true })
})
const codeIn = (folder: string): string => {
  const [name, ...others] = readdirSync(folder).filter((name) => name.endsWith(`.${process.version}-${process.arch}`))
  assert.lengthOf(others, 0)
  assert.isDefined(name)
  return join(folder, String(name))
}

describe("compiled code that the build has kept", () => {
  it("is taken by a server that starts", () => assert.strictEqual(ended([], "dist", loaded), "function false"))
  it("is not taken by a process with other flags, which compiles", () =>
    assert.strictEqual(ended(["--stack-size=900"], "dist", loaded), "function true"))
  it("is not taken when half of it is missing", () => {
    const folder = copied()
    truncateSync(codeIn(folder), 500_000)
    assert.strictEqual(ended([], folder, loaded), "function true")
  })
  it("is not needed", () => {
    const folder = copied()
    rmSync(codeIn(folder))
    assert.strictEqual(ended([], folder, loaded), "function undefined")
  })
  it("is taken without more room for new objects than the process began with, and what was read is given back", () => {
    const room = `import { getHeapSpaceStatistics } from "node:v8"
const of = (name) => getHeapSpaceStatistics().find(({ space_name }) => space_name === name).space_size
console.log(of("new_space") <= 3 << 20, of("large_object_space") < 3 << 20, process.memoryUsage().arrayBuffers < 1 << 20)`
    assert.strictEqual(ended([], "dist", room), "true true true")
  })
  it("leaves stack traces with the lines of the sources to those who ask for them", () => {
    const stack = "try { main(undefined) } catch (error) { console.log(script, error.stack) }"
    assert.match(
      ended(["--enable-source-maps"], "dist", stack),
      /^undefined TypeError[\s\S]+interfaces\/cli\/flags\.ts:\d+/
    )
  })
})
