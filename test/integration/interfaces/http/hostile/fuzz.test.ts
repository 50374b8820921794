import { generateKeyPairSync } from "node:crypto"
import { request as httpRequest } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Signer } from "../../../../../application/ports/signer.ts"
import { makeSigning } from "../../../../../infrastructure/signing/signing.ts"
import { type FuzzRequest, fuzzedOperations, type OpenApiDocument } from "../../../../support/fuzz-requests.ts"
import * as App from "../../../../support/http-app.ts"
import { HttpApp } from "../../../../support/http-app.ts"
import { problemsOf, type Received } from "../../../../support/openapi-validator.ts"
import type { Words } from "../../../../support/schema-values.ts"
import { seedOf } from "../../../../support/seed.ts"
import { ended } from "../decisions/ended-job.ts"

/** enough for every shape of body and every parameter, in a few seconds */
const perOperation = Number(process.env["EVALD_FUZZ_COUNT"] ?? 24)
const perPlainOperation = 8
const seed = seedOf(process.env)

const signer = Layer.sync(Signer, () => ({ signing: makeSigning(generateKeyPairSync("ed25519").privateKey) }))

/** a stream of changes has no end: its head is what counts */
const exchange = (port: number, { method, path, headers, body }: FuzzRequest) =>
  Effect.async<Received>((resume) => {
    const length = body === undefined ? {} : { "content-length": String(body.length) }
    const request = httpRequest(
      { host: "127.0.0.1", port, method, path, agent: false, headers: { ...headers, ...length } },
      (response) => {
        const answered = (text: string) =>
          resume(Effect.succeed({ method, path, status: response.statusCode ?? 0, headers: response.headers, text }))
        if (response.headers["content-type"]?.startsWith("text/event-stream") === true) {
          request.destroy()
          return answered("")
        }
        const chunks: Array<Buffer> = []
        return response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => answered(Buffer.concat(chunks).toString("utf8")))
      }
    )
    request.on("error", (cause) => resume(Effect.die(new Error(`${method} ${path}: ${cause.message}`))))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const show = ({ method, path, headers, body }: FuzzRequest, { status, text }: Received): string =>
  `${method} ${path}\n  ${JSON.stringify(headers)}\n  ${body?.toString("utf8").slice(0, 600) ?? ""}\n  -> ${status} ${text.slice(0, 300)}`

/** identifiers of records that exist, made anew for every operation, because some operations remove them */
const provider = { name: "mine", runtime: { local: { command: "run" } }, benchmarks: [{ id: "own" }] }
const sample = { v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "correct", response: "42", score: 1 }
const collection = { name: "mine", category: "general", benchmarks: [{ id: "b", provider_id: "p" }] }

/** bodies that are accepted, to be sent as they are and with one thing wrong */
const knownBodies = (name: string, { job = [] }: Words): ReadonlyArray<unknown> => {
  const [baseline, candidate] = job
  if (name.includes("/gates")) return [{ policy: { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.5 }] } }]
  if (name.includes("/notifications")) return [{ url: "https://hooks.example.com/evald", secret_ref: "hook-key" }]
  if (name.includes("/rerun")) return [{ which: "all" }, { which: "failed", overrides: { model: { name: "other" } } }]
  if (name.startsWith("POST") && name.includes("/comparisons"))
    return [{ baseline: { job: baseline }, candidate: { job: candidate }, tolerance: 0.1 }]
  if (name.startsWith("PATCH")) return [{ name: "other" }, [{ op: "replace", path: "/name", value: "other" }]]
  if (name.includes("/events"))
    return [App.eventBody(), App.eventBody({ status: "failed", error_message: { message: "m", message_code: "c" } })]
  if (name.includes("/samples"))
    return [sample, { ...sample, verdict: "error", error: { code: "c", message: "m" }, sample_id: "other" }]
  if (name.includes("/jobs"))
    return [App.jobBody(), App.jobBody({ benchmarks: undefined, collection: { id: "c" }, custom: { a: [1] } })]
  return name.includes("/providers") ? [provider] : [collection]
}

const makeWords = Effect.gen(function* () {
  const app = yield* HttpApp
  const made = (path: string, body: unknown) => Effect.map(app.send("POST", path, { body }), App.idOf)
  const job = yield* made(App.jobsPath, App.jobBody())
  yield* app.send("POST", `${App.jobsPath}/${job}/benchmarks/0/samples`, {
    headers: { "content-type": "application/x-ndjson" },
    body: JSON.stringify(sample)
  })
  const other = yield* made(App.jobsPath, App.jobBody())
  const over = yield* ended({ right: 1, of: 2 })
  const compared = { baseline: { job }, candidate: { job: other } }
  const comparison = yield* made("/api/v1/evaluations/comparisons", compared)
  const policy = { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.5 }] }
  const gate = yield* made(`${App.jobsPath}/${job}/gates`, { policy })
  const providerId = yield* made(App.providersPath, provider)
  const collectionId = yield* made(App.collectionsPath, collection)
  const unknown = "0198c9d2-0000-7000-8000-000000000000"
  return {
    at: (path: string): Words => ({
      id: /\/(rerun|attestation)$/.test(path)
        ? [over, job, unknown]
        : path.includes("/jobs/{id}")
          ? [job, unknown]
          : path.includes("/providers/{id}")
            ? [providerId, "p", unknown]
            : path.includes("/collections/{id}")
              ? [collectionId, "c", unknown]
              : path.includes("/comparisons/{id}")
                ? [comparison, unknown]
                : ["b", "plain", "c"],
      job: [job, other, unknown],
      gate_id: [gate, unknown],
      provider_id: ["p"],
      index: ["0", "1"],
      sample_id: path.endsWith("/attestation") ? ["t:0"] : ["s", "other"],
      benchmark_index: [0, 1],
      url: ["http://model.example.com/v1"],
      path: ["/name", "/benchmarks/0", "/benchmarks/-", "/runtime", "/id"],
      op: ["add", "remove", "replace"],
      status: path.endsWith("/events")
        ? ["running", "completed", "failed"]
        : ["pending", "completed|failed", "!running"],
      "If-Match": ['"1"', "*"],
      "Last-Event-ID": ["1", "9.end"]
    })
  }
})

it.scoped(
  "whatever is sent, the answer is one that the document knows, and never a failure of the server",
  () =>
    Effect.gen(function* () {
      const app = yield* HttpApp
      const served = yield* app.send("GET", "/openapi.yaml", { headers: { accept: "application/json" } })
      const operations = fuzzedOperations(served.json as OpenApiDocument)
      assert.isAbove(operations.length, 20)
      const statuses = new Map<string, Set<number>>()
      const problems: Array<string> = []
      for (const [position, { name, varied, sample, plain }] of operations.entries()) {
        const words = (yield* makeWords).at(name)
        const seen = new Set<number>()
        statuses.set(name, seen)
        const drawn = sample(
          words,
          knownBodies(name, words),
          varied ? perOperation : perPlainOperation,
          seed + position
        )
        const send = (request: FuzzRequest) =>
          Effect.map(exchange(app.port, request), (received) => {
            seen.add(received.status)
            const found = [...problemsOf(received), ...(received.status >= 500 ? [`status ${received.status}`] : [])]
            if (found.length > 0) problems.push(`${found.join("\n")}\n${show(request, received)}`)
          })
        yield* Effect.forEach(drawn, send, { concurrency: 4, discard: true })
        // last, because some operations remove what they are about
        yield* Effect.forEach(plain(words, knownBodies(name, words)), send, { discard: true })
      }
      assert.deepStrictEqual(problems.slice(0, 10), [], `${problems.length} answers differ from the document`)
      // the run says nothing when every request is refused at the door
      const neverAccepted = [...statuses]
        .filter(([, seen]) => ![...seen].some((status) => status < 400))
        .map(([name]) => name)
      assert.deepStrictEqual(neverAccepted, [], "operations of which no request was accepted")
      assert.isAbove(new Set([...statuses.values()].flatMap((seen) => [...seen])).size, 8)
    }).pipe(
      Effect.provide(
        App.layer({
          runtime: App.idleRuntime({
            logs: () => Effect.succeed({ source: "live", text: Stream.make(new TextEncoder().encode("one line\n")) })
          })
        }).pipe(Layer.provide(signer))
      )
    ),
  60_000
)
