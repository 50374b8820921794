/** Sample records of this pod's benchmark: kept on disk and relayed to the server, in a queue of their own beside the events'. Reference: gateway.md, "Event spool". */
import { dirname, join } from "node:path"
import type { Caller, Exchange } from "../gateway/proxy.ts"
import { makeRelay, type Relay, type RelayOptions } from "./event-relay.ts"
import { openSpool } from "./event-spool.ts"
import { toRelay } from "./relay-route.ts"

/** of one call, as the server takes it */
const maxBytes = 4 * 1024 * 1024
/** calls that wait; the sender keeps what comes beyond them in its files */
const maxWaiting = 16

const samplesFolder = (spoolDir: string): string => join(dirname(spoolDir), "samples")

export interface SampleRelay {
  readonly accept: (body: Buffer) => ReturnType<Relay["accept"]>
  /** bytes of the calls that were taken from the adapter */
  readonly taken: () => number
  readonly pending: Relay["pending"]
  readonly flush: Relay["flush"]
  readonly stop: Relay["stop"]
}

/** unlike progress events, records never make room for later ones: a full spool refuses */
export const makeSampleRelay = async (
  spoolDir: string,
  options: Omit<RelayOptions, "spool" | "limits" | "onTerminalDelivered">
): Promise<SampleRelay> => {
  const spool = await openSpool(samplesFolder(spoolDir), () => ({ terminal: true }))
  const relay = makeRelay({
    ...options,
    spool,
    limits: { maxFiles: maxWaiting, maxBytes: maxWaiting * maxBytes },
    onTerminalDelivered: () => {}
  })
  let taken = 0
  return {
    accept: async (body) => {
      if (relay.pending() >= maxWaiting)
        return { _tag: "Refused", reason: `${maxWaiting} calls with samples wait for the server already` }
      const outcome = await relay.accept(body, true)
      if (outcome._tag === "Queued" || (outcome._tag === "Answered" && outcome.status < 300)) taken += body.length
      return outcome
    },
    taken: () => taken,
    pending: relay.pending,
    flush: relay.flush,
    stop: relay.stop
  }
}

export const toSamples = (caller: Caller, relay: SampleRelay, onExchange: (exchange: Exchange) => void): void =>
  toRelay(caller, {
    route: "samples",
    maxBytes,
    accept: relay.accept,
    notKept: "the samples could not be kept",
    onExchange
  })
