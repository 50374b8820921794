/** The audit log over HTTP: every write of callers with what came of it, nothing else, and nothing done that could not be put down. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schedule } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import { type AuditEntry, AuditLog } from "../../../../../application/ports/stores/audit-log.ts"
import { checkChain } from "../../../../../infrastructure/audit/chain.ts"
import { layer as app, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"
import { sqliteMemory } from "../../../../support/storage.ts"

const live = { excludeTestServices: true } as const

/** outcomes are written after the answer */
const entries = (count: number) =>
  Effect.gen(function* () {
    const links = yield* (yield* AuditLog).after(0, 1000)
    return links.map(({ entry }) => JSON.parse(entry) as AuditEntry)
  }).pipe(
    Effect.filterOrFail((all) => all.length >= count),
    Effect.retry(Schedule.spaced("5 millis").pipe(Schedule.intersect(Schedule.recurs(400)))),
    Effect.orDie
  )

layer(app({ server: { audit: true } }), live)("the audit log", (it) => {
  it.effect(
    "has who asked for what, and what was answered, in one chain; reads and reports of adapters are not in it",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const headers = { "x-tenant": "a" }
        const made = yield* http.send("POST", `${jobsPath}?dry_run=false`, { headers, body: jobBody() })
        const id = idOf(made)
        yield* http.send("GET", `${jobsPath}/${id}`, { headers })
        yield* http.send("POST", `${jobsPath}/${id}/events`, { headers, body: eventBody() })
        yield* http.send("POST", jobsPath, { headers, body: "{" })
        yield* http.send("DELETE", `${jobsPath}/none`, { headers })
        const all = yield* entries(6)
        const asked = all.filter(({ phase }) => phase === "asked")
        assert.deepStrictEqual(
          asked.map((entry) => (entry.phase === "asked" ? [entry.tenant, entry.method, entry.path] : [])),
          [
            ["a", "POST", `${jobsPath}?dry_run=false`],
            ["a", "POST", jobsPath],
            ["a", "DELETE", `${jobsPath}/none`]
          ]
        )
        assert.deepStrictEqual(
          asked.map(({ trace }) => {
            const answer = all.find((entry) => entry.phase === "answered" && entry.trace === trace)
            return answer?.phase === "answered" ? [answer.status, answer.location] : []
          }),
          [
            [202, `${jobsPath}/${id}`],
            [400, undefined],
            [404, undefined]
          ]
        )
        assert.strictEqual(asked[0]?.trace, made.headers["x-request-id"])
        assert.isUndefined((yield* checkChain(yield* AuditLog)).problem)
      })
  )
})

layer(app(), live)("a server without an audit log", (it) => {
  it.effect("puts nothing down", () =>
    Effect.gen(function* () {
      yield* (yield* HttpApp).send("POST", jobsPath, { body: jobBody() })
      assert.deepStrictEqual(yield* (yield* AuditLog).after(0, 10), [])
    })
  )
})

const full = Layer.effect(
  AuditLog,
  Effect.map(Ref.make(0), () =>
    AuditLog.of({
      append: () => new Unavailable({ peer: "database", operation: "appendAudit" }),
      after: () => Effect.succeed([]),
      head: Effect.succeed({ sequence: 0, hash: "" })
    })
  )
)

layer(app({ server: { audit: true }, storage: Layer.provideMerge(full, sqliteMemory) }), live)(
  "an audit log that cannot be written",
  (it) => {
    it.effect("a write that cannot be put down is 503 and not done; reads go on", () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const refused = yield* http.send("POST", jobsPath, { body: jobBody() })
        assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [503, "2"])
        const list = yield* http.send("GET", jobsPath)
        assert.deepStrictEqual([list.status, (list.json as { total_count?: number }).total_count], [200, 0])
      })
    )
  }
)
