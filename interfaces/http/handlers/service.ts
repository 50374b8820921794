/** Handlers of the routes about the service itself. Reference: api.md, "Service routes". */

import { Effect } from "effect"
import { isoNow } from "../../../application/iso-now.ts"
import { Runtime } from "../../../application/ports/runtime.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { Readiness } from "../dto/health.ts"
import { readNothing } from "../dto/list-queries.ts"
import { errorAnswer, routeNotFound } from "../error-response.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { Metrics } from "../metrics/metrics.ts"
import * as Accept from "../middleware/accept.ts"
import { isCurrent } from "../middleware/conditional.ts"
import { docsPage } from "../openapi/docs-page.ts"
import { openApi } from "../openapi/openapi.ts"
import { Dependencies, type Dependency } from "../readiness.ts"
import { HttpSettings } from "../services.ts"
import { acceptsJson, readQuery } from "./read-request.ts"

const uncached = { "cache-control": "no-store" }

export const health: Handler<"health" | "healthAlias"> = (request) =>
  Effect.gen(function* () {
    yield* acceptsJson(request)
    const { build } = yield* HttpSettings
    return json(
      {
        status: "healthy",
        timestamp: yield* isoNow,
        build: build.version,
        git_hash: build.gitHash
      },
      uncached
    )
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

export const ready: Handler<"ready"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const store = yield* JobStore
    const runtime = yield* Runtime
    const own: ReadonlyArray<Dependency> = [
      {
        name: "database",
        required: true,
        check: Effect.mapError(store.ping, ({ reason }) => reason ?? "does not answer")
      },
      {
        name: runtime.kind === "cluster" ? "cluster" : "local_runtime",
        required: runtime.kind === "cluster",
        check: Effect.mapError(runtime.ping, () => "does not answer")
      }
    ]
    const asked = yield* Effect.forEach([...own, ...(yield* Dependencies)], ask, { concurrency: "unbounded" })
    const ok = asked.every(({ required, shown }) => shown.ok || !required)
    const body: typeof Readiness.Type = {
      status: ok ? "ready" : "not_ready",
      timestamp: yield* isoNow,
      dependencies: asked.map(({ shown }) => shown)
    }
    return json(body, ok ? uncached : { ...uncached, "retry-after": "2" }, ok ? 200 : 503)
  })

export const openapi: Handler<"openapi"> = ({ headers, search }) =>
  Effect.gen(function* () {
    const type = yield* Accept.choose(headers.accept, [
      "application/yaml",
      "application/json",
      "application/x-yaml",
      "text/yaml",
      "text/plain"
    ])
    yield* readNothing(search)
    const { bytes, etag } = openApi()
    const asJson = type === "application/json"
    const tag = asJson ? etag.json : etag.yaml
    const more = { etag: tag, vary: "accept", "cache-control": "no-cache" }
    if (isCurrent(headers, tag)) return { status: 304, headers: more }
    return { status: 200, headers: { "content-type": type, ...more }, body: asJson ? bytes.json : bytes.yaml }
  })

export const docs: Handler<"docs"> = (request) =>
  Effect.gen(function* () {
    const { headers } = request
    yield* readQuery(request)
    const { html, etag, policy } = yield* docsPage
    const more = { etag, "cache-control": "no-cache", "content-security-policy": policy }
    return isCurrent(headers, etag)
      ? { status: 304, headers: more }
      : { status: 200, headers: { "content-type": "text/html; charset=utf-8", ...more }, body: html }
  })

export const metrics: Handler<"metrics"> = ({ search, trace }) =>
  Effect.gen(function* () {
    const { metricsEnabled } = yield* HttpSettings
    if (!metricsEnabled) return errorAnswer(routeNotFound, trace)
    yield* readNothing(search)
    const { contentType, text } = yield* Metrics
    return { status: 200, headers: { "content-type": contentType, ...uncached }, body: yield* text }
  })
