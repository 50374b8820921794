/**
 * What somebody sends who has not read the documentation, to everything that compares, decides, runs again, limits and tells: each refusal
 * names the member, the reason and a way out, and a job of another tenant is as one that does not exist.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, HttpApp, jobBody, jobsPath } from "../../../../support/http-app.ts"
import { ended } from "./ended-job.ts"

const live = { excludeTestServices: true } as const
const base = "/api/v1/evaluations"
const absent = "0198b2a0-0000-7000-8000-00000000dead"
const control = "a\u0000\u001b[2Jb"
const huge = "x".repeat(100_000)

interface Own {
  /** finished jobs of the caller, and one of another tenant */
  readonly job: string
  readonly other: string
  readonly foreign: string
}

/** what is sent, and the members that are complained of; none: the whole request */
type Broken = readonly [what: string, body: unknown, paths: ReadonlyArray<string>]

interface Sweep {
  readonly method: "POST" | "GET"
  readonly path: (own: Own) => string
  readonly broken: (own: Own) => ReadonlyArray<Broken>
}

const criterion = { benchmark: "b", kind: "absolute", threshold: 0.5 }
const relative = { benchmark: "b", kind: "relative_to_baseline", tolerance: 0.05 }
const policy = (...criteria: ReadonlyArray<unknown>) => ({ policy: { criteria } })

const policies = (of: (policy: unknown) => unknown, under: string): ReadonlyArray<Broken> => {
  const one = (given: object) => of({ criteria: [{ ...criterion, ...given }] })
  const first = `${under}/criteria/0`
  return [
    ["no criteria", of({ criteria: [] }), [`${under}/criteria`]],
    ["criteria as an object", of({ criteria: {} }), [`${under}/criteria`]],
    ["a policy of text", of("strict"), [under]],
    ["an unknown benchmark", one({ benchmark: "arith" }), [`${first}/benchmark`]],
    ["an unknown metric", one({ metric: "f1_of_nothing" }), [`${first}/metric`]],
    ["a direction that is none", one({ direction: "up" }), [`${first}/direction`]],
    ["a kind that is none", one({ kind: "better" }), [`${first}/kind`]],
    ["a threshold as text", one({ threshold: "0.5" }), [`${first}/threshold`]],
    ["alpha of one half", one({ alpha: 0.5 }), [`${first}/alpha`]],
    ["alpha of nought", one({ alpha: 0 }), [`${first}/alpha`]],
    ["a tolerance of an absolute one", one({ tolerance: 0.1 }), [`${first}/tolerance`]],
    ["no threshold", of({ criteria: [{ benchmark: "b", kind: "absolute" }] }), [`${first}/threshold`]],
    ["only advice", one({ tier: "advisory" }), [`${under}/criteria`]],
    ["a benchmark with control characters", one({ benchmark: control }), [`${first}/benchmark`]],
    ["a huge name", of({ name: huge, criteria: [criterion] }), [`${under}/name`]],
    ["too many", of({ criteria: Array.from({ length: 2_000 }, () => criterion) }), [`${under}/criteria`]]
  ]
}

const budgets = (of: (budget: unknown) => unknown, under: string): ReadonlyArray<Broken> => [
  ["a number", of(100), [under]],
  ["a list", of([]), [under]],
  ["requests below one", of({ requests: 0 }), [`${under}/requests`]],
  ["half a request", of({ requests: 1.5 }), [`${under}/requests`]],
  ["tokens as text", of({ tokens: "1000" }), [`${under}/tokens`]],
  ["negative seconds", of({ seconds: -1 }), [`${under}/seconds`]],
  ["a cost without a price", of({ cost: 5 }), [`${under}/cost`]],
  ["tokens beyond all numbers", of({ tokens: 1e300 }), [`${under}/tokens`]],
  ["true", of({ tokens: true }), [`${under}/tokens`]],
  ["null in a member", of({ requests: {} }), [`${under}/requests`]],
  ["several at once", of({ requests: -5, tokens: 0.5 }), [`${under}/requests`, `${under}/tokens`]]
]

const address = { url: "https://hooks.example.com/evald", events: ["completed"], secret_ref: "hook-key" }

const sweeps: { readonly [name: string]: Sweep } = {
  comparisons: {
    method: "POST",
    path: () => `${base}/comparisons`,
    broken: ({ job, other, foreign }) => {
      const pair = { baseline: { job }, candidate: { job: other } }
      return [
        ["nothing", {}, ["/baseline"]],
        ["a list", [], [""]],
        ["jobs as text", { baseline: job, candidate: other }, ["/baseline", "/candidate"]],
        ["a number for an id", { ...pair, candidate: { job: 7 } }, ["/candidate/job"]],
        ["an empty id", { ...pair, candidate: { job: "" } }, ["/candidate/job"]],
        ["control characters", { ...pair, candidate: { job: control } }, ["/candidate/job"]],
        ["a huge id", { ...pair, candidate: { job: huge } }, ["/candidate/job"]],
        ["a job that does not exist", { ...pair, candidate: { job: absent } }, ["/candidate/job"]],
        ["a job of another tenant", { ...pair, candidate: { job: foreign } }, ["/candidate/job"]],
        ["a job with itself", { baseline: { job }, candidate: { job } }, ["/candidate/job"]],
        ["no candidates", { baseline: { job }, candidates: [] }, ["/candidates"]],
        [
          "eight candidates",
          { baseline: { job }, candidates: Array.from({ length: 8 }, (_, at) => ({ job: `${other}${at}` })) },
          ["/candidates"]
        ],
        ["one twice", { baseline: { job }, candidates: [{ job: other }, { job: other }] }, ["/candidates/1/job"]],
        ["alpha of one", { ...pair, alpha: 1 }, ["/alpha"]],
        ["alpha as text", { ...pair, alpha: "0.05" }, ["/alpha"]],
        ["a negative tolerance", { ...pair, tolerance: -0.1 }, ["/tolerance"]],
        ["an unknown benchmark", { ...pair, benchmarks: [{ id: "nowhere" }] }, ["/benchmarks/0/id"]],
        ["no benchmarks", { ...pair, benchmarks: [] }, ["/benchmarks"]]
      ]
    }
  },
  "a gate": {
    method: "POST",
    path: ({ job }) => `${jobsPath}/${job}/gates`,
    broken: ({ job, foreign }) => [
      ...policies((given) => ({ policy: given }), "/policy"),
      ["nothing", {}, ["/policy"]],
      ["no baseline for a relative criterion", policy(relative), ["/baseline"]],
      ["a baseline of text", { ...policy(relative), baseline: job }, ["/baseline"]],
      ["the job itself as baseline", { ...policy(relative), baseline: { job } }, ["/baseline/job"]],
      ["a baseline of another tenant", { ...policy(relative), baseline: { job: foreign } }, ["/baseline/job"]],
      ["a baseline that does not exist", { ...policy(relative), baseline: { job: absent } }, ["/baseline/job"]]
    ]
  },
  "a gate that comes with a job": {
    method: "POST",
    path: () => jobsPath,
    broken: ({ foreign }) => [
      ...policies((given) => jobBody({ gate: { policy: given } }), "/gate/policy"),
      ["a gate of text", jobBody({ gate: "strict" }), ["/gate"]],
      ["no baseline", jobBody({ gate: policy(relative) }), ["/gate/baseline"]],
      [
        "a baseline of another tenant",
        jobBody({ gate: { ...policy(relative), baseline: { job: foreign } } }),
        ["/gate/baseline/job"]
      ],
      [
        "a baseline that does not exist",
        jobBody({ gate: { ...policy(relative), baseline: { job: absent } } }),
        ["/gate/baseline/job"]
      ]
    ]
  },
  "a rerun": {
    method: "POST",
    path: ({ job }) => `${jobsPath}/${job}/rerun`,
    broken: () => [
      ["nothing", {}, ["/which"]],
      ["a choice that is none", { which: "some" }, ["/which"]],
      ["a list of choices", { which: ["failed"] }, ["/which"]],
      ["nothing that failed", { which: "failed" }, ["/which"]],
      ["nothing invalid", { which: "invalid" }, ["/which"]],
      ["reuse as text", { which: "all", reuse: "yes" }, ["/reuse"]],
      ["overrides of text", { which: "all", overrides: "model" }, ["/overrides"]],
      ["an empty name", { which: "all", overrides: { name: "" } }, ["/overrides/name"]],
      [
        "a model without a name",
        { which: "all", overrides: { model: { url: "http://m.example/v1" } } },
        ["/overrides/model/name"]
      ],
      ["a budget of nothing", { which: "all", overrides: { budget: { requests: 0 } } }, ["/overrides/budget/requests"]],
      [
        "tags that are too many",
        { which: "all", overrides: { tags: Array.from({ length: 500 }, (_, tag) => `t${tag}`) } },
        ["/overrides/tags"]
      ],
      ["control characters", { which: "all", overrides: { name: control } }, ["/overrides/name"]]
    ]
  },
  "a budget of a job": {
    method: "POST",
    path: () => jobsPath,
    broken: () => budgets((budget) => jobBody({ budget }), "/budget")
  },
  "a budget of a benchmark": {
    method: "POST",
    path: () => jobsPath,
    broken: () =>
      budgets((budget) => jobBody({ benchmarks: [{ id: "b", provider_id: "p", budget }] }), "/benchmarks/0/budget")
  },
  "addresses of a job": {
    method: "POST",
    path: () => jobsPath,
    broken: () => {
      const one = (given: object) => jobBody({ notifications: [{ ...address, ...given }] })
      const first = "/notifications/0"
      return [
        ["an object", jobBody({ notifications: address }), ["/notifications"]],
        ["text", jobBody({ notifications: ["https://hooks.example.com"] }), [first]],
        ["no address", one({ url: "" }), [`${first}/url`]],
        ["a file", one({ url: "file:///etc/passwd" }), [`${first}/url`]],
        ["half an address", one({ url: "hooks.example.com" }), [`${first}/url`]],
        ["credentials in it", one({ url: "https://me:secret@hooks.example.com" }), [`${first}/url`]],
        ["a fragment", one({ url: "https://hooks.example.com/#here" }), [`${first}/url`]],
        ["control characters", one({ url: "https://hooks.example.com/\u0000" }), [`${first}/url`]],
        ["a huge address", one({ url: `https://hooks.example.com/${huge}` }), [`${first}/url`]],
        ["no events", one({ events: [] }), [`${first}/events`]],
        ["an event that is none", one({ events: ["finished"] }), [`${first}/events/0`]],
        ["no key", jobBody({ notifications: [{ url: address.url, events: address.events }] }), [`${first}/secret_ref`]],
        ["a path for a key", one({ secret_ref: "../other/key" }), [`${first}/secret_ref`]],
        ["eleven", jobBody({ notifications: Array.from({ length: 11 }, () => address) }), ["/notifications"]]
      ]
    }
  },
  "an address to try": {
    method: "POST",
    path: () => `${base}/notifications/test`,
    broken: () => [
      ["nothing", {}, ["/url", "/secret_ref"]],
      ["a list", [], [""]],
      ["a number", { url: 7, secret_ref: "hook-key" }, ["/url"]],
      ["a file", { url: "file:///etc/passwd", secret_ref: "hook-key" }, ["/url"]],
      ["a script", { url: "javascript:alert(1)", secret_ref: "hook-key" }, ["/url"]],
      ["credentials in it", { url: "https://me:secret@hooks.example.com", secret_ref: "hook-key" }, ["/url"]],
      ["control characters", { url: "https://hooks.example.com/\r\nX: y", secret_ref: "hook-key" }, ["/url"]],
      ["a key of another tenant", { url: address.url, secret_ref: "../b/key" }, ["/secret_ref"]],
      ["an empty key", { url: address.url, secret_ref: "" }, ["/secret_ref"]],
      ["a huge key", { url: address.url, secret_ref: huge }, ["/secret_ref"]]
    ]
  }
}

/** words of a program to itself */
const foreignWords = /\[object|undefined|NaN|Expected |actual |ParseError|\bat .*\.ts|TypeError|SQLITE|stack/

layer(app(), live)("a stranger", (it) => {
  const own = Effect.gen(function* () {
    const headers = { "x-tenant": "other" }
    return {
      job: yield* ended({ right: 150 }),
      other: yield* ended({ right: 140 }),
      foreign: yield* ended({ right: 150, headers })
    }
  })

  for (const [name, { method, path, broken }] of Object.entries(sweeps))
    it.effect(`is told what is wrong with ${name}, and where`, () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const jobs = yield* own
        const found: Array<string> = []
        for (const [what, body, paths] of broken(jobs)) {
          const { status, json, text } = yield* http.send(method, path(jobs), { body })
          const errors = (at(json, "errors") ?? []) as ReadonlyArray<{
            readonly path: string
            readonly message: string
          }>
          const told = [...new Set(errors.map((error) => error.path))]
          const isRight =
            status >= 400 &&
            status < 500 &&
            told.join() === paths.join() &&
            !foreignWords.test(text) &&
            text.length < 10_000
          if (!isRight)
            found.push(`${what}: ${status} ${told.join()} instead of ${paths.join()}: ${text.slice(0, 400)}`)
        }
        assert.deepStrictEqual(found, [])
      })
    )

  it.effect("finds a job of another tenant nowhere: each route answers as for one that does not exist", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const { foreign } = yield* own
      const routes: ReadonlyArray<readonly [method: string, rest: string, body?: unknown]> = [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/rerun", { which: "all" }],
        ["POST", "/gates", policy(criterion)],
        ["GET", "/gates"],
        ["GET", "/gates/0198b2a0-0000-7000-8000-00000000beef"],
        ["GET", "/comparisons"],
        ["GET", "/notifications"],
        ["GET", "/explain"],
        ["GET", "/plan"],
        ["GET", "/attestation"],
        ["GET", "/samples"],
        ["GET", "/benchmarks/0/samples"],
        ["GET", "/benchmarks/0/samples/t:1"],
        ["GET", "/benchmarks/0/samples/t:1/attestation"],
        ["GET", "/logs"]
      ]
      for (const [method, rest, body] of routes) {
        const answerOf = (job: string) =>
          Effect.map(
            http.send(method, `${jobsPath}/${job}${rest}`, body === undefined ? {} : { body }),
            ({ status, text }) => [status, text.replaceAll(job, "JOB").replace(/"trace":"[^"]*"/, "")]
          )
        const answer = yield* answerOf(foreign)
        assert.deepStrictEqual(answer, yield* answerOf(absent), `${method} ${rest}`)
        assert.strictEqual(answer[0], 404, `${method} ${rest}`)
      }
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}/${foreign}`, { headers: { "x-tenant": "other" } })).status,
        200
      )
    })
  )
})
