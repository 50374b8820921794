/** What the service is, and what the caller may do in it. Reference: api.md, "Service routes". */
import { Effect } from "effect"
import { Placements } from "../../../application/ports/placements.ts"
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
    const mayRun = answers.flat().some(({ resource, verb }) => resource === "evaluations" && verb === "create")
    const placements = yield* Placements
    // who can not submit a job has no use for their names
    const { hardwareProfiles, queues } = mayRun ? yield* placements.offered(tenant) : {}
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
        ...defined({ hardware_profiles: hardwareProfiles, queues }),
        links: { openapi: "/openapi.yaml", docs: "/docs" },
        caller: { user: owner, groups, tenant, allowed }
      },
      { "cache-control": "no-store" }
    )
  })
