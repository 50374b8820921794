/** Handlers of the routes about the service itself. Reference: api.md, "Service routes". */
import { DateTime, Effect } from "effect"
import { JobStore } from "../../../application/ports/job-store.ts"
import { Runtime } from "../../../application/ports/runtime.ts"
import type { OpenHandler, OpenHandlers } from "../dispatch.ts"
import { docsPage } from "../docs-page.ts"
import { readNothing } from "../dto/list-queries.ts"
import { errorAnswer, routeNotFound } from "../error-response.ts"
import { json } from "../exchange.ts"
import { Metrics } from "../metrics.ts"
import * as Accept from "../middleware/accept.ts"
import { isCurrent } from "../middleware/conditional.ts"
import { openApi } from "../openapi.ts"
import { Dependencies, type Dependency } from "../readiness.ts"
import { HttpSettings } from "../services.ts"
import { acceptsJson } from "./read-request.ts"

const uncached = { "cache-control": "no-store" }

const health: OpenHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const { build } = yield* HttpSettings
    return json({ status: "healthy", timestamp: DateTime.formatIso(yield* DateTime.now), build: build.version, git_hash: build.gitHash }, uncached)
  })

const ask = ({ name, required, check }: Dependency) =>
  check.pipe(
    // a statement of the database cannot be interrupted: it is left to its end
    Effect.disconnect,
    Effect.timeoutFail({ duration: "2 seconds", onTimeout: () => "does not answer within 2 seconds" }),
    Effect.match({
      onFailure: (detail) => ({ required, shown: { name, ok: false, detail } }),
      onSuccess: () => ({ required, shown: { name, ok: true } })
    })
  )

const ready: OpenHandler = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    yield* readNothing(request.search)
    const store = yield* JobStore
    const runtime = yield* Runtime
    const own: ReadonlyArray<Dependency> = [
      { name: "database", required: true, check: Effect.mapError(store.ping, ({ reason }) => reason ?? "does not answer") },
      {
        name: runtime.kind === "cluster" ? "cluster" : "local_runtime",
        required: runtime.kind === "cluster",
        check: Effect.mapError(runtime.ping, () => "does not answer")
      }
    ]
    const asked = yield* Effect.forEach([...own, ...(yield* Dependencies)], ask, { concurrency: "unbounded" })
    const ok = asked.every(({ required, shown }) => shown.ok || !required)
    const body = { status: ok ? "ready" : "not_ready", timestamp: DateTime.formatIso(yield* DateTime.now), dependencies: asked.map(({ shown }) => shown) }
    return json(body, ok ? uncached : { ...uncached, "retry-after": "2" }, ok ? 200 : 503)
  })

const openapi: OpenHandler = ({ headers, search }) =>
  Effect.gen(function* () {
    const type = yield* Accept.choose(headers.accept, ["application/yaml", "application/json", "application/x-yaml", "text/yaml", "text/plain"])
    yield* readNothing(search)
    const { jsonText, yamlText, etag } = openApi()
    const asJson = type === "application/json"
    const tag = asJson ? etag.json : etag.yaml
    const more = { etag: tag, vary: "accept", "cache-control": "no-cache" }
    if (isCurrent(headers, tag)) return { status: 304, headers: more }
    return { status: 200, headers: { "content-type": type, ...more }, body: asJson ? jsonText : yamlText }
  })

const docs: OpenHandler = ({ headers, search }) =>
  Effect.gen(function* () {
    yield* Accept.choose(headers.accept, ["text/html"])
    yield* readNothing(search)
    const { html, etag, policy } = yield* docsPage
    const more = { etag, "cache-control": "no-cache", "content-security-policy": policy }
    return isCurrent(headers, etag)
      ? { status: 304, headers: more }
      : { status: 200, headers: { "content-type": "text/html; charset=utf-8", ...more }, body: html }
  })

const metrics: OpenHandler = ({ search, trace }) =>
  Effect.gen(function* () {
    const { metricsEnabled } = yield* HttpSettings
    if (!metricsEnabled) return errorAnswer(routeNotFound, trace)
    yield* readNothing(search)
    const { contentType, text } = yield* Metrics
    return { status: 200, headers: { "content-type": contentType, ...uncached }, body: yield* text }
  })

export const handlers: OpenHandlers = { health, healthAlias: health, ready, openapi, docs, metrics }
