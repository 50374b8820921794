/** R2: events of this pod's benchmark, kept safe and relayed to the server. Reference: gateway.md, "Event spool". */
import { Either } from "effect"
import type { Caller, Exchange } from "../gateway/proxy.ts"
import { type EventIdentity, readEventBody } from "./event-body.ts"
import type { Relay } from "./event-relay.ts"
import { toRelay } from "./relay-route.ts"
import type { SpentReport } from "./spent-report.ts"

export interface EventRoute {
  readonly identity: EventIdentity
  readonly relay: Relay
  readonly report: SpentReport
  readonly onExchange: (exchange: Exchange) => void
}

const maxEvent = 10 * 1024 * 1024

export const toEvents = (caller: Caller, { identity, relay, report, onExchange }: EventRoute): void =>
  toRelay(caller, {
    route: "events",
    maxBytes: maxEvent,
    accept: async (body) => {
      const read = readEventBody(body, identity)
      if (Either.isLeft(read)) throw read.left
      return relay.accept(await report.beside(read.right), read.right.terminal)
    },
    notKept: "the event could not be kept",
    onExchange
  })
