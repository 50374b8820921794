/**
 * One HTTP/1.1 exchange with the API server over kept-alive connections: adds who asks, repeats a 401 once with a credential that was
 * fetched again, and turns every failure into a `KubeError`. Reference: cluster-objects.md, "Launching".
 */
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest, type RequestOptions } from "node:https"
import { Effect, Redacted, type Scope, type Stream } from "effect"
import { type Destination, destinationOf, straight } from "../../../domain/proxies.ts"
import { defined } from "../../../values/defined.ts"
import { parseJson } from "../../../values/json.ts"
import { makeConnections } from "../../outbound/connections.ts"
import { OutboundError, type Peer } from "../../outbound/outbound-error.ts"
import type { Trust } from "../../outbound/trust.ts"
import { collect, incoming, orCut, reasonOf } from "./answer-body.ts"
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

const socketsAtOnce = 48
const idleSockets = 16
const connectMillis = 30_000
const peer: Peer = { name: "the cluster", remedy: "its CA comes from the service account or the kubeconfig" }

export const operationOf = ({ method, path }: Exchange): string => `${method} ${path.split("?", 1)[0]}`

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
  ...defined({ ca, cert, key, servername: serverName }),
  rejectUnauthorized: skipVerify !== true
})

/** a reader that has not begun by then never will */
const patience = "10 seconds"

interface Pool {
  readonly agentFor: (tls: KubeTls) => Agent | OutboundError
  readonly close: () => void
}

/** the API server and how it is reached */
interface Server {
  readonly connection: KubeConnection
  readonly destination: Destination
  readonly secure: boolean
  /** before the path of every exchange; no trailing slash */
  readonly basePath: string
}

const serverOf = (connection: KubeConnection): Server => {
  const base = new URL(connection.server)
  const secure = base.protocol === "https:"
  return {
    connection,
    secure,
    destination: destinationOf(base),
    basePath: base.pathname.replace(/\/$/, "")
  }
}

const makePool = ({ connection, destination }: Server, maxPerOrigin: number): Effect.Effect<Pool> => {
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

const lost = ({ connection }: Server, exchange: Exchange, error: unknown): KubeError =>
  noAnswer(
    operationOf(exchange),
    connection.proxy === undefined
      ? reasonOf(error)
      : `by way of the proxy ${connection.proxy.address}: ${reasonOf(error)}`
  )

const optionsOf = (
  { connection, destination, secure, basePath }: Server,
  exchange: Exchange,
  { access, agent, length }: { readonly access: Access; readonly agent: Agent; readonly length: number | undefined }
): RequestOptions => ({
  method: exchange.method,
  ...destination,
  path: basePath + exchange.path,
  agent,
  ...(secure && connection.proxy !== undefined ? tlsOptions(access.tls) : {}),
  headers: {
    accept: exchange.accept ?? "application/json",
    "user-agent": "evald",
    ...(length === undefined
      ? {}
      : { "content-type": exchange.contentType ?? "application/json", "content-length": length }),
    ...Redacted.value(access.headers)
  }
})

/** sends the request; the head of the answer */
const open = (
  server: Server,
  exchange: Exchange,
  pool: Pool,
  access: Access
): Effect.Effect<IncomingMessage, KubeError> =>
  Effect.async((resume) => {
    const payload = exchange.body === undefined ? undefined : Buffer.from(JSON.stringify(exchange.body), "utf8")
    const agent = pool.agentFor(access.tls)
    if (agent instanceof OutboundError) return resume(Effect.fail(lost(server, exchange, agent)))
    const options = optionsOf(server, exchange, { access, agent, length: payload?.length })
    let request: ClientRequest
    try {
      // such an agent tells by the caller whether it is to open TLS
      request = (server.secure && server.connection.proxy !== undefined ? httpsRequest : httpRequest)(options)
    } catch (error) {
      return resume(Effect.fail(lost(server, exchange, error)))
    }
    request.once("response", (response) => resume(Effect.succeed(response)))
    request.on("error", (error) => resume(Effect.fail(lost(server, exchange, error))))
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
  server: Server,
  exchange: Exchange,
  pool: Pool,
  use: (response: IncomingMessage) => Effect.Effect<A, KubeError>
): Effect.Effect<A, KubeError> =>
  Effect.uninterruptibleMask((restore) => {
    const access = (refused?: Access) =>
      restore(
        Effect.mapError(server.connection.access(refused), ({ message }) => noAnswer(operationOf(exchange), message))
      )
    const attempt = (as: Access) =>
      Effect.gen(function* () {
        const response = yield* restore(open(server, exchange, pool, as))
        return (response.statusCode ?? 0) < 300 ? response : yield* orCut(response, restore(fail(exchange, response)))
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

export const makeHttpChannel = (connection: KubeConnection): Effect.Effect<HttpChannel, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const server = serverOf(connection)
    // streams hold their connection for minutes, and callers of the API stand behind reviews: neither shares with the other short calls
    const [unary, reviews, streaming] = yield* Effect.acquireRelease(
      Effect.all([
        makePool(server, socketsAtOnce),
        makePool(server, socketsAtOnce),
        makePool(server, Number.POSITIVE_INFINITY)
      ]),
      (pools) =>
        Effect.sync(() => {
          for (const pool of pools) pool.close()
        })
    )

    return {
      json: (exchange, pool) =>
        withAnswer(server, exchange, pool === undefined ? unary : reviews, (response) =>
          Effect.flatMap(collect(operationOf(exchange), response), (text) => {
            const value = parseJson(text)
            return value === undefined
              ? Effect.fail(noAnswer(operationOf(exchange), "the answer is no JSON document"))
              : Effect.succeed(value)
          })
        ),
      chunks: (exchange) =>
        withAnswer(server, exchange, streaming, (response) => {
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
