/** R2: events of this pod's benchmark, kept safe and relayed to the server. Reference: gateway.md, "Event spool". */
import { Either } from "effect"
import { Fault } from "../gateway/fault.ts"
import { type Caller, type Exchange, refuse } from "../gateway/proxy.ts"
import { readBody } from "../gateway/read-body.ts"
import type { Witness } from "../gateway/witness/witness.ts"
import { type EventIdentity, readEventBody, withWireCounts } from "./event-body.ts"
import type { Relay } from "./event-relay.ts"

export interface EventRoute {
  readonly identity: EventIdentity
  readonly relay: Relay
  /** goes along with the terminal event */
  readonly witness: Witness
  readonly onExchange: (exchange: Exchange) => void
}

const route = "events"
const maxEvent = 10 * 1024 * 1024

export const toEvents = (caller: Caller, events: EventRoute): void => {
  const { request, response } = caller
  const started = performance.now()
  if (caller.expectsContinue) response.writeContinue()
  const answer = (status: number, body: string, contentType: string, bytesIn: number) => {
    if (!response.destroyed) {
      response.writeHead(status, {
        "content-type": contentType,
        "content-length": String(Buffer.byteLength(body)),
        "x-request-id": caller.trace
      })
      response.end(body)
    }
    const bytesOut = Buffer.byteLength(body)
    events.onExchange({
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
    const body = await readBody(request, maxEvent)
    const read = readEventBody(body, events.identity)
    if (Either.isLeft(read)) throw read.left
    const { bytes, terminal } = read.right
    const outcome = await events.relay.accept(
      terminal ? withWireCounts(bytes, await events.witness.counts()) : bytes,
      terminal
    )
    if (outcome._tag === "Refused") throw new Fault(503, "spool_unavailable", outcome.reason, { "retry-after": "5" })
    if (outcome._tag === "Answered") answer(outcome.status, outcome.body, outcome.contentType, body.length)
    else answer(202, JSON.stringify({ queued: true, position: outcome.position }), "application/json", body.length)
  }
  work().catch((error: unknown) =>
    refuse(
      caller,
      route,
      error instanceof Fault ? error : new Fault(503, "spool_unavailable", "the event could not be kept"),
      events
    )
  )
}
