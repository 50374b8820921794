/** One request to the tracking server: token read at each call, a limit on the time and the answer. Answers may be text or HTML. */

import { Effect, Either, Redacted, type Scope } from "effect"
import { Unavailable } from "../../application/errors.ts"
import { prefixUpstream } from "../../domain/credentials/upstream.ts"
import { straight, type WayOut } from "../../domain/proxies.ts"
import { defined } from "../../values/defined.ts"
import { parseJson } from "../../values/json.ts"
import { ask } from "../outbound/ask.ts"
import { makeConnections } from "../outbound/connections.ts"
import { OutboundError } from "../outbound/outbound-error.ts"
import { trackerPeer } from "../outbound/tracker-peer.ts"

export interface TrackerConnection {
  /** setting `tracker.tracking_uri` */
  readonly uri: string
  /** read at every call, so that a renewed token is used at once */
  readonly token: () => Redacted.Redacted | undefined
  /** PEM beside the system's roots, read at every call */
  readonly ca: () => string | undefined
  readonly insecure: boolean
  readonly timeoutMillis: number
  /** default: no proxy */
  readonly way?: WayOut
}

export interface TrackerAnswer {
  readonly status: number
  /** parsed body; undefined when it is not JSON */
  readonly json: unknown
}

export interface TrackerCall {
  readonly method: "GET" | "POST"
  /** path and query below the server's base path */
  readonly path: string
  readonly body?: unknown
  readonly workspace?: string | undefined
}

/** whether a failed call found a tracking server whose certificate is not trusted, or a CA file that can not be used */
export const isUntrusted = ({ cause }: Unavailable): boolean => cause instanceof OutboundError && cause.reason === "tls"

const maxAnswerBytes = 4 * 1024 * 1024
/** calls at once; more wait for one another */
const maxPerOrigin = 64

export type Exchange = (operation: string, call: TrackerCall) => Effect.Effect<TrackerAnswer, Unavailable>

/** its calls fail only when no answer came; every status is an answer */
export const makeExchange = (connection: TrackerConnection): Effect.Effect<Exchange, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        makeConnections({
          peer: trackerPeer,
          connectMillis: connection.timeoutMillis,
          trust: () => ({ ca: connection.ca(), unverified: connection.insecure }),
          egress: undefined,
          way: connection.way ?? straight,
          maxPerOrigin,
          maxQueued: Number.POSITIVE_INFINITY
        })
      ),
      ({ close }) => Effect.sync(close)
    ),
    (connections) => (operation, call) => {
      const failed = (cause: unknown) => new Unavailable({ peer: "tracker", operation, cause })
      const read = prefixUpstream(connection.uri)
      if (Either.isLeft(read)) return Effect.fail(failed(`tracker.tracking_uri ${read.left}`))
      const upstream = read.right
      const token = connection.token()
      return Effect.tryPromise({
        try: (signal) =>
          ask({
            connections,
            upstream,
            method: call.method,
            path: upstream.basePath + call.path,
            headers: {
              accept: "application/json",
              ...(call.body === undefined ? {} : { "content-type": "application/json" }),
              ...(token === undefined ? {} : { authorization: `Bearer ${Redacted.value(token)}` }),
              ...defined({ "x-mlflow-workspace": call.workspace })
            },
            ...(call.body === undefined ? {} : { body: Buffer.from(JSON.stringify(call.body), "utf8") }),
            timeoutMillis: connection.timeoutMillis,
            maxBytes: maxAnswerBytes,
            signal
          }),
        catch: failed
      }).pipe(Effect.map(({ status, body }) => ({ status, json: parseJson(body) })))
    }
  )
