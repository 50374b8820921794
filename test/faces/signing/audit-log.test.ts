/** The audit log of a real server, by the commands of its page; an owner of the database who changes it is found. */
import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Database } from "../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { listen } from "../../support/evald-process.ts"
import { settings } from "../../support/storage.ts"
import { tempDir } from "../../support/temp-dir.ts"

const page = readFileSync("docs/reference/signing.md", "utf8").split("## Audit log\n")[1] ?? ""
const [verify = "", verifyNoted = ""] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block)

describe("the audit log of a server", () => {
  it.scopedLive(
    "is whole by the commands of the page, and not when somebody who owns the database changed an entry",
    () =>
      Effect.gen(function* () {
        const dir = yield* tempDir
        writeFileSync(join(dir, "evald"), `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/evald.mjs")}" "$@"\n`)
        chmodSync(join(dir, "evald"), 0o755)
        writeFileSync(join(dir, "config.yaml"), "audit: { enabled: true }\n")
        const path = join(dir, "evald.db")
        const env = { DB_URL: `file:${path}`, TMPDIR: dir }
        const shell = (script: string) =>
          spawnSync(
            "bash",
            ["-euo", "pipefail", "-c", script.replaceAll("audit verify", `audit verify -configdir ${dir}`)],
            {
              ...{ cwd: dir, encoding: "utf8" },
              env: { PATH: `${dir}:${process.env["PATH"]}`, HOME: dir, ...env }
            }
          )
        const change = (text: string) =>
          Effect.flatMap(Database, (database) => database.write("test", (session) => session.write(text, []))).pipe(
            Effect.provide(OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })),
            Effect.exit
          )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* Effect.acquireRelease(
              Effect.promise(() => listen(["server", "-local", "-configdir", dir], { ...env, PORT: "0" })),
              ({ stop }) => Effect.promise(() => stop())
            )
            const submit = () =>
              Effect.promise(() =>
                fetch(`${server.url}/api/v1/evaluations/jobs`, {
                  method: "POST",
                  headers: { "content-type": "application/json" },
                  body: "{}"
                })
              )
            for (let count = 0; count < 3; count++) assert.strictEqual((yield* submit()).status, 400)
          })
        )
        const first = shell(verify)
        assert.strictEqual(first.status, 0, first.stderr)
        assert.match(first.stdout, /^the audit log is whole: 6 entries\n6:[0-9a-f]{64}\n$/)
        assert.strictEqual(shell(verifyNoted).status, 0)
        const update = "UPDATE audit_entries SET entry = replace(entry, '400', '201') WHERE sequence = 2"
        assert.strictEqual((yield* change(update))._tag, "Failure")
        assert.strictEqual((yield* change("DELETE FROM audit_entries"))._tag, "Failure")
        assert.strictEqual(shell(verify).status, 0)
        yield* change("DROP TRIGGER audit_no_update")
        yield* change("DROP TRIGGER audit_no_delete")
        // the end was cut off, and the head with it: only the noted end says so
        yield* change("CREATE TABLE kept AS SELECT * FROM audit_entries")
        yield* change("DELETE FROM audit_entries WHERE sequence > 4")
        yield* change("UPDATE audit_head SET sequence = 4, hash = (SELECT hash FROM audit_entries WHERE sequence = 4)")
        const cut = shell(verifyNoted)
        assert.deepStrictEqual([cut.status, cut.stdout], [1, ""])
        assert.include(cut.stderr, "entry 6 was noted: its end was cut off")
        yield* change(update)
        const changed = shell("evald audit verify")
        assert.strictEqual(changed.status, 1)
        assert.include(changed.stderr, "entry 2 does not follow from the one before it")
        assert.strictEqual(shell("evald audit verify --noted nonsense").status, 64)
        assert.strictEqual(shell("DB_URL=file:none.db evald audit verify").status, 78)
      })
  )
})
