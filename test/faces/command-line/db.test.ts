/** `evald db check` and `evald db backup` on a database file whose server is running. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database } from "../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { run, until } from "../../support/evald-process.ts"
import { isOver, recordingServers, type ServedJob } from "../../support/recording-servers.ts"
import { settings } from "../../support/storage.ts"

let folder = ""
const at = (name: string) => join(folder, name)
const db = (args: ReadonlyArray<string>, url?: string) => run(["db", ...args], url === undefined ? {} : { DB_URL: url })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-db-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const damage = (path: string, text: string) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(Database, (database) => database.write("test", (session) => session.write(text, []))),
      OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })
    )
  )

describe("evald db", () => {
  it("checks and copies under a running server, and another server goes on from the copy", async () => {
    const setup = recordingServers(folder, "sqlite")
    const [url, copy] = [`file:${at("evald.db")}`, at("copy.db")]
    const server = await setup.start(url)
    const jobs = "/api/v1/evaluations/jobs"
    const body = {
      name: "kept",
      model: { url: "http://127.0.0.1:9/v1", name: "none" },
      benchmarks: [{ id: "b", provider_id: "recorder" }]
    }
    const created = await fetch(server.url + jobs, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const { id } = ((await created.json()) as ServedJob).resource
    const get = async (base: string) => (await (await fetch(`${base}${jobs}/${id}`)).json()) as ServedJob
    const before = await until(() => get(server.url), isOver)
    assert.deepStrictEqual(await db(["check"], url), { code: 0, stdout: "the database is sound\n", stderr: "" })
    assert.deepStrictEqual(await db(["backup", copy], url), { code: 0, stdout: `copied to ${copy}\n`, stderr: "" })
    const again = await db(["backup", copy], url)
    assert.deepStrictEqual([again.code, again.stdout], [78, ""])
    assert.include(again.stderr, "is there already")
    assert.strictEqual(await server.stop(), 0)
    assert.strictEqual((await db(["check"], `file:${copy}`)).code, 0)
    const restored = await setup.start(`file:${copy}`)
    assert.deepStrictEqual(await get(restored.url), before)
    assert.strictEqual(await restored.stop(), 0)
    await damage(copy, "UPDATE jobs SET state = 'running'")
    const found = await db(["check"], `file:${copy}`)
    assert.strictEqual(found.code, 1)
    assert.include(found.stdout, `job ${id}: is running, but its counts say completed`)
    assert.match(found.stdout, /\d+ contradictions\n$/)
  })

  it("says what is wrong with the call, with exit code 64", async () => {
    for (const [args, message] of [
      [[], "say check, backup or prune"],
      [["repair"], "unknown command 'repair'"],
      [["backup"], "backup needs a file to write"],
      [["check", "more"], "unexpected argument 'more'"],
      [["backup", "a", "b"], "unexpected argument 'b'"],
      [["check", "--fast"], "--fast"],
      [["check", "--days", "3"], "--days belongs to prune"],
      [["prune", "--days", "0"], "--days '0' is no whole number of days"],
      [["prune", "now"], "unexpected argument 'now'"]
    ] as const) {
      const { code, stderr } = await db(args)
      assert.strictEqual(code, 64, args.join(" "))
      assert.include(stderr, message)
      assert.include(stderr, "evald db check | evald db backup FILE")
    }
    const help = await db(["--help"])
    assert.deepStrictEqual([help.code, help.stderr], [0, ""])
    assert.include(help.stdout, "pg_dump")
  })

  it("refuses what is no database of this build, with exit code 78", async () => {
    writeFileSync(at("text.db"), "this is no database, however long the text may be that it holds")
    for (const [url, message] of [
      [undefined, "memory"],
      [`file:${at("absent.db")}`, "there is no database file"],
      [`file:${at("text.db")}`, "text.db"],
      ["postgres://user:canary@127.0.0.1:1/none", "database.driver"]
    ] as const) {
      const { code, stdout, stderr } = await db(["check"], url)
      assert.deepStrictEqual([code, stdout], [78, ""])
      assert.include(stderr, message)
      assert.notInclude(stderr, "canary")
    }
  })
})
