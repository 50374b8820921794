/** What the adapter sends for the server: taken whole, kept by a relay, answered when it is safe. Reference: gateway.md, "Event spool". */
import { Fault } from "../gateway/fault.ts"
import { type Caller, type Exchange, refuse } from "../gateway/proxy.ts"
import { readBody } from "../gateway/read-body.ts"
import type { Outcome } from "./event-queue.ts"

export interface RelayRoute {
  /** its label in metrics */
  readonly route: string
  readonly maxBytes: number
  /** hands a body to the relay; may fail with a `Fault` */
  readonly accept: (body: Buffer) => Promise<Outcome>
  /** the sentence for a failure that is no `Fault` */
  readonly notKept: string
  readonly onExchange: (exchange: Exchange) => void
}

/** 202 for what waits, the server's own answer where it came in time, 503 for what could not be kept */
export const toRelay = (caller: Caller, { route, maxBytes, accept, notKept, onExchange }: RelayRoute): void => {
  const { request, response } = caller
  const started = performance.now()
  if (caller.expectsContinue) response.writeContinue()
  const answer = (status: number, body: string, contentType: string, bytesIn: number) => {
    const bytesOut = Buffer.byteLength(body)
    if (!response.destroyed) {
      response.writeHead(status, {
        "content-type": contentType,
        "content-length": String(bytesOut),
        "x-request-id": caller.trace
      })
      response.end(body)
    }
    onExchange({
      route,
      method: "POST",
      status,
      bytesIn,
      bytesOut,
      ttfbMillis: undefined,
      durationMillis: performance.now() - started,
      aborted: response.destroyed
    })
  }
  const work = async () => {
    const body = await readBody(request, maxBytes)
    const outcome = await accept(body)
    if (outcome._tag === "Refused") throw new Fault(503, "spool_unavailable", outcome.reason, { "retry-after": "5" })
    if (outcome._tag === "Answered") answer(outcome.status, outcome.body, outcome.contentType, body.length)
    else answer(202, JSON.stringify({ queued: true, position: outcome.position }), "application/json", body.length)
  }
  work().catch((error: unknown) =>
    refuse(caller, route, error instanceof Fault ? error : new Fault(503, "spool_unavailable", notKept), { onExchange })
  )
}
