/** The part of a kubelet's own HTTPS interface that serves container logs to the API server, and to nobody else: it asks for its certificate. */

import type { ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import { Effect, type Scope } from "effect"
import type { ContainerLog, LogRequest } from "./container-log.ts"

export interface Serving {
  readonly certificate: string
  readonly key: string
  /** signs the certificate that the API server shows */
  readonly clientAuthority: string
}

/** "not started": the container exists, and has no log yet */
export type FindLog = (
  namespace: string,
  pod: string,
  container: string,
  previous: boolean
) => ContainerLog | "not started" | undefined

const numberOf = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name)
  return value === null || value === "" ? undefined : Number(value)
}

const given = <K extends keyof LogRequest>(name: K, value: number | undefined) =>
  value === undefined ? {} : { [name]: value }

const refuse = (response: ServerResponse, status: number, text: string) =>
  void response.writeHead(status, { "content-type": "text/plain" }).end(text)

const serve = (log: ContainerLog, query: URLSearchParams, response: ServerResponse) => {
  const timestamps = query.get("timestamps") === "true"
  const limitBytes = numberOf(query, "limitBytes")
  response.writeHead(200, { "content-type": "text/plain" })
  const text = log.read({
    timestamps,
    ...given("limitBytes", limitBytes),
    ...given("tailLines", numberOf(query, "tailLines")),
    ...given("sinceSeconds", numberOf(query, "sinceSeconds"))
  })
  if (query.get("follow") !== "true") return void response.end(text)
  response.write(text)
  response.flushHeaders()
  const stop = log.follow(timestamps, (more) => (more === undefined ? void response.end() : void response.write(more)))
  response.on("close", stop)
}

/** answers the port */
export const serveLogs = (
  { certificate, key, clientAuthority }: Serving,
  find: FindLog
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const options = { cert: certificate, key, ca: clientAuthority, requestCert: true, rejectUnauthorized: true }
      const server = createServer(options, (request, response) => {
        const url = new URL(request.url ?? "", "https://node")
        const [, root, namespace = "", pod = "", container = ""] = url.pathname.split("/").map(decodeURIComponent)
        if (root !== "containerLogs" || request.method !== "GET") return refuse(response, 404, "not found")
        const log = find(namespace, pod, container, url.searchParams.get("previous") === "true")
        if (log === undefined) return refuse(response, 404, `container ${container} in pod ${pod} not found`)
        if (log === "not started")
          return refuse(response, 400, `container "${container}" in pod "${pod}" is waiting to start`)
        serve(log, url.searchParams, response)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return address !== null && typeof address === "object" ? address.port : 0
    })
  )
