/** Agents of callers that are reviewed, and agents that read what somebody has written for them. */

import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import { Effect, Layer, Redacted } from "effect"
import { AccessReview } from "../../../application/ports/access-review.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import { layer as app, HttpApp, jobBody, jobsPath } from "../../support/http-app.ts"
import { ask, connected, refused } from "./agent.ts"
import { injections } from "./injections.ts"
import { plantAndRead, withLogsOf } from "./planted.ts"

/** anna may do everything with evaluations in `a`, ben nothing, and nobody knows a stranger */
const reviewer = Layer.succeed(AccessReview, {
  identify: (token) => {
    const username = Redacted.value(token)
    return Effect.succeed(["anna", "ben"].includes(username) ? { username, groups: [] } : undefined)
  },
  allows: ({ username }, { resource, namespace }) =>
    Effect.succeed(username === "anna" && namespace === "a" && ["evaluations", "experiments"].includes(resource))
})
const reviewed = app({
  authentication: Authentication.layerReviewed({ groups: {}, allowSeconds: 60 }).pipe(Layer.provide(reviewer)),
  settings: { about: { mode: "cluster" }, mcp: { content: true } },
  server: { local: false }
})
const as = (user: string, tenant: string) => ({ authorization: `Bearer ${user}`, "x-tenant": tenant })

layer(reviewed, { excludeTestServices: true })("an agent of a caller", (it) => {
  it.scoped("reads what the caller may read in its tenant, and is told the reason otherwise", () =>
    Effect.gen(function* () {
      const { port, send } = yield* HttpApp
      yield* send("POST", jobsPath, { body: jobBody({ name: "of a" }), headers: as("anna", "a") })
      const call = (client: Client, name: string) => Effect.promise(() => ask(client, name))
      const denied = (client: Client, name: string) => Effect.promise(() => refused(client, name))
      const anna = yield* connected(port, as("anna", "a"))
      assert.nestedPropertyVal(yield* call(anna, "list_jobs"), "jobs[0].name", "of a")
      assert.match(yield* denied(anna, "find_benchmarks"), /^forbidden: 'anna' may not get providers/)
      const elsewhere = yield* connected(port, as("anna", "b"))
      assert.match(yield* denied(elsewhere, "list_jobs"), /^forbidden: .* in tenant 'b'/)
      const ben = yield* connected(port, as("ben", "a"), { era: "legacy" })
      assert.match(yield* denied(ben, "list_jobs"), /^forbidden: 'ben'/)
    })
  )
  it.scoped("nobody without a token, and without a tenant, gets as far as the protocol", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const statusOf = (headers: { readonly [name: string]: string }) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
          })
          return response.status
        })
      assert.strictEqual(yield* statusOf({}), 401)
      assert.strictEqual(yield* statusOf(as("stranger", "a")), 401)
      assert.strictEqual(yield* statusOf({ authorization: "Bearer anna" }), 400)
    })
  )
})

layer(withLogsOf(injections), { excludeTestServices: true, timeout: "100 seconds" })(
  "texts that are written for agents",
  (it) => {
    it.scoped(
      "are data behind a sentence that says so, visible, and never what a model answered; what they want is not possible",
      () => {
        assert.strictEqual(injections.length, 200)
        return plantAndRead(injections)
      }
    )
  }
)
