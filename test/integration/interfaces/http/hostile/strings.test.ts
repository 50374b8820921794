/** Odd and hostile text in every string of every body, query and address: refused by name or stored as it is, never a failure. */
import { Agent } from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as app,
  at,
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../../support/http-app.ts"
import { send } from "../../../../support/http-client.ts"

const live = { excludeTestServices: true } as const

/** as JavaScript strings; those that JSON or UTF-8 cannot carry are escaped by `JSON.stringify` */
const nasty: ReadonlyArray<string> = [
  ...[
    "",
    " ",
    "\t",
    "%",
    "_",
    "\\",
    "%_%'\"",
    "'; DROP TABLE jobs; --",
    "{{7*7}}",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "a\r\nX-Injected: 1"
  ],
  ...[
    "\u0000",
    "a\u0000b",
    "\u0001\u001f\u007f",
    "\u0085\u009f",
    "\u202eabc",
    "a\u2066b\u2069",
    "\u200b",
    "\ufeff",
    "\ufffe\uffff",
    "\ud800",
    "x\udc00",
    "🧪👩‍🔬🏳️‍🌈",
    "e\u0301".repeat(60)
  ],
  ...[
    "__proto__",
    "constructor",
    "null",
    "NaN",
    "1e400",
    "-0",
    "9".repeat(400),
    "x".repeat(5000),
    "日本語",
    "\u0130ı",
    "\u2028\u2029",
    "ﷺ".repeat(200)
  ]
]

/** for routes that read their body as another one does */
const some = nasty.filter((_, position) => position % 4 === 0)

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [member: string]: Json }

/** the document with the string at each place replaced in turn, member names of free-form objects included */
const variants = (value: Json, text: string): ReadonlyArray<Json> => {
  if (typeof value === "string") return [text]
  if (Array.isArray(value))
    return value.flatMap((item: Json, place) =>
      variants(item, text).map((one) => value.map((other: Json, at) => (at === place ? one : other)))
    )
  if (typeof value !== "object" || value === null) return []
  const members = Object.entries(value)
  return [
    ...members.flatMap(([name, member]) => variants(member as Json, text).map((one) => ({ ...value, [name]: one }))),
    ...members
      .slice(0, 1)
      .map(
        ([name, member]) =>
          Object.fromEntries([[text, member as Json], ...members.filter(([other]) => other !== name)]) as Json
      )
  ]
}

const fullJob = jobBody({
  description: "d",
  tags: ["t"],
  model: { url: "http://model.example.com/v1", name: "m", parameters: { a: "b" }, auth: { secret_ref: "s" } },
  benchmarks: [{ id: "b", provider_id: "p", primary_score: { metric: "acc" }, parameters: { deep: [{ a: "b" }] } }],
  exports: {
    oci: { coordinates: { oci_host: "h.example.com", oci_repository: "r", oci_tag: "t", annotations: { a: "b" } } }
  },
  custom: { a: ["b", { c: "d" }] }
}) as unknown as Json
const fullProvider: Json = {
  ...{
    name: "n",
    title: "t",
    description: "d",
    tags: ["t"],
    agent: { evaluates: ["e"], target_type: "model", summary: "s", hints: ["h"] }
  },
  runtime: {
    k8s: { image: "registry/p:1", entrypoint: ["run"], cpu_request: "1", env: [{ name: "A", value: "b" }] },
    local: { command: "run", env: [{ name: "A", value: "b" }] }
  },
  benchmarks: [
    {
      id: "own",
      name: "n",
      description: "d",
      category: "c",
      url: "http://x.example.com",
      metrics: ["m"],
      tags: ["t"],
      primary_score: { metric: "m" }
    }
  ]
}
const fullCollection: Json = {
  ...{ name: "n", category: "c", description: "d", tags: ["t"], custom: { a: "b" } },
  benchmarks: [
    { id: "b", provider_id: "p", url: "http://x.example.com", primary_score: { metric: "acc" }, parameters: { a: "b" } }
  ]
}
const fullEvent = eventBody({
  ...{
    phase: "running_evaluation",
    metrics: { acc: "x" },
    artifacts: { a: "b" },
    additional_info: { a: "b" },
    tracker_run_id: "r",
    logs_path: "l"
  },
  ...{ message: { message: "m", message_code: "c" }, started_at: "2026-01-01T00:00:00Z" }
}) as unknown as Json

/** thousands of requests: a connection for each would be most of their time */
const agent = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true })),
  (one) => Effect.sync(() => one.destroy())
)

const asText = (value: Json) => Buffer.from(JSON.stringify(value))

// each on a server of its own: the records of the others are no concern of it
describe("every string of every body", () => {
  const each = (
    name: string,
    method: string,
    path: Effect.Effect<string, unknown, HttpApp>,
    body: Json,
    texts = nasty
  ) =>
    it.scopedLive(
      name,
      () =>
        Effect.gen(function* () {
          const { port } = yield* HttpApp
          const connections = yield* agent
          const target = yield* Effect.orDie(path)
          const statuses = new Set<number>()
          for (const text of texts) {
            yield* Effect.forEach(
              variants(body, text),
              (variant) =>
                Effect.map(send(port, method, target, { body: asText(variant) }, connections), (answer) => {
                  statuses.add(answer.status)
                  const injected =
                    "x-injected" in answer.headers ||
                    Object.values(answer.headers).some((value) => String(value).includes("X-Injected: 1\n"))
                  const named = answer.status < 400 || answer.code !== undefined
                  if (answer.status >= 500 || injected || !named)
                    assert.fail(`${JSON.stringify(variant).slice(0, 400)}\n${JSON.stringify(answer)}`)
                }),
              { concurrency: 4, discard: true }
            )
          }
          assert.includeMembers([...statuses], [400])
          assert.isTrue([...statuses].some((status) => status < 300))
        }).pipe(Effect.provide(app())),
      60_000
    )
  const made = (path: string, body: Json) =>
    Effect.gen(function* () {
      return `${path}/${idOf(yield* (yield* HttpApp).send("POST", path, { body }))}`
    })
  each("of a job", "POST", Effect.succeed(jobsPath), fullJob)
  each("of a provider", "POST", Effect.succeed(providersPath), fullProvider)
  each("of a collection", "POST", Effect.succeed(collectionsPath), fullCollection)
  each("of a replaced provider", "PUT", made(providersPath, fullProvider), fullProvider, some)
  each("of a replaced collection", "PUT", made(collectionsPath, fullCollection), fullCollection, some)
  each("of a patch", "PATCH", made(providersPath, fullProvider), [{ op: "replace", path: "/description", value: "v" }])
  each("of a merge patch", "PATCH", made(collectionsPath, fullCollection), { description: "d", tags: ["t"] })
  each(
    "of an event",
    "POST",
    Effect.map(made(jobsPath, jobBody() as unknown as Json), (path) => `${path}/events`),
    fullEvent
  )
})

layer(app(), live)("text in addresses", (it) => {
  const parameters = [
    "name",
    "tags",
    "status",
    "model",
    "provider_id",
    "collection_id",
    "experiment_id",
    "owner",
    "created_after",
    "cursor",
    "fields",
    "limit",
    "category",
    "scope"
  ]
  it.scoped(
    "whatever a query or a path holds, the answer is a list, a refusal or an unknown record",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const connections = yield* agent
        const get = (path: string) => send(http.port, "GET", path, {}, connections)
        yield* http.send("POST", jobsPath, { body: jobBody() })
        const encoded = [
          ...nasty.map((text) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "?")).slice(0, 4000)),
          "%",
          "%zz",
          "%ff",
          "%00",
          "%c0%80",
          "%ed%a0%80",
          "+",
          "a=b"
        ]
        for (const text of encoded) {
          for (const path of [jobsPath, providersPath, collectionsPath]) {
            for (const name of parameters) {
              const { status, text: body } = yield* get(`${path}?${name}=${text}`)
              if (status !== 200 && status !== 400) assert.fail(`${path}?${name}=${text} ${status} ${body}`)
            }
            const single = yield* get(`${path}/${text}`)
            assert.include([200, 400, 404, 405], single.status, `${path}/${text} ${single.text}`)
          }
        }
      }),
    60_000
  )

  it.effect("LIKE wildcards, case and quotes in a name filter are ordinary characters", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const name of ["100% sure", "100 percent", "snake_case", "snakeXcase", "back\\slash", "it's"])
        yield* http.send("POST", jobsPath, { body: jobBody({ name }) })
      const found = (text: string) =>
        Effect.map(http.send("GET", `${jobsPath}?name=${encodeURIComponent(text)}`), ({ json }) =>
          (at(json, "items") as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
        )
      assert.deepStrictEqual(yield* found("100%"), ["100% sure"])
      assert.deepStrictEqual(yield* found("SNAKE_"), ["snake_case"])
      assert.deepStrictEqual(yield* found("k\\s"), ["back\\slash"])
      assert.deepStrictEqual(yield* found("t's"), ["it's"])
      assert.deepStrictEqual(yield* found("%"), ["100% sure"])
    })
  )
})
