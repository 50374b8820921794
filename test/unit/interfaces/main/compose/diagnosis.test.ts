import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nodeCheck, portCheck, writableCheck } from "../../../../../interfaces/main/compose/diagnosis.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-doctor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const taken = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(
        Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          close: () => server.close()
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("checks of evald doctor", () => {
  it("knows which Node.js is enough", () => {
    assert.deepStrictEqual(
      ["18.20.0", "20.18.3", "20.19.0", "22.1.0"].map((version) => nodeCheck(version).status),
      ["problem", "problem", "ok", "ok"]
    )
  })

  it.scoped("a folder that does not exist yet is fine where it can be made", () =>
    Effect.gen(function* () {
      const path = yield* folder
      assert.deepStrictEqual(writableCheck("f", join(path, "a", "b"), "s"), {
        name: "f",
        status: "ok",
        detail: `${join(path, "a", "b")} (will be made)`
      })
      writeFileSync(join(path, "file"), "")
      assert.strictEqual(writableCheck("f", join(path, "file", "b"), "s").status, "problem")
      chmodSync(path, 0o500)
      const closed = writableCheck("f", join(path, "c"), "local.base_dir")
      chmodSync(path, 0o700)
      // the superuser may write everywhere
      if (process.getuid?.() !== 0) assert.include(closed.fix, "local.base_dir")
    })
  )

  it.scoped("a port in use is a problem that names the setting", () =>
    Effect.gen(function* () {
      const { port } = yield* taken
      const check = yield* portCheck(port, "127.0.0.1", "PORT or service.port")
      assert.deepStrictEqual(
        [check.status, check.detail, check.fix],
        ["problem", "is in use", "choose another one with PORT or service.port"]
      )
    })
  )
})
