/** Addresses of jobs over HTTP: what is taken, what is refused with its place, what is shown of what was sent, and a message for trial. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Notifier, type OutgoingMessage } from "../../../../../application/ports/notifier.ts"
import { NotificationStore } from "../../../../../application/ports/stores/notification-store.ts"
import { TaskQueue } from "../../../../../application/ports/task-queue.ts"
import { layer as app, at, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const testPath = "/api/v1/evaluations/notifications/test"
const own = { url: "https://hooks.example.com/evald", events: ["completed", "decided"], secret_ref: "hook-key" }
const tenantUrl = "https://internal.example.com/very-secret-path"

const messages: Array<OutgoingMessage> = []
const notifier = Layer.succeed(Notifier, {
  rules: { allowHttp: false },
  ofTenant: (tenant) =>
    tenant === "default" ? [{ url: tenantUrl, events: ["failed" as const], secretRef: "operators-key" }] : [],
  send: (_tenant, { url }, message) =>
    Effect.sync(() => {
      messages.push(message)
      return url.endsWith("/away") ? { reason: "no answer from 'hooks.example.com': ECONNREFUSED" } : { status: 204 }
    })
})

const submitted = (given: object = {}, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("POST", jobsPath, { body: jobBody({ ...given }), headers }))
const sentOf = (id: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", `${jobsPath}/${id}/notifications`, { headers }))
const waiting = Effect.flatMap(TaskQueue, (queue) =>
  Effect.map(queue.stats, (all) => all.find(({ kind }) => kind === "notify")?.waiting ?? 0)
)

layer(app({ notifier }), live)("notifications over HTTP", (it) => {
  it.effect("are kept with the job and shown; addresses of the tenant are told and shown to nobody", () =>
    Effect.gen(function* () {
      const before = yield* waiting
      const made = yield* submitted({ notifications: [own] })
      assert.deepStrictEqual(at(made.json, "notifications"), [own])
      assert.strictEqual(yield* waiting, before + 1)
      const listed = yield* sentOf(idOf(made))
      assert.deepStrictEqual([listed.status, listed.headers["cache-control"]], [200, "no-store"])
      assert.deepStrictEqual(at(listed.json, "items"), [
        { source: "job", target: 0, url: own.url, event: "completed", state: "pending", attempts: 0 },
        { source: "job", target: 0, url: own.url, event: "decided", state: "pending", attempts: 0 },
        { source: "tenant", target: 0, event: "failed", state: "pending", attempts: 0 }
      ])
      for (const { text } of [made, listed]) assert.notInclude(text, "internal.example.com")
    })
  )

  it.effect("show the fate of each message", () =>
    Effect.gen(function* () {
      const id = idOf(yield* submitted({ notifications: [own] }))
      yield* (yield* NotificationStore).put({
        ...{
          tenant: "default",
          jobId: id,
          source: "job",
          target: 0,
          event: "completed",
          state: "waiting",
          attempts: 2
        },
        ...{ firstAt: "2026-01-01T00:00:00.000Z", lastAt: "2026-01-01T00:00:05.000Z" },
        ...{ nextAt: "2026-01-01T00:00:15.000Z", status: 503 }
      })
      assert.deepInclude(at((yield* sentOf(id)).json, "items.0"), {
        ...{ state: "waiting", attempts: 2, last_status: 503 },
        ...{ first_attempt_at: "2026-01-01T00:00:00.000Z", last_attempt_at: "2026-01-01T00:00:05.000Z" },
        next_attempt_at: "2026-01-01T00:00:15.000Z"
      })
    })
  )

  it.effect("a job that nobody is to be told of has no task and nothing to list", () =>
    Effect.gen(function* () {
      const elsewhere = { "x-tenant": "other" }
      const before = yield* waiting
      const made = yield* submitted({}, elsewhere)
      assert.strictEqual(yield* waiting, before)
      assert.deepStrictEqual(at((yield* sentOf(idOf(made), elsewhere)).json, "items"), [])
      const foreign = yield* sentOf(idOf(made))
      assert.deepStrictEqual([foreign.status, foreign.code], [404, "resource_not_found"])
    })
  )

  it.effect("are refused with the place of each problem", () =>
    Effect.gen(function* () {
      const refused = yield* submitted({
        notifications: [
          own,
          { ...own, url: "http://hooks.example.com" },
          { ...own, events: [] },
          { ...own, secret_ref: "No" }
        ]
      })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        (at(refused.json, "errors") as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
        ["/notifications/2/events", "/notifications/3/secret_ref", "/notifications/1/url"]
      )
      const unknown = yield* submitted({ notifications: [{ ...own, events: ["finished"] }] })
      assert.match(unknown.text, /'completed'.*'decided'/)
    })
  )

  it.effect("one is sent for trial at once and says what came of it", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const tried = (url: string) => http.send("POST", testPath, { body: { url, secret_ref: "hook-key" } })
      messages.length = 0
      const good = yield* tried(own.url)
      assert.deepStrictEqual([good.status, at(good.json, "delivered"), at(good.json, "status")], [200, true, 204])
      assert.strictEqual((JSON.parse(messages[0]?.body ?? "{}") as { readonly type: string }).type, "test")
      assert.strictEqual(at(good.json, "id"), messages[0]?.id)
      const away = yield* tried(`${own.url}/away`)
      assert.deepStrictEqual([away.status, at(away.json, "delivered")], [200, false])
      assert.match(String(at(away.json, "reason")), /ECONNREFUSED/)
      const wrong = yield* tried("http://hooks.example.com")
      assert.deepStrictEqual([wrong.status, at(wrong.json, "errors.0.path")], [400, "/url"])
      assert.strictEqual(messages.length, 2)
    })
  )
})

const none = Layer.succeed(Notifier, undefined)

layer(app({ notifier: none }), live)("notifications of a server without keys", (it) => {
  it.effect("are refused with the setting that is missing", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const refused = yield* submitted({ notifications: [own] })
      const trial = yield* http.send("POST", testPath, { body: { url: own.url, secret_ref: "hook-key" } })
      for (const { status, text } of [refused, trial]) {
        assert.strictEqual(status, 400)
        assert.match(text, /notifications\.secrets_dir/)
      }
    })
  )
})
