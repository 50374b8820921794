/** One attempt to bring an event, or sample records, to the server, with the pod's token and tenant. Reference: gateway.md, "Routes", "Event spool". */
import { type Upstream, upstreamPath } from "../../domain/credentials/upstream.ts"
import { ask } from "../../infrastructure/outbound/ask.ts"
import type { Connections } from "../../infrastructure/outbound/connections.ts"
import type { MountedFile } from "../gateway/mounted-files.ts"
import type { Post } from "./event-relay.ts"

const attemptMillis = 30_000
const maxAnswer = 1024 * 1024

/** seconds only: a date would need a clock that agrees with the server's */
const retryAfterOf = (value: string | ReadonlyArray<string> | undefined): number | undefined =>
  typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined

export const makePost =
  (options: {
    readonly connections: Connections
    readonly server: Upstream
    readonly token: MountedFile
    /** where to, such as `/api/v1/evaluations/jobs/<id>/events` */
    readonly path: string
    readonly type: "application/json" | "application/x-ndjson"
    readonly tenant: string
    readonly newId: () => string
  }): Post =>
  async (body, signal) => {
    const bearer = options.token.current()?.trim()
    if (bearer === undefined || bearer === "")
      return { _tag: "Unreachable", reason: "the callback token cannot be read" }
    try {
      const answer = await ask({
        connections: options.connections,
        upstream: options.server,
        method: "POST",
        path: upstreamPath(options.server, options.path),
        headers: {
          authorization: `Bearer ${bearer}`,
          "x-tenant": options.tenant,
          "content-type": options.type,
          "x-request-id": options.newId()
        },
        body,
        timeoutMillis: attemptMillis,
        maxBytes: maxAnswer,
        signal
      })
      const type = answer.headers["content-type"]
      return {
        _tag: "Answered",
        status: answer.status,
        body: answer.body,
        contentType: typeof type === "string" ? type : "application/json",
        retryAfterMillis: retryAfterOf(answer.headers["retry-after"])
      }
    } catch (error) {
      return { _tag: "Unreachable", reason: error instanceof Error ? error.message : "failed" }
    }
  }
