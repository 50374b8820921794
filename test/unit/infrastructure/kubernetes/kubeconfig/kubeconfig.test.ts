/** Where the cluster is found, and what a kubeconfig may say. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import type { KubeConnection } from "../../../../../infrastructure/kubernetes/client/connection.ts"
import { findConnection } from "../../../../../infrastructure/kubernetes/kubeconfig/kubeconfig.ts"
import { execCredential, logInProgram, simpleKubeconfig, writeKubeconfig } from "../../../../support/kubeconfigs.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const server = "https://127.0.0.1:6443"
const cluster = { server: `${server}/`, "certificate-authority": "ca.pem" }
const written = (user: object, more: object = {}) =>
  Effect.map(tempDir, (path) => {
    writeFileSync(join(path, "ca.pem"), "CA")
    writeFileSync(join(path, "token"), "from-file\n")
    return source(path, simpleKubeconfig(path, { ...cluster, ...more }, user))
  })
const source = (path: string, files: string) => ({
  environment: { KUBECONFIG: files },
  serviceAccountDir: join(path, "none")
})

const accessOf = (connection: KubeConnection | undefined) =>
  Effect.map(connection === undefined ? Effect.die("no connection") : connection.access(), ({ tls, headers }) => ({
    tls,
    headers: Redacted.value(headers)
  }))
const accessFrom = (user: object, more?: object) =>
  Effect.flatMap(Effect.flatMap(written(user, more), findConnection), accessOf)
const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("findConnection", () => {
  it.scoped("files of the pod come first, and the token is read from its file", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      for (const [name, text] of [
        ["token", "t1"],
        ["ca.crt", "CA"],
        ["namespace", "evald-system\n"]
      ] as const)
        writeFileSync(join(path, name), text)
      const environment = {
        KUBERNETES_SERVICE_HOST: "fd00::1",
        KUBERNETES_SERVICE_PORT: "6443",
        KUBECONFIG: "/nowhere"
      }
      const found = yield* findConnection({ environment, serviceAccountDir: path })
      assert.deepInclude(found, { server: "https://[fd00::1]:6443", namespace: "evald-system" })
      assert.deepStrictEqual(yield* accessOf(found), { tls: { ca: "CA" }, headers: { authorization: "Bearer t1" } })
    })
  )
  it.scoped("certificates in the file or beside it, tokens, token files, passwords, and nobody", () =>
    Effect.gen(function* () {
      const found = yield* findConnection(
        yield* written({ "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") })
      )
      assert.deepInclude(found, { server, namespace: "team-a" })
      assert.deepStrictEqual(yield* accessOf(found), { tls: { ca: "CA", cert: "CERT", key: "KEY" }, headers: {} })
      for (const [user, headers] of [
        [{ token: "given" }, { authorization: "Bearer given" }],
        [{ tokenFile: "token" }, { authorization: "Bearer from-file" }],
        // kubectl's order of precedence
        [{ token: "given", tokenFile: "token" }, { authorization: "Bearer from-file" }],
        [{ username: "me", password: "word" }, { authorization: `Basic ${base64("me:word")}` }],
        [{}, {}]
      ] as const)
        assert.deepStrictEqual(yield* accessFrom(user), { tls: { ca: "CA" }, headers })
      const content = yield* accessFrom({}, { "certificate-authority-data": base64("CONTENT") })
      assert.strictEqual(content.tls.ca, "CONTENT")
      const other = yield* accessFrom({}, { "tls-server-name": "kubernetes", "insecure-skip-tls-verify": true })
      assert.deepStrictEqual(other.tls, { ca: "CA", serverName: "kubernetes", skipVerify: true })
    })
  )
  it.scoped("impersonation: the user, and the groups, uid and extras that the library leaves out", () =>
    Effect.gen(function* () {
      const { headers } = yield* accessFrom({
        token: "t",
        as: "alice",
        "as-uid": "u-1",
        "as-groups": ["evaluators", "größe"],
        "as-user-extra": { "example.org/Scopes": ["a", "b"] }
      })
      assert.deepStrictEqual(headers, {
        authorization: "Bearer t",
        "impersonate-user": "alice",
        "impersonate-uid": "u-1",
        "impersonate-group": ["evaluators", Buffer.from("größe").toString("latin1")],
        "impersonate-extra-example.org%2FScopes": ["a", "b"]
      })
      assert.deepStrictEqual(
        (yield* accessFrom({ token: "t", as: "", "as-groups": [], "as-user-extra": {} })).headers,
        { authorization: "Bearer t" }
      )
    })
  )
  const refused = [
    [{ exec: {} }, {}, /config: 'exec' of user 'u' names no command/],
    [{ exec: { command: "x", interactiveMode: "Always" } }, {}, /'exec' of user 'u' always asks at a terminal/],
    [{ exec: { command: "x" }, "auth-provider": { name: "oidc" } }, {}, /user 'u' has 'exec' and 'auth-provider'/],
    [
      { "auth-provider": { name: "openstack" } },
      {},
      /'auth-provider' of user 'u' is 'openstack', and only oidc, gcp, azure are known/
    ],
    [{ as: 1 }, {}, /config: 'as' of user 'u' is no text/],
    [{ "as-groups": ["admins"] }, {}, /'as-groups' of user 'u' needs 'as'/],
    [{ "as-uid": "1" }, {}, /'as-uid' of user 'u' needs 'as'/],
    [{ as: "a", "as-groups": "admins" }, {}, /'as-groups' of user 'u' is no list of texts/],
    [{ as: "a", "as-user-extra": { scopes: "a" } }, {}, /'as-user-extra' of user 'u' is no map of lists of texts/],
    [
      {},
      { "proxy-url": "ftp://me:secret@127.0.0.1:1080" },
      /config: 'proxy-url' of cluster 'k' is no address of a proxy/
    ],
    [{}, { server: "127.0.0.1:6443" }, /config: server '127.0.0.1:6443' is no http address/]
  ] as const
  it.scoped.each(refused)("what can not be followed is refused at the start, by name: %j %j", ([user, more, message]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(findConnection(yield* written(user, more)))
      assert.match(error.message, message)
      assert.notMatch(error.message, /\n|secret/)
    })
  )
  it.scoped("a context that is not there, a user that is not there, and a file that is not there are refused", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      const failed = (files: string) =>
        Effect.map(Effect.flip(findConnection(source(path, files))), ({ message }) => message)
      const context = { name: "c", cluster: "k", user: "gone" }
      assert.match(
        yield* failed(writeKubeconfig(path, "a", { current: "other", context, cluster: { name: "k", server } })),
        /'other' is not defined/
      )
      assert.match(
        yield* failed(writeKubeconfig(path, "b", { context, cluster: { name: "k", server } })),
        /current-context is missing/
      )
      assert.match(
        yield* failed(writeKubeconfig(path, "c", { current: "c", context, cluster: { name: "k", server } })),
        /user 'gone' of context 'c' is not/
      )
      assert.match(
        yield* failed(writeKubeconfig(path, "d", { current: "c", context })),
        /the cluster of context 'c' has no server/
      )
      assert.match(yield* failed("/nowhere/config"), /can not be read/)
      assert.match(yield* failed("/nowhere/a:/nowhere/b"), /KUBECONFIG names 2 files .* none of them exists/)
    })
  )
  it.scoped(
    "of several files the first that says something decides; files that are missing or empty do not count",
    () =>
      Effect.gen(function* () {
        const path = yield* tempDir
        for (const folder of ["one", "two"]) {
          mkdirSync(join(path, folder))
          writeFileSync(join(path, folder, "ca.pem"), `CA ${folder}`)
        }
        writeFileSync(join(path, "empty"), "")
        const first = writeKubeconfig(path, "one/config", {
          current: "c",
          user: { name: "u", token: "of-one" },
          cluster: { name: "other", server: "https://x" }
        })
        const second = writeKubeconfig(path, "two/config", {
          current: "ignored",
          context: { name: "c", cluster: "k", user: "u", namespace: "team-a" },
          cluster: { name: "k", ...cluster },
          user: { name: "u", token: "of-two", as: "somebody-else" }
        })
        const found = yield* findConnection(source(path, `:${first}:/nowhere/config:${path}/empty:${second}:`))
        assert.deepInclude(found, { server, namespace: "team-a" })
        // the certificate is beside the file that names it, the user is wholly that of the first file
        assert.deepStrictEqual(yield* accessOf(found), {
          tls: { ca: "CA two" },
          headers: { authorization: "Bearer of-one" }
        })
      })
  )
  it.scoped("without any of them there is no cluster; the standard file of the user is the last", () =>
    Effect.gen(function* () {
      const home = yield* tempDir
      const from = { environment: { HOME: home }, serviceAccountDir: join(home, "none") }
      assert.isUndefined(yield* findConnection(from))
      mkdirSync(join(home, ".kube"))
      simpleKubeconfig(join(home, ".kube"), { server }, { token: "t" })
      assert.strictEqual((yield* findConnection(from))?.server, server)
    })
  )
})

describe("access of a kubeconfig", () => {
  it.scoped("stays one object until a file changes; a certificate that changed is read again", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      for (const name of ["ca.pem", "cert.pem", "key.pem"]) writeFileSync(join(path, name), `first ${name}`)
      const user = { "client-certificate": "cert.pem", "client-key": "key.pem" }
      const found = yield* findConnection(source(path, simpleKubeconfig(path, cluster, user)))
      const access = found?.access ?? assert.fail("no connection")
      const before = yield* access()
      assert.strictEqual(yield* access(), before)
      writeFileSync(join(path, "cert.pem"), "another certificate")
      const after = yield* access()
      assert.deepStrictEqual(
        [before.tls.cert, after.tls.cert, after.tls.key],
        ["first cert.pem", "another certificate", "first key.pem"]
      )
      assert.strictEqual(yield* access(), after)
    })
  )
  it.scoped(
    "a kubeconfig that was written anew counts; while it is half written, or names another cluster or user, what was read before does",
    () =>
      Effect.gen(function* () {
        const path = yield* tempDir
        writeFileSync(join(path, "ca.pem"), "CA")
        const file = simpleKubeconfig(path, cluster, { token: "first" })
        const found = yield* findConnection(source(path, file))
        const token = Effect.map(accessOf(found), ({ headers }) => headers["authorization"])
        assert.strictEqual(yield* token, "Bearer first")
        simpleKubeconfig(path, cluster, { token: "second, longer" })
        assert.strictEqual(yield* token, "Bearer second, longer")
        writeFileSync(file, '{"contexts": [')
        assert.strictEqual(yield* token, "Bearer second, longer")
        simpleKubeconfig(path, { server: "https://127.0.0.1:7443" }, { token: "of another cluster" })
        assert.strictEqual(yield* token, "Bearer second, longer")
        const context = { name: "c", cluster: "k", user: "root" }
        writeKubeconfig(path, "config", {
          current: "c",
          context,
          cluster: { name: "k", ...cluster },
          user: { name: "root", token: "of another user" }
        })
        assert.strictEqual(yield* token, "Bearer second, longer")
        simpleKubeconfig(path, cluster, { token: "third" })
        assert.strictEqual(yield* token, "Bearer third")
      })
  )
  it.scoped(
    "a log-in program is run once for all who ask meanwhile, and again when its answer is refused or has ended",
    () =>
      Effect.gen(function* () {
        const path = yield* tempDir
        const program = logInProgram(path)
        writeFileSync(join(path, "ca.pem"), "CA")
        const file = simpleKubeconfig(path, cluster, {
          exec: { command: "./log-in", apiVersion: "client.authentication.k8s.io/v1beta1", provideClusterInfo: true }
        })
        const found = yield* findConnection(source(path, file))
        const access = found?.access ?? assert.fail("no connection")
        program.answers(execCredential({ token: "one" }))
        const all = yield* Effect.all([access(), access(), access()], { concurrency: "unbounded" })
        assert.strictEqual(new Set(all).size, 1)
        const first = yield* access()
        assert.strictEqual(Redacted.value(first.headers)["authorization"], "Bearer one")
        assert.deepStrictEqual(
          program.runs().map((info) => JSON.parse(info)),
          [
            {
              kind: "ExecCredential",
              apiVersion: "client.authentication.k8s.io/v1beta1",
              spec: { interactive: false, cluster: { server } }
            }
          ]
        )
        program.answers(
          execCredential({
            clientCertificateData: "CERT",
            clientKeyData: "KEY",
            expirationTimestamp: "1969-12-31T00:00:00Z"
          })
        )
        const second = yield* access(first)
        assert.deepStrictEqual([second.tls.cert, second.tls.key, program.runs().length], ["CERT", "KEY", 2])
        // somebody else was refused as the one before: what there is now is newer
        program.answers(execCredential({ token: "three" }))
        const third = yield* access(first)
        assert.deepStrictEqual(
          [Redacted.value(third.headers)["authorization"], program.runs().length],
          ["Bearer three", 3]
        )
        assert.strictEqual(yield* access(second), third)
        assert.strictEqual(program.runs().length, 3)
      })
  )
  it.scoped("a log-in program that fails says why, never what it answered, and is tried again", () =>
    Effect.gen(function* () {
      const path = yield* tempDir
      const program = logInProgram(path)
      writeFileSync(join(path, "ca.pem"), "CA")
      const found = yield* findConnection(
        source(path, simpleKubeconfig(path, cluster, { exec: { command: program.command } }))
      )
      const failed = Effect.map(Effect.flip(found?.access() ?? Effect.die("no connection")), ({ message }) => message)
      assert.match(
        yield* failed,
        /config: the log-in program '.*\/log-in' of user 'u' failed: no session, log in first$/
      )
      program.answers("secret-text, no JSON")
      assert.match(yield* failed, /failed: its answer is no ExecCredential with a status$/)
      program.answers('{"token": "secret"}')
      assert.match(yield* failed, /failed: its answer is no ExecCredential with a status$/)
      program.answers(execCredential({}))
      assert.match(yield* failed, /logging in as user 'u' gave neither a token nor a certificate$/)
      program.answers(execCredential({ token: "good" }))
      assert.strictEqual((yield* accessOf(found)).headers["authorization"], "Bearer good")
      const missing = yield* findConnection(
        yield* written({ exec: { command: "no-such-log-in", installHint: "install it from the shop" } })
      )
      const error = yield* Effect.flip(missing?.access() ?? Effect.die("no connection"))
      assert.match(
        error.message,
        /the log-in program 'no-such-log-in' of user 'u' failed: it is not installed; install it from the shop$/
      )
    })
  )
  it.scoped("an auth provider gives its token; one that has none is not passed over", () =>
    Effect.gen(function* () {
      const jwt = ["{}", JSON.stringify({ exp: 4_000_000_000 }), ""]
        .map((part) => Buffer.from(part).toString("base64url"))
        .join(".")
      const oidc = yield* accessFrom({ "auth-provider": { name: "oidc", config: { "id-token": jwt } } })
      assert.strictEqual(oidc.headers["authorization"], `Bearer ${jwt}`)
      const found = yield* findConnection(yield* written({ "auth-provider": { name: "oidc", config: {} } }))
      const error = yield* Effect.flip(found?.access() ?? Effect.die("no connection"))
      assert.match(error.message, /logging in as user 'u' gave neither a token nor a certificate$/)
    })
  )
  it.scoped(
    "an auth provider is asked again after a minute by the clock of the service (it went by the machine's)",
    () =>
      Effect.gen(function* () {
        const jwt = ["{}", JSON.stringify({ exp: 4_000_000_000 }), ""]
          .map((part) => Buffer.from(part).toString("base64url"))
          .join(".")
        const found = yield* findConnection(
          yield* written({ "auth-provider": { name: "oidc", config: { "id-token": jwt } } })
        )
        const access = found?.access ?? assert.fail("no connection")
        const first = yield* access()
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(yield* access(), first)
        yield* TestClock.adjust("1 seconds")
        assert.notStrictEqual(yield* access(), first)
      })
  )
})
