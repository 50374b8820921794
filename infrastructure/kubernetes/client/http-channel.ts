/**
 * One HTTP/1.1 exchange with the API server over kept-alive connections: adds who asks, repeats a 401 once with a credential that was
 * fetched again, and turns every failure into a `KubeError`. Reference: cluster-objects.md, "Launching".
 */
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest, type RequestOptions } from "node:https"
import { Effect, Redacted, type Scope, Stream } from "effect"
import { type Destination, straight } from "../../../domain/proxies.ts"
import { parseJson } from "../../../values/json.ts"
import { makeConnections } from "../../outbound/connections.ts"
import { OutboundError, type Peer } from "../../outbound/outbound-error.ts"
import type { Trust } from "../../outbound/trust.ts"
import type { Access, KubeConnection, KubeTls } from "./connection.ts"
import { type KubeError, noAnswer, nothingYet, refusal } from "./kube-error.ts"

export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** path with query */
  readonly path: string
  readonly accept?: string
  /** sent as JSON */
  readonly body?: unknown
  /** default `application/json` */
  readonly contentType?: string
}

export interface HttpChannel {
  /** the parsed body of an answer below 300; anything else fails. Reviews have connections of their own. */
  readonly json: (exchange: Exchange, pool?: "reviews") => Effect.Effect<unknown, KubeError>
  /** the body of a 200 as it comes; the connection is cut when the stream ends early. 204, as for the log of a pod that no node has taken, fails as `not_found` */
  readonly chunks: (exchange: Exchange) => Effect.Effect<Stream.Stream<Uint8Array, KubeError>, KubeError>
}

/** an answer larger than this is no answer of an API server */
const maxAnswerBytes = 268_435_456
const socketsAtOnce = 48
const idleSockets = 16
const connectMillis = 30_000
const peer: Peer = { name: "the cluster", remedy: "its CA comes from the service account or the kubeconfig" }

const operationOf = ({ method, path }: Exchange): string => `${method} ${path.split("?", 1)[0]}`

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "the connection failed"

/** with each request, so that a certificate that changed is a connection of its own; a cluster's own CA is the only one that vouches for it */
const trustOf = ({ ca, cert, key, serverName, skipVerify }: KubeTls): Trust => ({
  ca,
  onlyCa: true,
  cert,
  key,
  serverName,
  unverified: skipVerify === true
})

/** the same for the agent of a kubeconfig's `proxy-url`, which opens its TLS itself */
const tlsOptions = ({ ca, cert, key, serverName, skipVerify }: KubeTls) => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  ...(serverName === undefined ? {} : { servername: serverName }),
  rejectUnauthorized: skipVerify !== true
})

/** the whole body as text */
const collect = (operation: string, response: IncomingMessage): Effect.Effect<string, KubeError> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let ended = false
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) response.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`))
      else chunks.push(chunk)
    })
    response.once("end", () => {
      ended = true
      resume(Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    })
    response.on("error", (error) => resume(Effect.fail(noAnswer(operation, reasonOf(error)))))
    response.once("close", () => {
      if (!ended) resume(Effect.fail(noAnswer(operation, "the answer was cut short")))
    })
    return Effect.sync(() => response.destroy())
  })

/** cuts an answer whose reader failed or was interrupted: unread it would keep its connection */
const orCut = <A>(response: IncomingMessage, reading: Effect.Effect<A, KubeError>): Effect.Effect<A, KubeError> =>
  Effect.onError(reading, () =>
    Effect.sync(() => {
      if (!response.readableEnded) response.destroy()
    })
  )

/** a reader that has not begun by then never will */
const patience = "10 seconds"

/** what has arrived, at the reader's pace; `begun` is told once somebody reads */
const incoming = (
  operation: string,
  response: IncomingMessage,
  begun: () => void
): Stream.Stream<Uint8Array, KubeError> => {
  let failure: Error | undefined
  response.on("error", (error) => {
    failure = error
  })
  const pull = Effect.async<Uint8Array, KubeError | undefined>((resume) => {
    const look = () => {
      const chunk: Buffer | null = response.read()
      if (chunk !== null) return settle(Effect.succeed(new Uint8Array(chunk)))
      if (response.readableEnded) return settle(Effect.fail(undefined))
      if (failure !== undefined || response.destroyed)
        settle(Effect.fail(noAnswer(operation, failure === undefined ? "the answer was cut short" : reasonOf(failure))))
    }
    const names = ["readable", "end", "error", "close"] as const
    const stop = () => {
      for (const name of names) response.off(name, look)
    }
    const settle = (result: Effect.Effect<Uint8Array, KubeError | undefined>) => {
      stop()
      resume(result)
    }
    for (const name of names) response.on(name, look)
    look()
    return Effect.sync(stop)
  })
  const reading = Effect.sync(() => {
    begun()
    return response
  })
  return Stream.acquireRelease(reading, (open) => Effect.sync(() => open.destroy())).pipe(
    Stream.flatMap(() =>
      Stream.unfoldEffect(undefined, () =>
        pull.pipe(
          Effect.map((chunk) => [chunk, undefined] as const),
          Effect.asSome,
          Effect.catchAll((error) => (error === undefined ? Effect.succeedNone : Effect.fail(error)))
        )
      )
    )
  )
}

interface Pool {
  readonly agentFor: (tls: KubeTls) => Agent | OutboundError
  readonly close: () => void
}

export const makeHttpChannel = (connection: KubeConnection): Effect.Effect<HttpChannel, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const base = new URL(connection.server)
    const secure = base.protocol === "https:"
    const destination: Destination = {
      protocol: secure ? "https:" : "http:",
      hostname: base.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: base.port === "" ? (secure ? 443 : 80) : Number(base.port)
    }
    const makePool = (maxPerOrigin: number): Effect.Effect<Pool> => {
      const { proxy, way = straight } = connection
      if (proxy !== undefined)
        return Effect.map(
          proxy.agent({ keepAlive: true, maxFreeSockets: idleSockets, scheduling: "lifo", maxSockets: maxPerOrigin }),
          (agent) => ({
            agentFor: () => agent,
            close: () => agent.destroy()
          })
        )
      return Effect.sync(() => {
        // the API server closes what is idle too long
        const limits = { maxPerOrigin, maxIdle: idleSockets, maxQueued: Number.POSITIVE_INFINITY, idleMillis: 0 }
        const connections = makeConnections({
          peer,
          connectMillis,
          trust: () => ({}),
          egress: undefined,
          way,
          own: true,
          ...limits
        })
        return { agentFor: (tls) => connections.agentFor(destination, trustOf(tls)), close: connections.close }
      })
    }
    // streams hold their connection for minutes, and callers of the API stand behind reviews: neither shares with the other short calls
    const [unary, reviews, streaming] = yield* Effect.acquireRelease(
      Effect.all([makePool(socketsAtOnce), makePool(socketsAtOnce), makePool(Number.POSITIVE_INFINITY)]),
      (pools) =>
        Effect.sync(() => {
          for (const pool of pools) pool.close()
        })
    )

    const lost = (exchange: Exchange, error: unknown): KubeError =>
      noAnswer(
        operationOf(exchange),
        connection.proxy === undefined
          ? reasonOf(error)
          : `by way of the proxy ${connection.proxy.address}: ${reasonOf(error)}`
      )

    const open = (exchange: Exchange, pool: Pool, access: Access): Effect.Effect<IncomingMessage, KubeError> =>
      Effect.async((resume) => {
        const payload = exchange.body === undefined ? undefined : Buffer.from(JSON.stringify(exchange.body), "utf8")
        const agent = pool.agentFor(access.tls)
        if (agent instanceof OutboundError) return resume(Effect.fail(lost(exchange, agent)))
        const options: RequestOptions = {
          method: exchange.method,
          ...destination,
          path: base.pathname.replace(/\/$/, "") + exchange.path,
          agent,
          ...(secure && connection.proxy !== undefined ? tlsOptions(access.tls) : {}),
          headers: {
            accept: exchange.accept ?? "application/json",
            "user-agent": "evald",
            ...(payload === undefined
              ? {}
              : { "content-type": exchange.contentType ?? "application/json", "content-length": payload.length }),
            ...Redacted.value(access.headers)
          }
        }
        let request: ClientRequest
        try {
          // such an agent tells by the caller whether it is to open TLS
          request = (secure && connection.proxy !== undefined ? httpsRequest : httpRequest)(options)
        } catch (error) {
          return resume(Effect.fail(lost(exchange, error)))
        }
        request.once("response", (response) => resume(Effect.succeed(response)))
        request.on("error", (error) => resume(Effect.fail(lost(exchange, error))))
        request.end(payload)
        return Effect.sync(() => request.destroy())
      })

    const fail = (exchange: Exchange, response: IncomingMessage): Effect.Effect<never, KubeError> =>
      Effect.flatMap(collect(operationOf(exchange), response), (text) => {
        const header = response.headers["retry-after"]
        return Effect.fail(refusal(operationOf(exchange), response.statusCode ?? 0, parseJson(text), header))
      })

    /** what `use` makes of an answer below 300; whatever becomes of it, no answer is left open and unread */
    const withAnswer = <A>(
      exchange: Exchange,
      pool: Pool,
      use: (response: IncomingMessage) => Effect.Effect<A, KubeError>
    ): Effect.Effect<A, KubeError> =>
      Effect.uninterruptibleMask((restore) => {
        const access = (refused?: Access) =>
          restore(
            Effect.mapError(connection.access(refused), ({ message }) => noAnswer(operationOf(exchange), message))
          )
        const attempt = (as: Access) =>
          Effect.gen(function* () {
            const response = yield* restore(open(exchange, pool, as))
            return (response.statusCode ?? 0) < 300
              ? response
              : yield* orCut(response, restore(fail(exchange, response)))
          })
        const accepted = Effect.flatMap(access(), (first) =>
          Effect.catchIf(
            attempt(first),
            (error) => error.class === "credential",
            () => Effect.flatMap(access(first), attempt)
          )
        )
        return Effect.flatMap(accepted, (response) => orCut(response, restore(use(response))))
      })

    return {
      json: (exchange, pool) =>
        withAnswer(exchange, pool === undefined ? unary : reviews, (response) =>
          Effect.flatMap(collect(operationOf(exchange), response), (text) => {
            const value = parseJson(text)
            return value === undefined
              ? Effect.fail(noAnswer(operationOf(exchange), "the answer is no JSON document"))
              : Effect.succeed(value)
          })
        ),
      chunks: (exchange) =>
        withAnswer(exchange, streaming, (response) => {
          if (response.statusCode === 204) return Effect.fail(nothingYet(operationOf(exchange)))
          let isRead = false
          const chunks = incoming(operationOf(exchange), response, () => {
            isRead = true
          })
          // a caller may leave between the head and the body
          const abandoned = Effect.sync(() => {
            if (!isRead) response.destroy()
          })
          return Effect.as(Effect.forkIn(Effect.delay(abandoned, patience), scope), chunks)
        })
    }
  })
