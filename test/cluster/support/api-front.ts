/** A way to the real API server that sees every request and its answer, and on which a test may answer itself or break what is open. */
import type { ServerResponse } from "node:http"
import { Agent, createServer, request } from "node:https"
import { Effect, type Scope } from "effect"
import { makeAuthority } from "../../support/certificate.ts"
import { listening } from "../../support/loopback-server.ts"
import { Cluster } from "./cluster.ts"

export interface SeenRequest {
  readonly method: string
  /** with its query */
  readonly path: string
  readonly status: number
}

/** instead of passing a request on */
export type Interference = "cut" | { readonly status: number; readonly retryAfterSeconds?: number }

export interface ApiFront {
  /** kubeconfig of somebody with this token who goes this way */
  readonly kubeconfigOf: (token: string) => string
  readonly seen: () => ReadonlyArray<SeenRequest>
  /** asked about every request that is no watch; undefined passes it on */
  readonly interfere: (rule: (method: string, path: string) => Interference | undefined) => void
  /** cuts the connections of all open watches */
  readonly cutWatches: () => void
  /** ends all open watches with the word that their version is too old */
  readonly expireWatches: () => void
}

const isWatch = (path: string): boolean => /[?&]watch=(true|1)/.test(path)

const statusText = (code: number, reason: string) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: "of the test" })
const expired = `${JSON.stringify({ type: "ERROR", object: JSON.parse(statusText(410, "Expired")) as unknown })}\n`

/** an open watch; the text so far ends with a whole line or not */
interface OpenWatch {
  readonly response: ServerResponse
  /** nothing of the API server comes any more */
  readonly leave: () => void
  isBetweenLines: boolean
}

export const apiFront: Effect.Effect<ApiFront, never, Cluster | Scope.Scope> = Effect.gen(function* () {
  const { connectionAs, authority, kubeconfigFor } = yield* Cluster
  const target = new URL(connectionAs("").server)
  const own = makeAuthority("front of a control plane")
  const onward = new Agent({ keepAlive: true, ca: authority })
  const seen: Array<SeenRequest> = []
  const watches = new Set<OpenWatch>()
  let rule: (method: string, path: string) => Interference | undefined = () => undefined

  const listener = createServer({ cert: own.server.certificate, key: own.server.key }, (incoming, response) => {
    const { method = "GET", url: path = "/", headers } = incoming
    const note = (status: number) => void seen.push({ method, path, status })
    const instead = isWatch(path) ? undefined : rule(method, path)
    if (instead === "cut") return void incoming.socket.destroy()
    if (instead !== undefined) {
      note(instead.status)
      incoming.resume()
      response.writeHead(instead.status, {
        "content-type": "application/json",
        ...(instead.retryAfterSeconds === undefined ? {} : { "retry-after": String(instead.retryAfterSeconds) })
      })
      return void response.end(statusText(instead.status, instead.status === 410 ? "Expired" : "TooManyRequests"))
    }
    const sent = request(
      {
        host: target.hostname,
        port: target.port,
        path,
        method,
        headers: { ...headers, host: target.host },
        agent: onward
      },
      (answer) => {
        const status = answer.statusCode ?? 502
        note(status)
        response.writeHead(status, answer.headers)
        if (isWatch(path) && status === 200) {
          const watch: OpenWatch = { response, leave: () => void answer.unpipe(response), isBetweenLines: true }
          watches.add(watch)
          answer.on("data", (chunk: Buffer) => {
            watch.isBetweenLines = chunk.at(-1) === 10
          })
          response.once("close", () => watches.delete(watch))
          response.flushHeaders()
        }
        answer.on("error", () => response.destroy())
        answer.pipe(response)
      }
    )
    sent.on("error", () => response.destroy())
    response.once("close", () => sent.destroy())
    incoming.pipe(sent)
  })
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() => listening(listener, "https")),
    ({ close }) =>
      Effect.promise(async () => {
        await close()
        onward.destroy()
      })
  )
  return {
    kubeconfigOf: (token) => kubeconfigFor(url, own.authority, token),
    seen: () => seen,
    interfere: (next) => {
      rule = next
    },
    cutWatches: () => {
      for (const { response } of watches) response.destroy()
    },
    expireWatches: () => {
      for (const { response, leave, isBetweenLines } of watches) {
        leave()
        if (isBetweenLines) response.end(expired)
        else response.destroy()
      }
      watches.clear()
    }
  }
})
