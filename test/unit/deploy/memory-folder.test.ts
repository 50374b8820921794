import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeLeftovers, withMemoryFolder } from "../../../deploy/memory-folder.mjs"

describe("temporary files of quick tests in memory", () => {
  it("are in a folder of this process alone that goes with the run, also when the run throws", () => {
    let given: string | undefined
    const run = (folder: string | undefined) => {
      given = folder
      if (folder === undefined) return
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      writeFileSync(join(folder, "file"), "text")
    }
    withMemoryFolder(run)
    if (given !== undefined) assert.isFalse(existsSync(given))
    assert.throws(
      () =>
        withMemoryFolder((folder) => {
          run(folder)
          throw new Error("a run that ends early")
        }),
      "a run that ends early"
    )
    if (given !== undefined) assert.isFalse(existsSync(given))
  })

  it("what a run that was killed left behind goes with the next run, what a living or young one has and what is not of tests stays", () => {
    const memory = mkdtempSync(join(tmpdir(), "evald-memory-"))
    const ended = spawnSync(process.execPath, ["--version"]).pid
    const stays = [`evald${process.pid}`, "evald-mine", `other${ended}`]
    for (const name of [`evald${ended}`, ...stays]) mkdirSync(join(memory, name))
    removeLeftovers(memory)
    assert.sameMembers(
      readdirSync(memory),
      [`evald${ended}`, ...stays],
      "a young one may be of a container that is not seen"
    )
    for (const name of readdirSync(memory)) utimesSync(join(memory, name), 0, 0)
    removeLeftovers(memory)
    assert.sameMembers(readdirSync(memory), stays)
    rmSync(memory, { recursive: true })
  })
})
