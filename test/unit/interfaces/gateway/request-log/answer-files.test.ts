/** Kept answers on disk: whole, sealed where there is a key, bounded. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { openAnswerFiles } from "../../../../../interfaces/gateway/request-log/answer-files.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "evald-answers-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const [one, two] = ["a".repeat(64), "b".repeat(64)] as const
const answer = { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from('{"answer":\n42}') }
const open = (given: { readonly secret?: string; readonly maxBytes?: number } = {}) =>
  openAnswerFiles({ directory, maxBytes: 1_000_000, ...given })

describe("kept answers", () => {
  it("are there for the next process, byte for byte", async () => {
    assert.isTrue(await (await open()).write(one, answer))
    const later = await open()
    assert.deepStrictEqual([later.has(one), later.has(two)], [true, false])
    assert.deepStrictEqual(await later.read(one), answer)
  })

  it("show nothing on disk when there is a key, and are read with that key alone", async () => {
    await (await open({ secret: "k" })).write(one, answer)
    assert.notInclude(readFileSync(join(directory, one)).toString("latin1"), "answer")
    assert.deepStrictEqual(await (await open({ secret: "k" })).read(one), answer)
    assert.isUndefined(await (await open({ secret: "other" })).read(one))
    assert.isUndefined(await (await open()).read(one))
  })

  it("with a key are not believed without their seal, in another's place, or with a changed bit", async () => {
    await (await open()).write(one, answer)
    assert.isUndefined(await (await open({ secret: "k" })).read(one))
    const files = await open({ secret: "k" })
    await files.write(two, answer)
    renameSync(join(directory, two), join(directory, one))
    assert.isUndefined(await files.read(one))
    const bytes = readFileSync(join(directory, one))
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(join(directory, two), bytes)
    assert.isUndefined(await files.read(two))
  })

  it("take no more room than they may, counting those of earlier processes", async () => {
    const files = await open({ maxBytes: 150 })
    assert.isTrue(await files.write(one, answer))
    assert.isFalse(await files.write(two, { ...answer, body: Buffer.alloc(100) }))
    assert.isFalse(await (await open({ maxBytes: 150 })).write(two, { ...answer, body: Buffer.alloc(100) }))
    assert.deepStrictEqual(readdirSync(directory), [one])
  })

  it("what a process left half written is removed", async () => {
    writeFileSync(join(directory, `${one}.abc`), "half")
    assert.isFalse((await open()).has(one))
    assert.deepStrictEqual(readdirSync(directory), [])
  })
})
