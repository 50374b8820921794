/** Texts for agents, planted wherever others may write, and read through every tool that tells of them. */

import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { warning } from "../../../interfaces/mcp/told.ts"
import { layer as app, eventBody, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../support/http-app.ts"
import { ask, connected, refused, textOf } from "./agent.ts"
import type { Injection } from "./injections.ts"

/** texts in a log that is told at once */
const perLook = 5

/** a server whose log is other ones of the texts at each look, hidden as a terminal hides them, and whose agents may write */
export const withLogsOf = (texts: ReadonlyArray<Injection>) => {
  const lines = texts.map(({ long }) => new TextEncoder().encode(`\u001b[8m${long}\u001b[0m\n`))
  let looks = 0
  return app({
    settings: {
      mcp: {
        content: false,
        writing: { tools: ["submit_job", "rerun_job", "cancel_job"], modelHosts: ["model.example.com"] }
      }
    },
    runtime: idleRuntime({
      logs: () =>
        Effect.sync(() => ({
          text: Stream.fromIterable(lines.slice(perLook * looks, perLook * ++looks)),
          source: "live" as const
        }))
    })
  })
}

/** of every text of a sample */
const secret = "modeltext"

/** a job with the text in its name and tags, in errors, warnings and names of metrics, and in every text of a sample */
const plant = ({ send }: HttpApp["Type"], { short, long }: Injection) =>
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

/** plants every text, reads all of them, and tries what they want; on a server of `withLogsOf` that has no job yet */
export const plantAndRead = (texts: ReadonlyArray<Injection>) =>
  Effect.gen(function* () {
    const http = yield* HttpApp
    const client = yield* connected(http.port)
    const tools = (yield* Effect.promise(() => client.listTools())).tools
    const ours = JSON.stringify([tools, yield* Effect.promise(() => client.listPrompts()), client.getInstructions()])
    const read = {
      get_job: new Set(),
      get_results: new Set(),
      list_samples: new Set(),
      list_jobs: new Set(),
      get_logs: new Set()
    }
    const look = (name: keyof typeof read, args: object) =>
      Effect.map(
        Effect.promise(() => client.callTool({ name, arguments: { ...args } })),
        (result) => {
          const text = textOf(result as Parameters<typeof textOf>[0])
          assert.isTrue(text.startsWith(`${warning}\n`), `${name}: ${text.slice(0, 200)}`)
          assert.notMatch(text, hidden, name)
          assert.notInclude(text, secret, name)
          for (const canary of text.match(/canary\d{4}x/g) ?? []) read[name].add(canary)
          return JSON.parse(text.slice(warning.length + 1)) as { readonly next?: string }
        }
      )
    const ids = yield* Effect.forEach(
      texts,
      (injection) =>
        Effect.gen(function* () {
          const id = yield* plant(http, injection)
          for (const name of ["get_job", "get_results", "list_samples"] as const) yield* look(name, { id })
          return id
        }),
      { concurrency: 4 }
    )
    let cursor: string | undefined
    do cursor = (yield* look("list_jobs", { limit: 50, ...(cursor === undefined ? {} : { cursor }) })).next
    while (cursor !== undefined)
    const some = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
    for (let first = 0; first < texts.length; first += perLook)
      yield* look("get_logs", { id: some, benchmark: 0, lines: 1000 })
    // an attack that no answer holds would show nothing; of a sample none of its texts is told
    const all = texts.length
    const sizes = Object.fromEntries(Object.entries(read).map(([name, { size }]) => [name, size]))
    assert.deepStrictEqual(sizes, { get_job: all, get_results: all, list_samples: 0, list_jobs: all, get_logs: all })
    const after = (yield* Effect.promise(() => client.listTools())).tools
    assert.notMatch(ours + JSON.stringify(after), /canary\d/)
    // an agent that does whatever it is told, with nobody beside it
    const asked = { model_url: "http://model.example.com/v1", model_name: "m", budget: { requests: 1 } }
    const planned = { ...asked, benchmarks: [{ provider: "p", id: "b" }] }
    const { plan_token } = (yield* Effect.promise(() => ask(client, "plan_job", planned))) as {
      readonly plan_token: string
    }
    for (const [name, args, says] of [
      ["list_samples", { id: ids[0], content: true }, /mcp\.content/],
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
    assert.nestedPropertyVal(left.json, "total_count", texts.length + 1)
  })
