/** The database of `run --local`: one for all commands, as long as only one of them runs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { claimDatabase } from "../../../../interfaces/cli/client/local/local-database.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-local-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const shared = () => join(folder, "local.db")
const own = () => join(folder, `local-${process.pid}.db`)
const lock = () => join(folder, "local.lock")

describe("the database of a command's own server", () => {
  it("is the shared one, and one of its own beside a command that runs", () => {
    const first = claimDatabase(folder)
    assert.strictEqual(first.file, shared())
    assert.strictEqual(readFileSync(lock(), "utf8"), String(process.pid))
    assert.strictEqual(claimDatabase(folder).file, own())
    first.release()
    assert.deepStrictEqual(readdirSync(folder), [])
    const next = claimDatabase(folder)
    assert.strictEqual(next.file, shared())
    // the first one is gone: what it does late does not take the lock away
    first.release()
    assert.strictEqual(claimDatabase(folder).file, own())
  })

  it.each([
    ["is empty", ""],
    ["holds no process", "evald\n"],
    ["holds no number of a process", "0"],
    ["holds a process that is gone", "4194305"]
  ])("is the shared one again after a crash whose lock %s", (_, left) => {
    writeFileSync(lock(), left)
    const claimed = claimDatabase(folder)
    assert.strictEqual(claimed.file, shared())
    claimed.release()
    assert.strictEqual(claimDatabase(folder).file, shared())
  })
})
