/** The span of one request: named by the route's pattern, continuing the caller's trace. Paths and queries may hold secrets and stay out. */
import * as Headers from "@effect/platform/Headers"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { Effect, FiberRef, Option } from "effect"
import type { Exchange, Outcome } from "./exchange.ts"

const statusOf = ({ answer }: Outcome, { sink }: Exchange): number =>
  answer === "answered" ? sink.statusCode : answer.status

const parentOf = ({ headers }: Exchange) => {
  const traceparent = headers["traceparent"]
  return typeof traceparent === "string"
    ? HttpTraceContext.w3c(Headers.unsafeFromRecord({ traceparent }))
    : Option.none()
}

const spanned = <R>(
  exchange: Exchange,
  route: string,
  work: Effect.Effect<Outcome, never, R>
): Effect.Effect<Outcome, never, R> => {
  const { method, trace } = exchange
  const parent = Option.getOrUndefined(parentOf(exchange))
  const ended = Effect.tap(work, (outcome) => {
    const status = statusOf(outcome, exchange)
    return Effect.annotateCurrentSpan({
      "http.response.status_code": status,
      ...(status < 500 ? {} : { "error.type": String(status) })
    })
  })
  return Effect.withSpan(ended, `${method} ${route}`, {
    kind: "server",
    captureStackTrace: false,
    ...(parent === undefined ? { root: true } : { parent }),
    attributes: { "http.request.method": method, "http.route": route, "evald.request.id": trace }
  })
}

/** costs one look when nobody traces */
export const withRequestSpan = <R>(
  exchange: Exchange,
  route: string,
  work: Effect.Effect<Outcome, never, R>
): Effect.Effect<Outcome, never, R> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (enabled) =>
    enabled ? spanned(exchange, route, work) : work
  )
