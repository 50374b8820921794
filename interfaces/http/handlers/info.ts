/** What the service is, and what the caller may do in it. Reference: api.md, "Service routes". */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import { apiRoutes } from "../api.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { HttpSettings } from "../services.ts"
import { readQuery } from "./read-request.ts"

export const info: Handler<"getInfo"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { build, about, maxBodyBytes, rights } = yield* HttpSettings
    const { owner, groups = [], tenant, may } = request.caller
    const answers = yield* Effect.forEach(
      rights,
      (right) => Effect.map(may === undefined ? Effect.succeed(true) : may(right), (is) => (is ? [right] : [])),
      { concurrency: "unbounded" }
    )
    const allowed: Record<string, ReadonlyArray<string>> = {}
    for (const { resource, verb } of answers.flat()) allowed[resource] = [...(allowed[resource] ?? []), verb]
    return json(
      {
        version: build.version,
        git_hash: build.gitHash,
        mode: about.mode,
        limits: {
          max_body_bytes: maxBodyBytes,
          ...defined({
            max_running: about.maxRunning,
            max_queued: about.maxQueued,
            max_stored_bytes: about.maxStoredBytes
          })
        },
        features: apiRoutes().map(({ name }) => name),
        links: { openapi: "/openapi.yaml", docs: "/docs" },
        caller: { user: owner, groups, tenant, allowed }
      },
      { "cache-control": "no-store" }
    )
  })
