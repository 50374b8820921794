/** Messages on their way: what is signed and how, what counts as an answer, and where nothing goes. */
import { createHmac } from "node:crypto"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import type { IncomingMessage, RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { Notifier } from "../../../../application/ports/notifier.ts"
import { SecretUnusable } from "../../../../application/ports/secret-reader.ts"
import { straight } from "../../../../domain/proxies.ts"
import { secretIn } from "../../../../infrastructure/local/local-secrets.ts"
import * as Webhooks from "../../../../infrastructure/notifications/webhooks.ts"
import { makeAuthority } from "../../../support/certificate.ts"
import { bodyOf, listening, type Running, serve } from "../../../support/loopback-server.ts"
import { tempDir } from "../../../support/temp-dir.ts"

interface Seen {
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

const receiver = (answer: RequestListener) => {
  const seen: Array<Seen> = []
  const open = serve((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ url: request.url, headers: request.headers, body: body.toString() })
      answer(request, response)
    })
  })
  return Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => open),
      ({ close }) => Effect.promise(close)
    ),
    (running) => ({ running, seen })
  )
}

const keys: { readonly [name: string]: { readonly [key: string]: string } } = {
  plain: { key: "a key of at least sixteen bytes\n" },
  short: { key: "too short" },
  other: { token: "a token of at least sixteen bytes" },
  changing: { key: "the new key of sixteen bytes", previous_key: "the old key of sixteen bytes" },
  published: { key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }
}

const send = (
  { url }: Pick<Running, "url">,
  secretRef: string,
  given: Partial<Webhooks.WebhookOptions> = {},
  message = { id: "job-completed", body: '{"type":"job.completed"}' }
) =>
  Effect.flatMap(Notifier, (notifier) =>
    notifier === undefined ? Effect.dieMessage("no notifier") : notifier.send("a", { url, secretRef }, message)
  ).pipe(
    Effect.provide(
      Webhooks.layer({
        rules: { allowHttp: true },
        ofTenant: () => [],
        secretOf: (tenant, name) => {
          const found = tenant === "a" ? keys[name] : undefined
          return found === undefined
            ? new SecretUnusable({ reason: "absent", message: `secret '${name}' does not exist` })
            : Effect.succeed(new Map(Object.entries(found).map(([key, value]) => [key, Redacted.make(value)])))
        },
        ...{ way: straight, ca: () => undefined, timeoutMillis: 5000, agent: "evald/test" },
        ...given
      })
    )
  )

describe("a message", () => {
  it.scoped("is signed over id, time and body, and sent once to path and query of its address", () =>
    Effect.gen(function* () {
      const { running, seen } = yield* receiver((_, response) => response.writeHead(204).end())
      yield* TestClock.setTime(1_785_571_200_999)
      const sent = yield* send({ url: `${running.url}/hooks/evald?team=a` }, "plain")
      assert.deepStrictEqual(sent, { status: 204 })
      assert.strictEqual(seen.length, 1)
      const [{ url, headers, body } = assert.fail("nothing came")] = seen
      assert.deepStrictEqual(
        [
          url,
          headers["webhook-id"],
          headers["webhook-timestamp"],
          headers["content-type"],
          headers["user-agent"],
          body
        ],
        [
          ...["/hooks/evald?team=a", "job-completed", "1785571200", "application/json", "evald/test"],
          '{"type":"job.completed"}'
        ]
      )
      const wanted = createHmac("sha256", "a key of at least sixteen bytes")
        .update('job-completed.1785571200.{"type":"job.completed"}')
        .digest("base64")
      assert.strictEqual(headers["webhook-signature"], `v1,${wanted}`)
    })
  )

  it.scoped("has the signature of the specification's own example", () =>
    Effect.gen(function* () {
      const { running, seen } = yield* receiver((_, response) => response.writeHead(200).end())
      yield* TestClock.setTime(1_614_265_330_000)
      const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' }
      yield* send(running, "published", {}, message)
      assert.strictEqual(seen[0]?.headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    })
  )

  it.scoped("has two signatures while its key is being changed", () =>
    Effect.gen(function* () {
      const { running, seen } = yield* receiver((_, response) => response.writeHead(200).end())
      yield* send(running, "changing")
      const signatures = String(seen[0]?.headers["webhook-signature"]).split(" ")
      assert.strictEqual(signatures.length, 2)
      assert.strictEqual(new Set(signatures).size, 2)
    })
  )

  it.scoped("follows no redirect and reads no body: a status is all that comes of it", () =>
    Effect.gen(function* () {
      const target = yield* receiver((_, response) => response.writeHead(200).end())
      const { running } = yield* receiver((_, response) =>
        response.writeHead(307, { location: target.running.url }).end()
      )
      assert.deepStrictEqual(yield* send(running, "plain"), { status: 307 })
      assert.isEmpty(target.seen)
      // an answer without an end
      const endless = yield* receiver((_, response) => void response.writeHead(200).write("x".repeat(100_000)))
      assert.deepStrictEqual(yield* send(endless.running, "plain"), { status: 200 })
    })
  )

  it.live("that is not answered in time has a reason in place of a status", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { running } = yield* receiver(() => {})
        const sent = yield* send(running, "plain", { timeoutMillis: 100 })
        assert.match("reason" in sent ? sent.reason : "", /did not answer within 100 ms/)
      })
    )
  )

  it.scoped("is not sent without a key, in plain text, or where the outbound policy forbids it", () =>
    Effect.gen(function* () {
      const { running, seen } = yield* receiver((_, response) => response.writeHead(200).end())
      const why = (secretRef: string, given: Partial<Webhooks.WebhookOptions> = {}) =>
        Effect.map(send(running, secretRef, given), (sent) => ("reason" in sent ? sent.reason : String(sent.status)))
      assert.strictEqual(yield* why("absent"), "secret 'absent' does not exist")
      assert.match(yield* why("other"), /secret 'other' has no 'key'/)
      assert.match(yield* why("short"), /'key' of secret 'short' is shorter than 16 bytes/)
      assert.match(yield* why("plain", { rules: { allowHttp: false } }), /notifications\.allow_http/)
      const egress = { denied: [], allowed: [], hosts: [] }
      assert.match(yield* why("plain", { rules: { allowHttp: true, egress } }), /outbound policy forbids/)
      const named = { ...running, url: running.url.replace("127.0.0.1", "localhost") }
      const sent = yield* send(named, "plain", { rules: { allowHttp: true, egress } })
      assert.match("reason" in sent ? sent.reason : "", /'localhost' leads to .* which the outbound policy forbids/)
      assert.isEmpty(seen)
    })
  )

  it.scoped("goes to a private authority's address when its CA is named, and to no other", () =>
    Effect.gen(function* () {
      const { authority, server } = makeAuthority()
      const certified = { key: server.key, cert: server.certificate }
      const running = yield* Effect.acquireRelease(
        Effect.promise(() =>
          listening(
            createTlsServer(certified, (_, response) => void response.writeHead(200).end()),
            "https"
          )
        ),
        ({ close }) => Effect.promise(close)
      )
      const named = { url: running.url.replace("127.0.0.1", "localhost") }
      const untrusted = yield* send(named, "plain")
      assert.match("reason" in untrusted ? untrusted.reason : "", /notifications\.ca_path/)
      assert.deepStrictEqual(yield* send(named, "plain", { ca: () => authority }), { status: 200 })
    })
  )
})

describe("keys in a folder that a cluster mounts", () => {
  it.scoped("may be read by the group of the pod and by nobody else", () =>
    Effect.gen(function* () {
      const directory = yield* tempDir
      const place = { directory, setting: "notifications.secrets_dir", others: 0o027 }
      mkdirSync(join(directory, "hook"))
      const file = join(directory, "hook", "key")
      writeFileSync(file, "a key of at least sixteen bytes")
      chmodSync(file, 0o440)
      const read = yield* secretIn(place, "hook")
      assert.strictEqual(Redacted.value(read.get("key") ?? Redacted.make("")), "a key of at least sixteen bytes")
      chmodSync(file, 0o444)
      const refused = yield* Effect.flip(secretIn(place, "hook"))
      assert.match(refused.message, /below notifications\.secrets_dir can be read or changed by other users/)
      assert.strictEqual((yield* Effect.flip(secretIn(place, "../hook"))).reason, "absent")
    })
  )
})
