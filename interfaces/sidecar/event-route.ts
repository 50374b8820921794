/** R2: events of this pod's benchmark, kept safe and relayed to the server. Reference: gateway.md, "Event spool". */
import { Either } from "effect"
import type { Caller, Exchange } from "../gateway/proxy.ts"
import type { Witness } from "../gateway/witness/witness.ts"
import { type EventIdentity, readEventBody, withWireCounts } from "./event-body.ts"
import type { Relay } from "./event-relay.ts"
import { toRelay } from "./relay-route.ts"

export interface EventRoute {
  readonly identity: EventIdentity
  readonly relay: Relay
  /** goes along with the terminal event */
  readonly witness: Witness
  readonly onExchange: (exchange: Exchange) => void
}

const maxEvent = 10 * 1024 * 1024

export const toEvents = (caller: Caller, { identity, relay, witness, onExchange }: EventRoute): void =>
  toRelay(caller, {
    route: "events",
    maxBytes: maxEvent,
    accept: async (body) => {
      const read = readEventBody(body, identity)
      if (Either.isLeft(read)) throw read.left
      const { bytes, terminal } = read.right
      return relay.accept(terminal ? withWireCounts(bytes, await witness.counts()) : bytes, terminal)
    },
    notKept: "the event could not be kept",
    onExchange
  })
