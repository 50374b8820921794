/** Signed results over HTTP: the same bytes twice, checked by the rules of `evald verify`, and every reason not to sign. */
import { generateKeyPairSync } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { Signer } from "../../../../../application/ports/signer.ts"
import { SamplePolicy } from "../../../../../application/samples/add-samples.ts"
import { checkFile } from "../../../../../infrastructure/signing/check-file.ts"
import { makeSigning } from "../../../../../infrastructure/signing/signing.ts"
import { open } from "../../../../../values/signing/dsse.ts"
import { layer as app, at, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"
import { ended } from "./ended-job.ts"

const live = { excludeTestServices: true } as const
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const signer = Layer.succeed(Signer, { signing: makeSigning(privateKey) })
const check = (text: string) =>
  Either.getOrThrowWith(
    checkFile(text, (envelope) => open(envelope, [publicKey])),
    (why) => new Error(why)
  )

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", `${jobsPath}/${path}`, { headers }))
const refusal = (path: string) => Effect.map(get(path), ({ status, json }) => [status, at(json, "message_code")])

layer(app().pipe(Layer.provide(signer)), live)("signed results", (it) => {
  it.effect(
    "hold the record, the roots over its samples and its gates, and are the same until one of them changes",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const id = yield* ended({ right: 150 })
        const first = yield* get(`${id}/attestation`)
        assert.deepStrictEqual([first.status, first.headers["cache-control"]], [200, "no-store"])
        const { results, subject } = check(first.text)
        assert.deepStrictEqual(results?.job, (yield* get(id)).json)
        assert.strictEqual(subject.name, `job/${id}`)
        assert.deepStrictEqual(
          results?.samples.map(({ benchmark_index, count }) => [benchmark_index, count]),
          [[0, 200]]
        )
        assert.deepStrictEqual(results?.gates, [])
        assert.strictEqual((yield* get(`${id}/attestation`)).text, first.text)
        const policy = { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.6 }] }
        const gate = yield* http.send("POST", `${jobsPath}/${id}/gates`, { body: { policy } })
        assert.deepStrictEqual(check((yield* get(`${id}/attestation`)).text).results?.gates, [
          {
            id: String(at(gate.json, "resource.id")),
            policy_sha256: String(at(gate.json, "policy_sha256")),
            outcome: String(at(gate.json, "outcome"))
          }
        ])
      })
  )

  it.effect("every sample is disclosed with a proof that fits the signed root", () =>
    Effect.gen(function* () {
      const id = yield* ended({ right: 5, of: 11 })
      for (let index = 0; index < 11; index++) {
        const answer = yield* get(`${id}/benchmarks/0/samples/t:${index}/attestation`)
        const { disclosed } = check(answer.text)
        assert.deepInclude(disclosed?.sample, { sample_id: `t:${index}`, verdict: index < 5 ? "correct" : "incorrect" })
        assert.isAtMost(Buffer.byteLength(JSON.stringify(at(answer.json, "proof"))), 1024)
      }
      assert.deepStrictEqual(yield* refusal(`${id}/benchmarks/0/samples/none/attestation`), [404, "resource_not_found"])
      assert.deepStrictEqual(yield* refusal(`${id}/benchmarks/7/samples/t:1/attestation`), [404, "resource_not_found"])
    })
  )

  it.effect("a job that runs, and one of another tenant, are not signed", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const running = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      assert.deepStrictEqual(yield* refusal(`${running}/attestation`), [409, "signature_unavailable"])
      const foreign = yield* ended({ right: 1, of: 2, headers: { "x-tenant": "other" } })
      assert.deepStrictEqual(yield* refusal(`${foreign}/attestation`), [404, "resource_not_found"])
    })
  )
})

const hashed = Layer.succeed(SamplePolicy, { maxPerJob: 100, content: "hash" })

layer(app().pipe(Layer.provide([signer, hashed])), live)("signed results of samples without their texts", (it) => {
  it.effect("a sample that was not kept as it was sent is not disclosed; the results are signed all the same", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const record = { v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "correct", response: "42" }
      yield* http.send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
        headers: { "content-type": "application/x-ndjson" },
        body: JSON.stringify(record)
      })
      yield* http.send("POST", `${jobsPath}/${id}/events`, {
        body: { benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "completed" } }
      })
      assert.deepStrictEqual(yield* refusal(`${id}/benchmarks/0/samples/s/attestation`), [409, "signature_unavailable"])
      assert.strictEqual(check((yield* get(`${id}/attestation`)).text).results?.samples[0]?.count, 1)
    })
  )
})

layer(app(), live)("a server without a key", (it) => {
  it.effect("signs nothing and says what is missing", () =>
    Effect.gen(function* () {
      const answer = yield* get(`${yield* ended({ right: 1, of: 2 })}/attestation`)
      assert.deepStrictEqual([answer.status, at(answer.json, "message_code")], [409, "signature_unavailable"])
      assert.include(String(at(answer.json, "message")), "signing.key")
    })
  )
})
