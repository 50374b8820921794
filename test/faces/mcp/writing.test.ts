/** What agents change where it is allowed: as whom, after whose yes, how far, and how often. */

import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import { Effect, Layer, Redacted } from "effect"
import { AccessReview } from "../../../application/ports/access-review.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import type { Writing } from "../../../interfaces/mcp/writing.ts"
import { layer as app, at, HttpApp, idOf, jobBody, jobsPath } from "../../support/http-app.ts"
import { ask, connected, refused, type User } from "./agent.ts"

const all = ["submit_job", "rerun_job", "cancel_job"] as const

/** anna and cleo may do everything with evaluations in every tenant, ben may read */
const reviewer = Layer.succeed(AccessReview, {
  identify: (token) => {
    const username = Redacted.value(token)
    return Effect.succeed(["anna", "ben", "cleo"].includes(username) ? { username, groups: [] } : undefined)
  },
  allows: ({ username }, { resource, verb }) =>
    Effect.succeed(
      ["evaluations", "experiments"].includes(resource) && (username !== "ben" || ["get", "list"].includes(verb))
    )
})
const world = (writing: Partial<Writing> = {}) =>
  app({
    authentication: Authentication.layerReviewed({ groups: {}, allowSeconds: 60 }).pipe(Layer.provide(reviewer)),
    settings: {
      about: { mode: "cluster" },
      mcp: { content: false, writing: { tools: all, modelHosts: ["model.example.com"], ...writing } }
    },
    server: { local: false }
  })
const live = { excludeTestServices: true, timeout: "30 seconds" } as const

const as = (user: string, tenant: string) => ({ authorization: `Bearer ${user}`, "x-tenant": tenant })
/** says this to every question, and remembers them */
const saying = (answer: ReturnType<User>) => {
  const questions: Array<string> = []
  const user: User = (question) => {
    questions.push(question)
    return answer
  }
  return { questions, user }
}
const yes = { action: "accept", content: { confirm: true } } as const

const wanted = (given: { readonly [argument: string]: unknown } = {}) => ({
  model_url: "http://model.example.com/v1",
  model_name: "m",
  benchmarks: [{ provider: "p", id: "b", parameters: { num_examples: 20 } }],
  budget: { requests: 50 },
  ...given
})
const told = (client: Client, name: string, args: object) =>
  Effect.promise(() => ask(client, name, args) as Promise<{ readonly [member: string]: unknown }>)
const denied = (client: Client, name: string, args: object) => Effect.promise(() => refused(client, name, args))
const tokenOf = (client: Client, args: object) =>
  Effect.map(told(client, "plan_job", args), ({ plan_token }) => {
    assert.isString(plan_token)
    return String(plan_token)
  })
const jobsOf = (tenant: string) =>
  Effect.gen(function* () {
    const answer = yield* (yield* HttpApp).send("GET", jobsPath, { headers: as("anna", tenant) })
    return Number(at(answer.json, "total_count"))
  })

layer(world(), live)("an agent that may write", (it) => {
  it.scoped("submits what it has planned once, after its user's yes, and nobody submits it otherwise", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const { questions, user } = saying(yes)
      const anna = yield* connected(port, as("anna", "once"), { user })
      const plan_token = yield* tokenOf(anna, wanted())
      assert.strictEqual(yield* jobsOf("once"), 0)
      for (const [other, tenant] of [
        ["cleo", "once"],
        ["anna", "elsewhere"]
      ] as const) {
        const client = yield* connected(port, as(other, tenant), { user })
        assert.match(yield* denied(client, "submit_job", wanted({ plan_token })), /^plan_token_invalid: /, other)
      }
      for (const changed of [{ budget: { requests: 51 } }, { model_name: "n" }, { tags: ["x"] }])
        assert.match(yield* denied(anna, "submit_job", wanted({ plan_token, ...changed })), /^plan_token_invalid: /)
      assert.deepStrictEqual([yield* jobsOf("once"), yield* jobsOf("elsewhere")], [0, 0])
      const job = yield* told(anna, "submit_job", wanted({ plan_token }))
      assert.deepInclude(job, { state: "pending", model: "m", owner: "anna" })
      assert.strictEqual(
        questions.at(-1),
        'Evaluate the model "m" at "http://model.example.com/v1" with the benchmarks "p/b" (1 in all)? Estimate: 20 requests. At most: 50 requests.'
      )
      const again = yield* told(anna, "submit_job", wanted({ plan_token }))
      assert.deepInclude(again, { id: job["id"], submitted_before: true })
      assert.strictEqual(yield* jobsOf("once"), 1)
    })
  )

  it.scoped("does nothing where its user says no, or nothing", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody(), headers: as("anna", "no") }))
      for (const answer of [
        { action: "decline" },
        { action: "cancel" },
        // a form that was filled in before it was sent away
        { action: "decline", content: { confirm: true } },
        { action: "accept", content: { confirm: false } }
      ] as const) {
        const { questions, user } = saying(answer)
        const anna = yield* connected(http.port, as("anna", "no"), { user })
        const plan_token = yield* tokenOf(anna, wanted())
        assert.match(yield* denied(anna, "submit_job", wanted({ plan_token })), /did not say yes/)
        assert.match(yield* denied(anna, "cancel_job", { id }), /did not say yes/)
        assert.match(yield* denied(anna, "rerun_job", { id }), /did not say yes/)
        assert.lengthOf(questions, 3)
      }
      assert.strictEqual(yield* jobsOf("no"), 1)
      const left = yield* http.send("GET", `${jobsPath}/${id}`, { headers: as("anna", "no") })
      assert.strictEqual(at(left.json, "status.state"), "pending")
    })
  )

  it.scoped("is refused where its user can not be asked: without the means, and by older versions over HTTP", () =>
    Effect.gen(function* () {
      const { port, send } = yield* HttpApp
      const headers = as("anna", "alone")
      const id = idOf(yield* send("POST", jobsPath, { body: jobBody(), headers }))
      const { questions, user } = saying(yes)
      for (const means of [{}, { era: "legacy", user } as const]) {
        const anna = yield* connected(port, headers, means)
        const plan_token = yield* tokenOf(anna, wanted())
        assert.match(yield* denied(anna, "submit_job", wanted({ plan_token })), /can not ask.*mcp\.unattended_budget/)
        for (const name of ["rerun_job", "cancel_job"])
          assert.match(yield* denied(anna, name, { id }), /can not ask its user/, name)
      }
      assert.deepStrictEqual([yield* jobsOf("alone"), questions], [1, []])
    })
  )

  it.scoped("cancels and runs again what its user says yes to, with the rights of its caller", () =>
    Effect.gen(function* () {
      const { port, send } = yield* HttpApp
      const headers = as("anna", "again")
      const name = `quoted "name"\u200b`
      const id = idOf(yield* send("POST", jobsPath, { body: jobBody({ name }), headers }))
      const { questions, user } = saying(yes)
      const ben = yield* connected(port, as("ben", "again"), { user })
      assert.match(yield* denied(ben, "cancel_job", { id }), /^forbidden: /)
      const anna = yield* connected(port, headers, { user })
      assert.match(yield* denied(anna, "rerun_job", { id }), /^job_has_not_ended: /)
      assert.include(yield* told(anna, "cancel_job", { id }), { id, state: "cancelled" })
      assert.strictEqual(
        questions.at(-1),
        `Cancel job ${id} ("quoted \\"name\\"\\u{200B}", pending; benchmarks: 1 pending)?`
      )
      assert.include(yield* told(anna, "rerun_job", { id }), { rerun_of: id, state: "pending" })
      assert.match(questions.at(-1) ?? "", /of its benchmarks failed, against "m" at .*no bound of its own/)
      assert.strictEqual(yield* jobsOf("again"), 2)
    })
  )

  it.scoped("reaches no endpoint but those of the operator, by no spelling of an address", () =>
    Effect.gen(function* () {
      const { port, send } = yield* HttpApp
      const headers = as("anna", "far")
      const anna = yield* connected(port, headers, saying(yes))
      for (const model_url of [
        "http://collector.example.com/v1",
        "http://model.example.com@collector.example.com/v1",
        "http://model.example.com.collector.example.com/v1",
        "http://collector.example.com/model.example.com",
        "http://collector.example.com#model.example.com",
        "http://collector.example.com\\@model.example.com/v1",
        "file://model.example.com/v1"
      ]) {
        const args = wanted({ model_url, plan_token: yield* tokenOf(anna, wanted()) })
        assert.match(yield* denied(anna, "submit_job", args), /no endpoint that agents/, model_url)
      }
      const judged = [{ provider: "p", id: "b", parameters: { judge: { url: "https://collector.example.com" } } }]
      const plan = yield* told(anna, "plan_job", wanted({ benchmarks: judged }))
      assert.notProperty(plan, "plan_token")
      assert.match(String(plan["no_plan_token"]), /collector\.example\.com/)
      assert.match(String((yield* told(anna, "plan_job", wanted({ budget: {} })))["no_plan_token"]), /needs a budget/)
      const far = jobBody({ model: { url: "http://collector.example.com/v1", name: "m" } })
      const judging = jobBody({
        model: { url: "http://model.example.com/v1", name: "m" },
        benchmarks: [{ id: "b", provider_id: "p", parameters: { judge: { url: "https://collector.example.com" } } }]
      })
      for (const body of [far, judging]) {
        const id = idOf(yield* send("POST", jobsPath, { body, headers }))
        yield* send("DELETE", `${jobsPath}/${id}`, { headers })
        assert.match(yield* denied(anna, "rerun_job", { id, which: "all" }), /no endpoint that agents/)
      }
      assert.strictEqual(yield* jobsOf("far"), 2)
    })
  )
})

layer(world({ tools: ["submit_job"], unattended: { requests: 20 } }), live)("an agent with nobody beside it", (it) => {
  it.scoped("submits what the budget for that covers, by estimate and by bound, and has no other tool", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const anna = yield* connected(port, as("anna", "small"))
      const { tools } = yield* Effect.promise(() => anna.listTools())
      const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name)
      assert.deepStrictEqual(writing, ["compare_jobs", "check_gate", "submit_job"])
      const submitted = (args: object) =>
        Effect.flatMap(tokenOf(anna, args), (plan_token) =>
          Effect.promise(async () => {
            const { isError } = await anna.callTool({ name: "submit_job", arguments: { ...args, plan_token } })
            return isError === true
          })
        )
      const bound = (requests: number, num_examples?: number) => {
        const parameters = num_examples === undefined ? {} : { parameters: { num_examples } }
        return wanted({ budget: { requests }, benchmarks: [{ provider: "p", id: "b", ...parameters }] })
      }
      assert.isTrue(yield* submitted(bound(21, 20)))
      assert.isTrue(yield* submitted(bound(20, 21)))
      assert.isTrue(yield* submitted(bound(20)))
      assert.isTrue(yield* submitted(wanted({ budget: { tokens: 1 } })))
      assert.strictEqual(yield* jobsOf("small"), 0)
      assert.isFalse(yield* submitted(bound(20, 20)))
      assert.strictEqual(yield* jobsOf("small"), 1)
    })
  )

  it.scoped("gains nothing from a token that it has written itself", () =>
    Effect.gen(function* () {
      const { port } = yield* HttpApp
      const anna = yield* connected(port, as("anna", "forged"))
      const large = wanted({ budget: { requests: 20 }, benchmarks: [{ provider: "p", id: "b" }] })
      const plan_token = yield* tokenOf(anna, large)
      const [content = "", seal = ""] = plan_token.split(".")
      const said = JSON.parse(Buffer.from(content, "base64url").toString()) as object
      const written = (changed: object) => Buffer.from(JSON.stringify({ ...said, ...changed })).toString("base64url")
      const estimate = { requests: 1 }
      for (const token of [
        `${written({ estimate })}.${seal}`,
        `${written({ estimate })}.`,
        written({ estimate }),
        `${written({ estimate, expires_at: "9999-01-01T00:00:00.000Z" })}.${seal}.${seal}`
      ])
        assert.match(yield* denied(anna, "submit_job", { ...large, plan_token: token }), /^plan_token_invalid: /, token)
      for (const token of ["", ".", "plan", "W10.x", `${written({ estimate: null })}.${seal}`])
        assert.match(yield* denied(anna, "submit_job", { ...large, plan_token: token }), /plan_token/, token)
      assert.strictEqual(yield* jobsOf("forged"), 0)
    })
  )
})
