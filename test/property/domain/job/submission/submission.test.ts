import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "effect/FastCheck"
import { inWireWords, wirePointer } from "../../../../../config/wire-names.ts"
import type { BenchmarkEntry, JobRequest } from "../../../../../domain/job/job.ts"
import { submit } from "../../../../../domain/job/submission/submission.ts"
import { requestCodes } from "../../../../../interfaces/http/groups/request-codes.ts"
import {
  sampleCollection,
  sampleContext,
  sampleProvider,
  sampleRequest
} from "../../../../support/sample-definitions.ts"

const anyText = fc.oneof(
  fc.constantFrom("", "p", "b", "c", "plain", "big", "http://h/v1", "1", "500m", "a b", "\u202e"),
  fc.string(),
  fc.string16bits()
)
const anyNumber = fc.oneof(fc.constantFrom(0, 1, -1, Number.POSITIVE_INFINITY, Number.NaN, 1e308), fc.double())
const anyObject = fc.dictionary(
  fc.oneof(fc.constantFrom("num_examples", "seed", "judge", "__proto__", "size"), anyText),
  fc.oneof(fc.jsonValue(), anyNumber, anyText),
  {
    maxKeys: 5
  }
)
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const pruned = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as A
const anyRecord = <A extends object>(members: { readonly [K in keyof A]: fc.Arbitrary<A[K]> }): fc.Arbitrary<A> =>
  fc.record(members).map((value) => pruned(value as A))

const anyQueue = anyRecord({ kind: maybe(anyText), name: maybe(anyText) })
const anyPair = anyRecord({ request: maybe(anyText), limit: maybe(anyText) })
const anyHardware = anyRecord({
  profileName: maybe(anyText),
  cpu: maybe(anyPair),
  memory: maybe(anyPair),
  gpu: maybe(anyRecord({ name: maybe(anyText), count: maybe(anyNumber) })),
  queue: maybe(anyQueue)
})
const anyEntry = anyRecord({
  id: anyText,
  providerId: anyText,
  url: maybe(anyText),
  weight: maybe(anyNumber),
  primaryScore: maybe(fc.record({ metric: anyText, lowerIsBetter: fc.boolean() })),
  threshold: maybe(anyNumber),
  parameters: maybe(anyObject),
  testData: maybe(fc.record({ s3: fc.record({ bucket: anyText, key: anyText, secretRef: anyText }) })),
  hardware: maybe(anyHardware)
}) as fc.Arbitrary<BenchmarkEntry>
const anyRequest = anyRecord({
  name: anyText,
  description: maybe(anyText),
  tags: maybe(fc.array(anyText, { maxLength: 4 })),
  model: anyRecord({
    url: anyText,
    name: anyText,
    parameters: maybe(anyObject),
    auth: maybe(fc.record({ secretRef: anyText }))
  }),
  benchmarks: maybe(fc.array(anyEntry, { maxLength: 4 })),
  collection: maybe(fc.record({ id: anyText })),
  threshold: maybe(anyNumber),
  experiment: maybe(
    anyRecord({
      name: anyText,
      tags: maybe(fc.array(fc.record({ key: anyText, value: anyText }), { maxLength: 3 })),
      artifactLocation: maybe(anyText)
    })
  ),
  exports: maybe(
    fc.record({
      oci: anyRecord({
        coordinates: anyRecord({
          host: anyText,
          repository: anyText,
          tag: maybe(anyText),
          subject: maybe(anyText),
          annotations: maybe(fc.dictionary(anyText, anyText, { maxKeys: 2 }))
        }),
        connection: maybe(anyText)
      })
    })
  ),
  queue: maybe(anyQueue),
  hardware: maybe(anyHardware),
  custom: maybe(anyObject)
}) as fc.Arbitrary<JobRequest>

const provider = sampleProvider({ parameters: [{ name: "size", type: "integer", minimum: 0, aliases: ["Size"] }] })
const profile = { name: "big", cpu: { request: "4", limit: "8" }, accelerators: [] }
const contextFor = (mode: "local" | "cluster", trackerConfigured: boolean) =>
  sampleContext({
    mode,
    trackerConfigured,
    providers: [provider],
    collections: [sampleCollection()],
    findProfile: (name) => (name === "big" ? Either.right(profile) : undefined)
  })

const pointer = /^(\/([^~/]|~[01])*)*$/su

describe("any request of the right shape", () => {
  it("is answered with a complete job or with problems that a caller can use, and never throws", () => {
    fc.assert(
      fc.property(
        anyRequest,
        fc.constantFrom("local" as const, "cluster" as const),
        fc.boolean(),
        (request, mode, tracker) => {
          const answer = submit(request, contextFor(mode, tracker))
          if (Either.isLeft(answer)) {
            for (const { path, message, code } of answer.left.map(inWireWords)) {
              assert.match(path, pointer)
              assert.isTrue(Object.hasOwn(requestCodes, code), code)
              assert.isNotEmpty(message)
              // what disguises text or can not be stored is never repeated as it is
              assert.notMatch(message, /[\0\u202e]|\p{Surrogate}/u)
            }
            return
          }
          const { job } = answer.right
          assert.strictEqual(job.state, "pending")
          assert.strictEqual(job.counts.pending, job.benchmarks.length)
          assert.isNotEmpty(job.benchmarks)
          assert.deepStrictEqual(
            job.benchmarks.map(({ entry }) => entry),
            job.request.benchmarks
          )
          assert.notMatch(JSON.stringify(job), /\\u0000|\\ud[89a-f]/)
        }
      ),
      { numRuns: 800 }
    )
  })
  it("is judged the same way again after it was normalised", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const answer = submit(request, contextFor("cluster", true))
        if (Either.isLeft(answer) || request.collection !== undefined) return
        const again = Either.getOrThrow(submit(answer.right.job.request, contextFor("cluster", true)))
        assert.deepStrictEqual(again.job, answer.right.job)
      }),
      { numRuns: 300 }
    )
  })
})

/** one fault each, with the problem that must be told for it */
const faults: ReadonlyArray<readonly [(request: JobRequest) => JobRequest, string]> = [
  [(request) => ({ ...request, name: " " }), "/name"],
  [(request) => ({ ...request, description: "\0" }), "/description"],
  [(request) => ({ ...request, tags: ["fine", "a|b"] }), "/tags/1"],
  [(request) => ({ ...request, model: { ...request.model, url: "" } }), "/model/url"],
  [(request) => ({ ...request, model: { ...request.model, name: "\u0007" } }), "/model/name"],
  [(request) => ({ ...request, model: { ...request.model, auth: { secretRef: "_" } } }), "/model/auth/secret_ref"],
  [
    (request) => ({ ...request, benchmarks: [...(request.benchmarks ?? []), { id: "b", providerId: "gone" }] }),
    "provider_id"
  ],
  [(request) => ({ ...request, benchmarks: [...(request.benchmarks ?? []), { id: "gone", providerId: "p" }] }), "/id"],
  [
    (request) => ({
      ...request,
      benchmarks: [...(request.benchmarks ?? []), { id: "b", providerId: "p", weight: -1 }]
    }),
    "/weight"
  ],
  [
    (request) => ({
      ...request,
      benchmarks: [...(request.benchmarks ?? []), { id: "b", providerId: "p", parameters: { size: "big" } }]
    }),
    "/parameters/size"
  ],
  [(request) => ({ ...request, threshold: Number.NaN }), "/pass_criteria/threshold"],
  [(request) => ({ ...request, experiment: { name: "e" } }), "/experiment"],
  [(request) => ({ ...request, queue: { name: "_" } }), "/queue/name"],
  [(request) => ({ ...request, hardware: { cpu: { limit: "much" } } }), "/hardware_config/cpu/limit"],
  [(request) => ({ ...request, custom: { x: "\ud800" } }), "/custom/x"]
]

describe("any set of faults", () => {
  it("is reported completely", () => {
    fc.assert(
      fc.property(
        fc.subarray(
          faults.map((_, index) => index),
          { minLength: 1 }
        ),
        (chosen) => {
          const request = chosen.reduce((broken, index) => faults[index]?.[0](broken) ?? broken, sampleRequest())
          const found = Either.getOrThrow(Either.flip(submit(request, contextFor("cluster", false)))).map(({ path }) =>
            wirePointer(path)
          )
          for (const index of chosen) {
            const path = faults[index]?.[1] ?? ""
            assert.isTrue(
              found.some((one) => one.endsWith(path)),
              `${path} is missing among ${found.join(" ")}`
            )
          }
        }
      ),
      { numRuns: 200 }
    )
  })
})
