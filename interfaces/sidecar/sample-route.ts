/** Sample records of this pod's benchmark: kept on disk and relayed to the server, in a queue of their own beside the events'. Reference: gateway.md, "Event spool". */
import { dirname, join } from "node:path"
import { Fault } from "../gateway/fault.ts"
import { type Caller, type Exchange, refuse } from "../gateway/proxy.ts"
import { readBody } from "../gateway/read-body.ts"
import { makeRelay, type Relay, type RelayOptions } from "./event-relay.ts"
import { openSpool } from "./event-spool.ts"

const route = "samples"
/** of one call, as the server takes it */
const maxBytes = 4 * 1024 * 1024
/** calls that wait; the sender keeps what comes beyond them in its files */
const maxWaiting = 16

export const samplesFolder = (spoolDir: string): string => join(dirname(spoolDir), "samples")

export interface SampleRelay {
  readonly accept: (body: Buffer) => ReturnType<Relay["accept"]>
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
  return {
    accept: (body) =>
      relay.pending() >= maxWaiting
        ? Promise.resolve({ _tag: "Refused", reason: `${maxWaiting} calls with samples wait for the server already` })
        : relay.accept(body, true),
    pending: relay.pending,
    flush: relay.flush,
    stop: relay.stop
  }
}

export const toSamples = (caller: Caller, relay: SampleRelay, onExchange: (exchange: Exchange) => void): void => {
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
    const durationMillis = performance.now() - started
    onExchange({
      route,
      method: "POST",
      status,
      bytesIn,
      bytesOut,
      ttfbMillis: undefined,
      durationMillis,
      aborted: response.destroyed
    })
  }
  const work = async () => {
    const body = await readBody(request, maxBytes)
    const outcome = await relay.accept(body)
    if (outcome._tag === "Refused") throw new Fault(503, "spool_unavailable", outcome.reason, { "retry-after": "5" })
    if (outcome._tag === "Answered") answer(outcome.status, outcome.body, outcome.contentType, body.length)
    else answer(202, JSON.stringify({ queued: true, position: outcome.position }), "application/json", body.length)
  }
  work().catch((error: unknown) =>
    refuse(
      caller,
      route,
      error instanceof Fault ? error : new Fault(503, "spool_unavailable", "the samples could not be kept"),
      { onExchange }
    )
  )
}
