/** Agents of callers that are reviewed, and agents that read what somebody has written for them. */

import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import { Effect, Layer, Redacted, Stream } from "effect"
import { AccessReview } from "../../../application/ports/access-review.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import { warning } from "../../../interfaces/mcp/told.ts"
import { layer as app, eventBody, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../support/http-app.ts"
import { ask, connected, refused, textOf } from "./agent.ts"
import { injections } from "./injections.ts"

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

const hostileLog = injections.map(({ long }) => `\u001b[8m${long}\u001b[0m`).join("\n")
const planted = app({
  settings: {
    mcp: {
      content: false,
      writing: { tools: ["submit_job", "rerun_job", "cancel_job"], modelHosts: ["model.example.com"] }
    }
  },
  runtime: idleRuntime({
    logs: () => Effect.succeed({ text: Stream.make(new TextEncoder().encode(hostileLog)), source: "live" as const })
  })
})
/** of every text of a sample */
const secret = "modeltext"

/** a job with the text in its name and tags, in errors, warnings and names of metrics, and in every text of a sample */
const plant = ({ send }: HttpApp["Type"], { short, long }: (typeof injections)[number]) =>
  Effect.gen(function* () {
    const benchmarks = [0, 1].map(() => ({ id: "b", provider_id: "p" }))
    const stored = yield* send("POST", jobsPath, { body: jobBody({ name: short, tags: [short], benchmarks }) })
    assert.strictEqual(stored.status, 202, `${stored.code} ${short}`)
    const path = `${jobsPath}/${idOf(stored)}`
    const message = { message: long, message_code: "evaluation_failed" }
    const text = `${secret} ${long}`
    const sample = {
      ...{ v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "incorrect", score: 0 },
      ...{ prompt: text, response: text, reasoning: text, reference: text, extracted: text },
      error: { code: "model_error", message: text }
    }
    yield* send("POST", `${path}/events`, { body: eventBody({ status: "running" }) })
    const uploaded = yield* send("POST", `${path}/benchmarks/0/samples`, {
      body: `${JSON.stringify(sample)}\n`,
      headers: { "content-type": "application/x-ndjson" }
    })
    assert.strictEqual(uploaded.status, 200, uploaded.code)
    yield* send("POST", `${path}/events`, {
      body: eventBody({ status: "completed", metrics: { [short]: 1, acc: 0.5, best: text }, additional_info: { text } })
    })
    yield* send("POST", `${path}/events`, {
      body: eventBody({ status: "failed", benchmark_index: 1, error_message: message, warning_message: message })
    })
    return idOf(stored)
  })

// what a person who reads along does not see
const hidden = /(?![\n\t])\p{Cc}|[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

layer(planted, { excludeTestServices: true, timeout: "100 seconds" })("texts that are written for agents", (it) => {
  it.scoped(
    "are data behind a sentence that says so, visible, and never what a model answered; what they want is not possible",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        assert.isAtLeast(injections.length, 200)
        const client = yield* connected(http.port)
        const tools = (yield* Effect.promise(() => client.listTools())).tools
        const ours = JSON.stringify([
          tools,
          yield* Effect.promise(() => client.listPrompts()),
          client.getInstructions()
        ])
        let read = 0
        const look = (name: string, args: object) =>
          Effect.map(
            Effect.promise(() => client.callTool({ name, arguments: { ...args } })),
            (result) => {
              const text = textOf(result as Parameters<typeof textOf>[0])
              assert.isTrue(text.startsWith(`${warning}\n`), `${name}: ${text.slice(0, 200)}`)
              assert.notMatch(text, hidden, name)
              assert.notInclude(text, secret, name)
              read += new Set(text.match(/canary\d{4}x/g)).size
              return JSON.parse(text.slice(warning.length + 1)) as { readonly next?: string }
            }
          )
        const atOnce = { concurrency: 4, discard: true } as const
        yield* Effect.forEach(
          injections,
          (injection) =>
            Effect.gen(function* () {
              const id = yield* plant(http, injection)
              for (const name of ["get_job", "get_results", "list_samples"]) yield* look(name, { id })
            }),
          atOnce
        )
        let cursor: string | undefined
        do cursor = (yield* look("list_jobs", { limit: 50, ...(cursor === undefined ? {} : { cursor }) })).next
        while (cursor !== undefined)
        const some = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
        for (const lines of [10, 100]) yield* look("get_logs", { id: some, benchmark: 0, lines })
        // an attack that no answer holds would show nothing
        assert.isAtLeast(read, injections.length * 3)
        const after = (yield* Effect.promise(() => client.listTools())).tools
        assert.notMatch(ours + JSON.stringify(after), /canary\d/)
        // an agent that does whatever it is told, with nobody beside it
        const asked = { model_url: "http://model.example.com/v1", model_name: "m", budget: { requests: 1 } }
        const planned = { ...asked, benchmarks: [{ provider: "p", id: "b" }] }
        const { plan_token } = (yield* Effect.promise(() => ask(client, "plan_job", planned))) as {
          readonly plan_token: string
        }
        for (const [name, args, says] of [
          ["cancel_job", { id: some }, /can not ask its user/],
          ["rerun_job", { id: some, which: "all" }, /can not ask its user/],
          ["submit_job", planned, /plan_token/],
          ["submit_job", { ...planned, plan_token: "invented" }, /plan_token/],
          ["submit_job", { ...planned, plan_token }, /can not ask its user/],
          [
            "submit_job",
            { ...planned, plan_token, model_url: "http://collector.example.com/v1" },
            /collector\.example\.com.* is no endpoint/
          ]
        ] as const)
          assert.match(yield* Effect.promise(() => refused(client, name, args)), says, name)
        for (const name of ["delete_job", "delete_provider", "create_provider", "get_secret"])
          assert.isTrue(
            yield* Effect.promise(() =>
              client.callTool({ name, arguments: {} }).then(
                ({ isError }) => isError === true,
                () => true
              )
            ),
            name
          )
        assert.nestedPropertyVal((yield* http.send("GET", `${jobsPath}/${some}`)).json, "status.state", "pending")
        const left = yield* http.send("GET", `${jobsPath}?limit=1`)
        assert.nestedPropertyVal(left.json, "total_count", injections.length + 1)
      })
  )
})
