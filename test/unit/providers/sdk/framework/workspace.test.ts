import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openWorkspace } from "../../../../../providers/sdk/framework/workspace.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const noKeys = { secrets: [], others: {} }

const bind = (path: string) =>
  Effect.async<string | undefined>((resume) => {
    const server = createServer()
    server.once("error", ({ message }) => resume(Effect.succeed(message)))
    server.listen(path, () => server.close(() => resume(Effect.succeed(undefined))))
  })

describe("the folders of a run", () => {
  it.scopedLive(
    "behind the long path of a unit a framework's workers still find room for their sockets, and files stay in the unit",
    () =>
      Effect.gen(function* () {
        const unit = join(
          yield* tempDir,
          "a-name-of-forty-characters-for-the-server",
          "a-name-of-forty-characters-for-this-job",
          "tmp"
        )
        mkdirSync(unit, { recursive: true })
        const seen = yield* Effect.scoped(
          Effect.gen(function* () {
            const { env, work } = yield* openWorkspace({ output_dir: join(unit, "results") }, noKeys, { TMPDIR: unit })
            const tmp = env["TMPDIR"] ?? ""
            writeFileSync(join(tmp, "a-file"), "")
            assert.deepStrictEqual(readdirSync(join(work, "tmp")), ["a-file"])
            mkdirSync(join(tmp, "pymp-12345678"))
            assert.isUndefined(yield* bind(join(tmp, "pymp-12345678", "listener-12345678")))
            return { tmp, work }
          })
        )
        assert.deepStrictEqual(
          [existsSync(seen.tmp), existsSync(join(seen.tmp, "..")), existsSync(seen.work)],
          [false, false, false]
        )
      })
  )
  it.scopedLive("a short path is taken as it is", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { env, work } = yield* openWorkspace({ output_dir: dir }, noKeys, { TMPDIR: dir })
      assert.strictEqual(env["TMPDIR"], join(work, "tmp"))
    })
  )
})
