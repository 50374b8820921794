/** A kubeconfig from its files to the requests that arrive: log-in programs, proxies, merged files, impersonation, certificates that change. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { configMaps, pods } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { makeAuthority } from "../../../../support/certificate.ts"
import { fakeKubernetes } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { tlsFront } from "../../../../support/fake-kubernetes/tls-front.ts"
import {
  clientOf,
  execCredential,
  logInProgram,
  simpleKubeconfig,
  writeKubeconfig
} from "../../../../support/kubeconfigs.ts"
import { connectProxy, socksProxy } from "../../../../support/proxies.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const inTeam = { namespace: "team-a", lane: "launch" } as const
const listPods = { ...inTeam, resource: pods }

const setUp = Effect.gen(function* () {
  const fake = yield* fakeKubernetes
  fake.addNamespace("team-a")
  return { fake, path: yield* tempDir }
})

describe("a kubeconfig", () => {
  it.scoped("with a log-in program: its token is sent, and the program is run again when the token is refused", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      const program = logInProgram(path)
      program.answers(execCredential({ token: "one" }))
      fake.accept.tokens = ["one"]
      const client = yield* clientOf(
        path,
        simpleKubeconfig(path, { server: fake.url }, { exec: { command: program.command } })
      )
      const requests = Array.from({ length: 10 }, () => client.list(listPods))
      yield* Effect.all(requests, { concurrency: "unbounded" })
      assert.strictEqual(program.runs().length, 1)
      program.answers(execCredential({ token: "two" }))
      fake.accept.tokens = ["two"]
      yield* Effect.all(requests, { concurrency: "unbounded" })
      assert.strictEqual(program.runs().length, 2)
    })
  )
  it.scoped("with a log-in program that fails: the request fails with its words, and the next one works", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      const program = logInProgram(path)
      const client = yield* clientOf(
        path,
        simpleKubeconfig(path, { server: fake.url }, { exec: { command: program.command } })
      )
      const error = yield* Effect.flip(client.list(listPods))
      assert.deepStrictEqual([error.class, error.status, fake.requests.length], ["transient", 0, 0])
      assert.match(error.message, /the log-in program '.*' of user 'u' failed: no session, log in first/)
      program.answers(execCredential({ token: "one" }))
      yield* client.list(listPods)
      assert.strictEqual(fake.requests.at(-1)?.token, "one")
    })
  )
  it.scoped("with a proxy-url: requests and watches go that way, to a server with TLS and to one without", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      const front = yield* tlsFront(fake)
      const proxy = yield* connectProxy("me:p@ss")
      const address = `http://me:p%40ss@${proxy.address}`
      const secure = { server: front.url, "certificate-authority-data": base64(front.authority), "proxy-url": address }
      const client = yield* clientOf(path, simpleKubeconfig(path, secure, { token: "t" }))
      const { resourceVersion } = yield* client.list(listPods)
      yield* client.create(
        { ...inTeam, resource: configMaps },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } }
      )
      const change = yield* Stream.runHead(
        client.watch({ ...inTeam, resource: configMaps }, { resourceVersion, timeoutSeconds: 60 })
      )
      assert.strictEqual(change._tag, "Some")
      assert.deepStrictEqual(new Set(proxy.asked), new Set([`127.0.0.1:${front.port}`]))
      // the short calls shared one tunnel, the watch has its own
      assert.strictEqual(proxy.asked.length, 2)
      assert.strictEqual(fake.requests[0]?.token, "t")
      const plain = yield* clientOf(
        path,
        simpleKubeconfig(path, { server: fake.url, "proxy-url": address }, { token: "t" })
      )
      yield* plain.list(listPods)
      assert.strictEqual(proxy.asked.at(-1), new URL(fake.url).host)
    })
  )
  it.scoped("with a SOCKS proxy: requests go that way, over one kept connection", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      const front = yield* tlsFront(fake)
      const proxy = yield* socksProxy
      const cluster = {
        server: front.url,
        "certificate-authority-data": base64(front.authority),
        "proxy-url": `socks5://${proxy.address}`
      }
      const client = yield* clientOf(path, simpleKubeconfig(path, cluster, { token: "t" }))
      yield* client.list(listPods)
      yield* client.list(listPods)
      assert.deepStrictEqual([proxy.asked, fake.requests.length], [[`127.0.0.1:${front.port}`], 2])
    })
  )
  it.scoped(
    "with a proxy that refuses, or a server that is not trusted behind it: the error names the proxy and no password",
    () =>
      Effect.gen(function* () {
        const { fake, path } = yield* setUp
        const front = yield* tlsFront(fake)
        const proxy = yield* connectProxy("me:right")
        const failed = (address: string) =>
          Effect.map(
            Effect.flatMap(
              clientOf(path, simpleKubeconfig(path, { server: front.url, "proxy-url": address }, {})),
              (client) => Effect.flip(client.list(listPods))
            ),
            ({ message }) => message
          )
        assert.strictEqual(
          yield* failed(`http://me:wrong@${proxy.address}`),
          `by way of the proxy ${proxy.address}: Bad response: 407`
        )
        assert.match(
          yield* failed(`http://me:right@${proxy.address}`),
          new RegExp(`^by way of the proxy ${proxy.address}: (self-signed|unable to verify)`)
        )
        assert.strictEqual(fake.requests.length, 0)
      })
  )
  it.scoped("in two files: the cluster of one and the user of the other", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      fake.accept.tokens = ["of-users"]
      const clusters = writeKubeconfig(path, "clusters", { cluster: { name: "k", server: fake.url } })
      const context = { name: "c", cluster: "k", user: "u" }
      const users = writeKubeconfig(path, "users", { current: "c", context, user: { name: "u", token: "of-users" } })
      const client = yield* clientOf(path, `${clusters}:${users}`)
      yield* client.list(listPods)
      assert.strictEqual(fake.requests.length, 1)
    })
  )
  it.scoped("with `as`: every request says as whom it is made", () =>
    Effect.gen(function* () {
      const { fake, path } = yield* setUp
      const user = {
        token: "t",
        as: "jürgen",
        "as-groups": ["evaluators", "readers"],
        "as-uid": "7",
        "as-user-extra": { "a/b": ["x"] }
      }
      const client = yield* clientOf(path, simpleKubeconfig(path, { server: fake.url }, user))
      yield* client.list(listPods)
      const headers = fake.requests[0]?.headers ?? {}
      assert.deepInclude(headers, {
        authorization: "Bearer t",
        "impersonate-user": Buffer.from("jürgen").toString("latin1"),
        "impersonate-group": "evaluators, readers",
        "impersonate-uid": "7",
        "impersonate-extra-a%2fb": "x"
      })
    })
  )
  it.scoped(
    "with a client certificate that changes: the next request comes with the new one, over a new connection",
    () =>
      Effect.gen(function* () {
        const { fake, path } = yield* setUp
        const front = yield* tlsFront(fake)
        const write = () => {
          const { certificate, key } = makeAuthority().server
          writeFileSync(join(path, "cert.pem"), certificate)
          writeFileSync(join(path, "key.pem"), key)
        }
        write()
        const user = { "client-certificate": "cert.pem", "client-key": "key.pem" }
        const client = yield* clientOf(
          path,
          simpleKubeconfig(path, { server: front.url, "certificate-authority-data": base64(front.authority) }, user)
        )
        yield* client.list(listPods)
        yield* client.list(listPods)
        write()
        yield* client.list(listPods)
        const [first, second, third] = front.seen
        assert.deepStrictEqual(first, second)
        assert.notStrictEqual(third?.fingerprint, first?.fingerprint)
        assert.notStrictEqual(third?.port, first?.port)
        assert.isTrue(front.seen.every(({ fingerprint }) => fingerprint !== ""))
      })
  )
})
