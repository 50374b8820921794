/** What an adapter finds in its credentials folder. Reference: adapter-contract.md, "Credential helpers". */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { readModelAuthKey, resolveModelCredentials, selectModelKey } from "../../../../providers/sdk/credentials.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const variable = "EVALD_MODEL_AUTH_DIR"
let before: string | undefined
beforeEach(() => {
  before = process.env[variable]
})
afterEach(() => {
  if (before === undefined) delete process.env[variable]
  else process.env[variable] = before
})

const mount = (files: Readonly<Record<string, string | Buffer>>) =>
  Effect.map(tempDir, (dir) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content)
    process.env[variable] = dir
    return dir
  })
const text = (key: Option.Option<Redacted.Redacted>) => Option.getOrUndefined(Option.map(key, Redacted.value))

describe("readModelAuthKey", () => {
  it.scoped("reads and trims, the name too", () =>
    Effect.gen(function* () {
      yield* mount({ "api-key": " api-key:ref \n" })
      assert.strictEqual(text(yield* readModelAuthKey("\tapi-key ")), "api-key:ref")
      assert.strictEqual(text((yield* resolveModelCredentials).apiKey), "api-key:ref")
      assert.notInclude(String(yield* readModelAuthKey("api-key")), "ref")
    })
  )

  it.scoped("is none for what cannot be a key", () =>
    Effect.gen(function* () {
      yield* mount({ blank: " \n", binary: Buffer.from([0xff, 0xfe]), huge: "x".repeat(1024 * 1024 + 1), "a..b": "x" })
      for (const name of ["", " ", "missing", "blank", "binary", "huge", "../etc", "a/b", "a\\b", "a\0b", "a..b", "."])
        assert.isUndefined(text(yield* readModelAuthKey(name)), JSON.stringify(name))
    })
  )

  it.scoped("reads the file each time", () =>
    Effect.gen(function* () {
      const dir = yield* mount({ "api-key": "old" })
      assert.strictEqual(text(yield* readModelAuthKey("api-key")), "old")
      writeFileSync(join(dir, "api-key"), "new")
      assert.strictEqual(text(yield* readModelAuthKey("api-key")), "new")
    })
  )
})

describe("selectModelKey", () => {
  for (const [name, files, authKey, expected] of [
    ["api-key first", { "api-key": "a", "judge_api-key": "j" }, undefined, "a"],
    ["the only other key", { "judge_api-key": "j", ca_cert: "c" }, undefined, "j"],
    ["the only service account token", { model_sa_token: "m" }, undefined, "m"],
    ["none of several", { "judge_api-key": "j", model_sa_token: "m" }, undefined, undefined],
    ["the named one", { "api-key": "a", "judge_api-key": "j" }, "judge_api-key", "j"],
    ["no other than the named one", { "api-key": "a" }, "judge_api-key", undefined],
    ["nothing", {}, undefined, undefined]
  ] as const)
    it.scoped(name, () =>
      Effect.gen(function* () {
        yield* mount(files)
        assert.strictEqual(text(yield* selectModelKey(authKey)), expected)
      })
    )
})
