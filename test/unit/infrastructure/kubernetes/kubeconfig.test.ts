/** Where the cluster is found, and what a kubeconfig may say. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { findConnection } from "../../../../infrastructure/kubernetes/kubeconfig.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-kube-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const config = (user: object, context = "c", cluster: object = {}) => ({
  "current-context": context,
  contexts: [{ name: "c", context: { cluster: "k", user: "u", namespace: "team-a" } }],
  clusters: [{ name: "k", cluster: { server: "https://127.0.0.1:6443/", "certificate-authority": "ca.pem", ...cluster } }],
  users: [{ name: "u", user }]
})
const written = (user: object, context?: string, cluster?: object) =>
  Effect.map(folder, (path) => {
    writeFileSync(join(path, "config"), JSON.stringify(config(user, context, cluster)))
    writeFileSync(join(path, "ca.pem"), "CA")
    writeFileSync(join(path, "token"), "from-file\n")
    return { environment: { KUBECONFIG: join(path, "config") }, serviceAccountDir: join(path, "none") }
  })

describe("findConnection", () => {
  it.scoped("files of the pod come first, and the token is read from its file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const [name, text] of [
        ["token", "t1"],
        ["ca.crt", "CA"],
        ["namespace", "evald-system\n"]
      ] as const)
        writeFileSync(join(path, name), text)
      const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443", KUBECONFIG: "/nowhere" }
      const found = yield* findConnection({ environment, serviceAccountDir: path })
      assert.deepInclude(found, { server: "https://[fd00::1]:6443", tls: { ca: "CA" }, namespace: "evald-system" })
      const token = yield* found?.token(false) ?? Effect.void
      assert.strictEqual(token === undefined ? "" : Redacted.value(token), "t1")
    })
  )
  it.scoped("certificates in the file or beside it, tokens, token files", () =>
    Effect.gen(function* () {
      const data = (text: string) => Buffer.from(text).toString("base64")
      const certificates = yield* findConnection(yield* written({ "client-certificate-data": data("CERT"), "client-key-data": data("KEY") }))
      assert.deepInclude(certificates, { server: "https://127.0.0.1:6443", tls: { ca: "CA", cert: "CERT", key: "KEY" }, namespace: "team-a" })
      for (const [user, expected] of [
        [{ token: "given" }, "given"],
        [{ tokenFile: "token" }, "from-file"]
      ] as const) {
        const found = yield* findConnection(yield* written(user))
        const token = yield* found?.token(false) ?? Effect.void
        assert.strictEqual(token === undefined ? "" : Redacted.value(token), expected)
      }
    })
  )
  it.scoped("what can not be served is refused by name", () =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(findConnection(yield* written({ exec: {} })))).message, /'exec' of the user is not supported/)
      assert.match((yield* Effect.flip(findConnection(yield* written({}, "other")))).message, /'other' is not defined/)
      assert.match((yield* Effect.flip(findConnection({ environment: { KUBECONFIG: "/nowhere/config" } }))).message, /can not be read/)
    })
  )
  const ignored = [
    [{ as: "alice" }, {}, /config: 'as' of user 'u' is not supported yet/],
    [{ "as-groups": ["admins"] }, {}, /config: 'as-groups' of user 'u' is not supported yet/],
    [{ "as-uid": "1" }, {}, /config: 'as-uid' of user 'u' is not supported yet/],
    [{ "as-user-extra": { scopes: ["a"] } }, {}, /config: 'as-user-extra' of user 'u' is not supported yet/],
    [{}, { "proxy-url": "socks5://127.0.0.1:1080" }, /config: 'proxy-url' of cluster 'k' is not supported yet/]
  ] as const
  it.scoped.each(ignored)("what would change who asks, or by which way, is refused and not ignored: %j %j", ([user, cluster, message]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(findConnection(yield* written(user, "c", cluster)))
      assert.match(error.message, message)
      assert.notInclude(error.message, "\n")
    })
  )
  it.scoped("members that say nothing are no reason to refuse", () =>
    Effect.gen(function* () {
      const found = yield* findConnection(yield* written({ as: "", "as-groups": [], "as-user-extra": {} }, "c", { "proxy-url": "" }))
      assert.strictEqual(found?.server, "https://127.0.0.1:6443")
    })
  )
  it.scoped("a KUBECONFIG of several files is refused and not taken for one file's name; empty parts of the list do not count", () =>
    Effect.gen(function* () {
      const source = yield* written({ token: "t" })
      const file = source.environment.KUBECONFIG
      const error = yield* Effect.flip(findConnection({ ...source, environment: { KUBECONFIG: `${file}:/etc/other` } }))
      assert.include(error.message, "KUBECONFIG names 2 files")
      assert.include(error.message, file)
      assert.include(error.message, "/etc/other")
      assert.strictEqual((yield* findConnection({ ...source, environment: { KUBECONFIG: `:${file}:` } }))?.server, "https://127.0.0.1:6443")
    })
  )
  it.scoped("without any of them there is no cluster; the standard file of the user is the last", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const source = { environment: { HOME: home }, serviceAccountDir: join(home, "none") }
      assert.isUndefined(yield* findConnection(source))
      mkdirSync(join(home, ".kube"))
      writeFileSync(join(home, ".kube", "ca.pem"), "CA")
      writeFileSync(join(home, ".kube", "config"), JSON.stringify(config({ token: "t" })))
      assert.strictEqual((yield* findConnection(source))?.server, "https://127.0.0.1:6443")
    })
  )
})
