import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SecretReader } from "../../../../application/ports/secret-reader.ts"
import { modelAuth } from "../../../../infrastructure/local/files/secret-files.ts"
import * as LocalSecrets from "../../../../infrastructure/local/local-secrets.ts"

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "evald-secrets-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (name: string, keys: { readonly [key: string]: string }, mode = 0o600) => {
  mkdirSync(join(root, name), { recursive: true })
  for (const [key, value] of Object.entries(keys)) {
    writeFileSync(join(root, name, key), value)
    chmodSync(join(root, name, key), mode)
  }
}
const read = (name: string) => SecretReader.pipe(Effect.flatMap((secrets) => secrets.read(name)))
const withSecrets = <A, E>(effect: Effect.Effect<A, E, SecretReader>) =>
  Effect.suspend(() => Effect.provide(effect, LocalSecrets.layer(root)))

describe("local secrets", () => {
  it.effect("one file per key, values redacted, hidden files and folders left out", () =>
    withSecrets(
      Effect.gen(function* () {
        put("team.key", { "api-key": "sk\n", "a_api-key": "k", ".hidden": "x" })
        mkdirSync(join(root, "team.key", "folder"))
        const secret = yield* read("team.key")
        assert.deepStrictEqual([...secret.keys()].sort(), ["a_api-key", "api-key"])
        assert.strictEqual(Redacted.value(secret.get("api-key") ?? Redacted.make("")), "sk\n")
        assert.notInclude(JSON.stringify([...secret]), "sk")
      })
    )
  )
  it.effect.each([0o640, 0o604, 0o620, 0o666])("a file with mode %o is refused with the fix", (mode) =>
    withSecrets(
      Effect.gen(function* () {
        put("s", { "api-key": "CANARY" }, mode)
        const error = yield* Effect.flip(read("s"))
        assert.strictEqual(error.reason, "unsafe")
        assert.strictEqual(
          error.message,
          "secret 's': its file 'api-key' below local.secrets_dir can be read or changed by other users; give it mode 600 (chmod 600)"
        )
        assert.notInclude(error.message, "CANARY")
      })
    )
  )
  it.effect("a link is judged by the file it leads to", () =>
    withSecrets(
      Effect.gen(function* () {
        put("s", {})
        writeFileSync(join(root, "open"), "x")
        chmodSync(join(root, "open"), 0o644)
        symlinkSync(join(root, "open"), join(root, "s", "api-key"))
        assert.strictEqual((yield* Effect.flip(read("s"))).reason, "unsafe")
      })
    )
  )
  it.effect.each(["absent", "../s", "a/b", "", "A", ".."])("secret %j does not exist", (name) =>
    withSecrets(
      Effect.gen(function* () {
        put("s", { "api-key": "x" })
        const { reason, message } = yield* Effect.flip(read(name))
        assert.strictEqual(reason, "absent")
        assert.notInclude(message, root, "places of the file system are told to nobody")
      })
    )
  )
})

describe("files of an adapter", () => {
  const target = () => {
    const directory = join(root, "unit")
    mkdirSync(directory, { mode: 0o700 })
    return directory
  }
  const write = (secretRef: string, directory: string) =>
    SecretReader.pipe(
      Effect.flatMap((secrets) =>
        modelAuth(secrets)({ secretRef, gateway: "http://127.0.0.1:1/cb/x/model", directory })
      )
    )
  const contents = (directory: string) =>
    Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")]))

  it.effect("hold references, the gateway's address and what must be real", () =>
    withSecrets(
      Effect.gen(function* () {
        put("s", {
          "api-key": "CANARY1",
          "b_api-key": "CANARY2",
          b_url: "https://CANARY3",
          c_sa_token: "",
          "hf-token": "hf",
          ca_cert: "pem",
          other: "CANARY4"
        })
        const directory = target()
        const values = yield* write("s", directory)
        assert.deepStrictEqual(contents(directory), {
          "api-key": "api-key:ref",
          "b_api-key": "b_api-key:ref",
          b_url: "http://127.0.0.1:1/cb/x/model",
          c_sa_token: "c_sa_token:ref",
          "hf-token": "hf",
          ca_cert: "pem"
        })
        for (const name of readdirSync(directory))
          assert.strictEqual(statSync(join(directory, name)).mode & 0o777, 0o600)
        assert.sameMembers(values.map(Redacted.value), [
          "CANARY1",
          "CANARY2",
          "https://CANARY3",
          "",
          "hf",
          "pem",
          "CANARY4"
        ])
      })
    )
  )
  it.effect("a secret that is missing or open refuses the launch with the right code", () =>
    withSecrets(
      Effect.gen(function* () {
        const directory = target()
        const missing = yield* Effect.flip(write("nobody", directory))
        assert.strictEqual(missing.code, "secret_not_found")
        assert.match(missing.message, /'nobody'.*local\.secrets_dir/)
        put("open", { "api-key": "x" }, 0o644)
        assert.strictEqual((yield* Effect.flip(write("open", directory))).code, "container_config_error")
        assert.deepStrictEqual(readdirSync(directory), [])
      })
    )
  )
})
