import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { inWireWords, wirePointer, wireSentence } from "../../../../../config/wire-names.ts"
import type { BenchmarkEntry, JobRequest } from "../../../../../domain/job/job.ts"
import { profileReferences } from "../../../../../domain/job/submission/profile-references.ts"
import { type Submission, type SubmissionContext, submit } from "../../../../../domain/job/submission/submission.ts"
import type { Path } from "../../../../../domain/path.ts"
import { violation } from "../../../../../domain/violation.ts"
import {
  sampleCollection,
  sampleContext,
  sampleProvider,
  sampleRequest
} from "../../../../support/sample-definitions.ts"
import { t0 } from "../../../../support/sample-job.ts"

const accepted = (request: Partial<JobRequest> = {}, context: SubmissionContext = sampleContext()): Submission =>
  Either.match(submit(sampleRequest(request), context), {
    onLeft: (violations) => {
      throw new Error(JSON.stringify(violations))
    },
    onRight: (submission) => submission
  })
/** path and code of every problem */
const problems = (request: Partial<JobRequest>, context: SubmissionContext = sampleContext()): ReadonlyArray<string> =>
  Either.match(submit(sampleRequest(request), context), {
    onLeft: (violations) => violations.map(inWireWords).map(({ path, code }) => `${path} ${code}`),
    onRight: () => []
  })
const messages = (request: Partial<JobRequest>, context: SubmissionContext = sampleContext()): ReadonlyArray<string> =>
  Either.match(submit(sampleRequest(request), context), {
    onLeft: (violations) => violations.map(inWireWords).map(({ message }) => message),
    onRight: () => []
  })
const entry = (given: Partial<BenchmarkEntry>): Partial<JobRequest> => ({
  benchmarks: [{ id: "b", providerId: "p", ...given }]
})

describe("an accepted job", () => {
  it("shares what follows from a definition alone with other jobs, until the definition is another one", () => {
    const provider = sampleProvider()
    const snapshotIn = (given: Partial<BenchmarkEntry>, context: Partial<SubmissionContext> = {}) =>
      accepted(entry(given), sampleContext({ providers: [provider], ...context })).job.benchmarks[0]?.snapshot
    const [first, again] = [snapshotIn({ parameters: { n: 1 } }), snapshotIn({ weight: 1 })]
    assert.isDefined(first)
    assert.strictEqual(again, first)
    assert.isTrue(Object.isFrozen(first))
    const own = snapshotIn({ weight: 2 })
    assert.deepStrictEqual(own, { ...first, weight: 2 })
    assert.deepStrictEqual(snapshotIn({ threshold: 0.9 })?.threshold, { value: 0.9, source: "job" })
    assert.deepStrictEqual(snapshotIn({}, { validityLimits: { few_items: 7 } })?.validityLimits, { few_items: 7 })
    const edited = { ...provider, runtime: { local: { command: "run it otherwise" } } }
    const changed = snapshotIn({}, { mode: "local", findProvider: () => edited })
    assert.strictEqual(changed?.runtime.local?.command, "run it otherwise")
    assert.strictEqual(snapshotIn({})?.runtime.local?.command, "run")
  })

  it("is pending with everything it needs to run", () => {
    const { job, warnings } = accepted({ name: "  two words  ", tags: [" a "], description: "" })
    assert.deepStrictEqual(warnings.map(inWireWords), [])
    assert.strictEqual(job.name, "two words")
    assert.deepStrictEqual(job.request.tags, ["a"])
    assert.strictEqual(job.state, "pending")
    assert.strictEqual(job.message.code, "evaluation_job_created")
    assert.deepStrictEqual(job.counts, { pending: 1, running: 0, completed: 0, failed: 0, cancelled: 0 })
    assert.deepStrictEqual([job.createdAt, job.updatedAt, job.owner, job.tenant], [t0, t0, "local", "default"])
    assert.strictEqual(job.threshold, 0.5)
    assert.deepStrictEqual(job.benchmarks, [
      {
        index: 0,
        entry: { id: "b", providerId: "p" },
        attempt: 1,
        state: "pending",
        snapshot: {
          primaryScore: { metric: "acc", lowerIsBetter: false, source: "provider" },
          threshold: { value: 0.25, source: "provider" },
          weight: 1,
          runtime: { local: { command: "run" }, k8s: { image: "registry/p:1" } },
          resources: {
            cpuRequest: { value: "250m", source: "built_in" },
            memoryRequest: { value: "512Mi", source: "built_in" },
            cpuLimit: { value: "1", source: "built_in" },
            memoryLimit: { value: "2Gi", source: "built_in" }
          }
        }
      }
    ])
  })
  it("may run the same benchmark several times; the index tells them apart", () => {
    const { job } = accepted({ benchmarks: [1, 2, 3].map(() => ({ id: "b", providerId: "p" })) })
    assert.deepStrictEqual(
      job.benchmarks.map(({ index }) => index),
      [0, 1, 2]
    )
  })
  it("takes metric and threshold from the entry, each independently of the other", () => {
    const own = accepted(entry({ primaryScore: { metric: "f1", lowerIsBetter: true } })).job.benchmarks[0]?.snapshot
    assert.deepStrictEqual(own?.primaryScore, { metric: "f1", lowerIsBetter: true, source: "job" })
    assert.deepStrictEqual(own?.threshold, { value: 0.25, source: "provider" })
    const threshold = accepted(entry({ threshold: 0.9, weight: 0 })).job.benchmarks[0]?.snapshot
    assert.deepStrictEqual(threshold?.threshold, { value: 0.9, source: "job" })
    assert.strictEqual(threshold?.primaryScore?.source, "provider")
    assert.strictEqual(threshold?.weight, 0)
  })
  it("needs no metric", () => {
    const snapshot = accepted(entry({ id: "plain" })).job.benchmarks[0]?.snapshot
    assert.isFalse(snapshot !== undefined && ("primaryScore" in snapshot || "threshold" in snapshot))
  })
})

describe("a job of a collection", () => {
  const collection = sampleCollection({
    threshold: 0.7,
    benchmarks: [
      { id: "b", providerId: "p", weight: 2, threshold: 0.6, parameters: { num_examples: 5 } },
      { id: "plain", providerId: "p", primaryScore: { metric: "f1", lowerIsBetter: false } }
    ]
  })
  const context = sampleContext({ collections: [collection] })
  const byCollection: JobRequest = { name: "job", model: sampleRequest().model, collection: { id: "c" } }
  const job = Either.getOrThrow(submit(byCollection, context)).job
  it("copies its benchmarks and keeps its name", () => {
    assert.deepStrictEqual(job.request.collection, { id: "c" })
    assert.deepStrictEqual(job.request.benchmarks, collection.benchmarks)
    assert.strictEqual(job.benchmarks[0]?.snapshot.weight, 2)
    assert.deepStrictEqual(job.benchmarks[0]?.snapshot.threshold, { value: 0.6, source: "collection" })
    assert.deepStrictEqual(job.benchmarks[1]?.snapshot.primaryScore, {
      metric: "f1",
      lowerIsBetter: false,
      source: "collection"
    })
  })
  it("takes the collection's threshold unless it has its own", () => {
    assert.strictEqual(job.threshold, 0.7)
    assert.strictEqual(Either.getOrThrow(submit({ ...byCollection, threshold: 0.1 }, context)).job.threshold, 0.1)
  })
  it("may carry an empty list of benchmarks beside it", () => {
    assert.isTrue(Either.isRight(submit({ ...byCollection, benchmarks: [] }, context)))
  })
  it("gives the parameters of the job to every entry whose provider declares them, and to no other", () => {
    const declared = sampleProvider({
      parameters: [
        { name: "allow_code_execution", type: "boolean" },
        { name: "num_few_shot", type: "integer", aliases: ["shots"] }
      ]
    })
    const code = {
      ...sampleProvider().benchmarks[0],
      id: "code",
      name: "code",
      category: "code",
      metrics: [],
      requirements: { flags: ["code_execution"] }
    } as const
    const two = sampleContext({
      mode: "local",
      providers: [{ ...declared, benchmarks: [...declared.benchmarks, code] }, sampleProvider({ id: "q" })],
      collections: [
        sampleCollection({
          benchmarks: [
            { id: "code", providerId: "p", parameters: { shots: 5, kept: 1 } },
            { id: "b", providerId: "q", parameters: { kept: 2 } }
          ]
        })
      ]
    })
    const refusals = (parameters?: { readonly [name: string]: unknown }) =>
      Either.match(
        submit({ ...byCollection, collection: { id: "c", ...(parameters === undefined ? {} : { parameters }) } }, two),
        {
          onLeft: (violations) => violations.map(inWireWords).map(({ path, message }) => `${path} ${message}`),
          onRight: () => []
        }
      )
    assert.deepStrictEqual(refusals(), [
      "/collection/id entry 0 (p/code) of the collection: benchmark 'p/code' runs code that the model writes; permit it with allow_code_execution: true in 'collection.parameters'"
    ])
    const given = { allow_code_execution: true, num_few_shot: 0, seed: 7 }
    const { request, benchmarks } = Either.getOrThrow(
      submit({ ...byCollection, collection: { id: "c", parameters: given } }, two)
    ).job
    assert.deepStrictEqual(request.collection, { id: "c", parameters: given })
    assert.deepStrictEqual(
      benchmarks.map(({ entry: { parameters } }) => parameters),
      [
        { kept: 1, allow_code_execution: true, num_few_shot: 0, seed: 7 },
        { kept: 2, seed: 7 }
      ]
    )
    assert.deepStrictEqual(
      request.benchmarks,
      benchmarks.map((benchmark) => benchmark.entry)
    )
    const permitted = { allow_code_execution: true }
    assert.deepStrictEqual(refusals({ ...permitted, allow_code_executon: true }), [
      "/collection/parameters/allow_code_executon no benchmark of the collection declares the parameter 'allow_code_executon'; did you mean 'allow_code_execution'?"
    ])
    assert.deepStrictEqual(refusals({ ...permitted, shots: "x" }), [
      "/collection/parameters/shots 'collection.parameters.shots' 'x' must be a whole number"
    ])
    assert.deepStrictEqual(refusals({ ...permitted, num_examples: 0 }), [
      "/collection/parameters/num_examples 'collection.parameters.num_examples' 0 must be a whole number of at least 1; leave it out to use all examples"
    ])
    assert.match(
      refusals({ ...permitted, seed: "x".repeat(9000) })[0] ?? "",
      /^\/collection\/parameters .*at most 8192 are allowed/
    )
  })
  it("shows problems of its entries where the collection is named", () => {
    const broken = sampleContext({ collections: [sampleCollection({ benchmarks: [{ id: "gone", providerId: "p" }] })] })
    const { benchmarks: _benchmarks, ...rest } = sampleRequest({ collection: { id: "c" } })
    const found = Either.getOrThrow(Either.flip(submit(rest, broken)))
    assert.deepStrictEqual(found[0].path, ["collection", "id"])
    assert.strictEqual(found[0].code, "resource_does_not_exist")
    assert.include(
      wireSentence(found[0].message),
      "entry 0 (p/gone) of the collection: provider 'p' has no benchmark 'gone'"
    )
  })
})

describe("what a request alone can break", () => {
  const long = (length: number) => "x".repeat(length)
  const table: ReadonlyArray<readonly [string, Partial<JobRequest>, ReadonlyArray<string>]> = [
    ["blank name", { name: "  " }, ["/name invalid_value"]],
    ["name of 256 characters is fine", { name: "🙂".repeat(256) }, []],
    ["name of 257 characters", { name: "🙂".repeat(257) }, ["/name invalid_value"]],
    ["control character in the name", { name: "a\u0007b" }, ["/name invalid_value"]],
    ["line break in the name", { name: "a\nb" }, ["/name invalid_value"]],
    ["text direction override in the name", { name: "a\u202eb" }, ["/name invalid_value"]],
    ["NUL in the name", { name: "a\0b" }, ["/name invalid_value"]],
    ["lone surrogate in the name", { name: "a\ud800b" }, ["/name invalid_value"]],
    ["description of several lines is fine", { description: "a\nb" }, []],
    ["description of 4097 characters", { description: long(4097) }, ["/description invalid_value"]],
    ["NUL in the description", { description: "\0" }, ["/description invalid_value"]],
    ["51 tags", { tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, ["/tags invalid_value"]],
    [
      "bad tags, each by itself",
      { tags: ["", "a,b", "a|b", long(129), "fine"] },
      [0, 1, 2, 3].map((index) => `/tags/${index} invalid_value`)
    ],
    ["no model address", { model: { url: "", name: "m" } }, ["/model/url model_url_required"]],
    ["blank model address", { model: { url: " ", name: "m" } }, ["/model/url model_url_required"]],
    ["no model name", { model: { url: "http://m", name: "" } }, ["/model/name invalid_value"]],
    [
      "model secret with an illegal name",
      { model: { url: "http://m", name: "m", auth: { secretRef: "A_b" } } },
      ["/model/auth/secret_ref invalid_value"]
    ],
    [
      "empty model secret",
      { model: { url: "http://m", name: "m", auth: { secretRef: "" } } },
      ["/model/auth/secret_ref invalid_value"]
    ],
    [
      "NUL deep in model parameters",
      { model: { url: "http://m", name: "m", parameters: { a: [{ b: "\0" }] } } },
      ["/model/parameters/a/0/b invalid_value"]
    ],
    ["nothing to run", { benchmarks: [] }, ["/benchmarks evaluation_job_empty"]],
    ["both ways to say what to run", { collection: { id: "c" } }, ["/collection invalid_value"]],
    ["infinite threshold", { threshold: Number.POSITIVE_INFINITY }, ["/pass_criteria/threshold invalid_value"]],
    ["NUL as a member name of custom", { custom: { a: { "b\0": 1 } } }, ["/custom/a invalid_value"]],
    ["pointers are escaped", { custom: { "a/b~c": "\0" } }, ["/custom/a~1b~0c invalid_value"]],
    ["queue without a name", { queue: {} }, ["/queue/name invalid_value"]],
    ["queue of an unknown kind", { queue: { kind: "slurm", name: "q" } }, ["/queue/kind invalid_value"]],
    [
      "hardware profile beside direct fields",
      { hardware: { profileName: "big", cpu: { limit: "1" } } },
      [
        "/hardware_config/hardware_profile_name invalid_value",
        "/hardware_config/hardware_profile_name hardware_profile_not_found"
      ]
    ]
  ]
  for (const [name, request, want] of table) it(name, () => assert.deepStrictEqual(problems(request), want))

  for (const [url, ok] of [
    ["https://h/v1?x=1", true],
    ["http://10.0.0.1:8000/v1", true],
    ["http://[::1]:80/", true],
    ["HTTP://h", true],
    ["ftp://h", false],
    ["//h/v1", false],
    ["http:h", false],
    ["http:///v1", false],
    ["http://h:99999", false],
    ["http://user:secret@h/v1", false],
    ["http://h/v1#x", false],
    ["http://h/v1#", false],
    [" http://h", false],
    ["http://h/\tv1", false],
    ["http:\\\\h", false],
    ["javascript:alert(1)", false],
    [`http://h/${"x".repeat(2048)}`, false]
  ] as const) {
    it(`model.url ${url.slice(0, 40)} is ${ok ? "fine" : "refused"}`, () => {
      assert.deepStrictEqual(problems({ model: { url, name: "m" } }), ok ? [] : ["/model/url invalid_value"])
    })
  }
  it("never repeats credentials of a model address", () => {
    for (const url of ["http://user:hunter2@h/v1", "https://user:hun/ter2@h"])
      assert.notInclude(messages({ model: { url, name: "m" } }).join(), "ter2")
  })
  it("makes disguising characters visible in messages", () => {
    const [message = ""] = messages({ name: "a\u202eb" })
    assert.include(message, "'a\\u{202E}b'")
    assert.include(message, "U+202E")
  })
})

describe("what an entry can break", () => {
  const table: ReadonlyArray<readonly [string, Partial<BenchmarkEntry>, ReadonlyArray<string>]> = [
    [
      "blank ids, told once",
      { id: " ", providerId: "" },
      ["/benchmarks/0/id invalid_value", "/benchmarks/0/provider_id invalid_value"]
    ],
    ["negative weight", { weight: -1 }, ["/benchmarks/0/weight invalid_value"]],
    ["infinite weight", { weight: Number.POSITIVE_INFINITY }, ["/benchmarks/0/weight invalid_value"]],
    [
      "infinite threshold",
      { threshold: Number.NEGATIVE_INFINITY },
      ["/benchmarks/0/pass_criteria/threshold invalid_value"]
    ],
    [
      "blank metric",
      { primaryScore: { metric: "", lowerIsBetter: false } },
      ["/benchmarks/0/primary_score/metric invalid_value"]
    ],
    ["num_examples 10 and 10.0 are fine", { parameters: { num_examples: 10.0 } }, []],
    [
      "num_examples as text",
      { parameters: { num_examples: "10" } },
      ["/benchmarks/0/parameters/num_examples invalid_value"]
    ],
    ["num_examples 0", { parameters: { num_examples: 0 } }, ["/benchmarks/0/parameters/num_examples invalid_value"]],
    [
      "num_examples 1.5",
      { parameters: { num_examples: 1.5 } },
      ["/benchmarks/0/parameters/num_examples invalid_value"]
    ],
    [
      "num_examples null",
      { parameters: { num_examples: null } },
      ["/benchmarks/0/parameters/num_examples invalid_value"]
    ],
    ["seed as text", { parameters: { seed: "7" } }, ["/benchmarks/0/parameters/seed invalid_value"]],
    [
      "random_seed with a fraction",
      { parameters: { random_seed: 0.5 } },
      ["/benchmarks/0/parameters/random_seed invalid_value"]
    ],
    ["seed beyond 2^53", { parameters: { seed: 2 ** 53 } }, ["/benchmarks/0/parameters/seed invalid_value"]],
    ["random_seed behind a good seed does not matter", { parameters: { seed: 1, random_seed: "x" } }, []],
    ["parameters of exactly 256 KiB are fine", { parameters: { a: "x".repeat(262_144 - 8) } }, []],
    [
      "parameters beyond 256 KiB",
      { parameters: { a: "x".repeat(262_144 - 7) } },
      ["/benchmarks/0/parameters invalid_value"]
    ],
    ["size counts bytes", { parameters: { a: "ä".repeat(131_072) } }, ["/benchmarks/0/parameters invalid_value"]],
    ["lone surrogate in parameters", { parameters: { a: ["\udc00"] } }, ["/benchmarks/0/parameters/a/0 invalid_value"]],
    ["test data", { testData: { s3: { bucket: "data", key: "a/b", secretRef: "s3" } } }, []],
    [
      "bad test data, all parts",
      { testData: { s3: { bucket: "a/b", key: "\0", secretRef: "S" } } },
      [
        "/benchmarks/0/test_data_ref/s3/bucket invalid_value",
        "/benchmarks/0/test_data_ref/s3/key invalid_value",
        "/benchmarks/0/test_data_ref/s3/secret_ref invalid_value"
      ]
    ],
    [
      "object key beyond 1024 bytes",
      { testData: { s3: { bucket: "data", key: "ä".repeat(513), secretRef: "s3" } } },
      ["/benchmarks/0/test_data_ref/s3/key invalid_value"]
    ],
    ...["..", "../x", "a/../b", "a/.."].map((key): [string, Partial<BenchmarkEntry>, ReadonlyArray<string>] => [
      `a test data key ${key} that leaves its bucket`,
      { testData: { s3: { bucket: "data", key, secretRef: "s3" } } },
      ["/benchmarks/0/test_data_ref/s3/key invalid_value"]
    ]),
    [
      "a test data key with dots in a name",
      { testData: { s3: { bucket: "data", key: "a..b/...", secretRef: "s3" } } },
      []
    ],
    [
      "bad quantity",
      { hardware: { cpu: { request: "1x" } } },
      ["/benchmarks/0/hardware_config/cpu/request invalid_value"]
    ],
    ["unknown provider", { providerId: "q" }, ["/benchmarks/0/provider_id resource_does_not_exist"]],
    ["unknown benchmark", { id: "x" }, ["/benchmarks/0/id resource_does_not_exist"]]
  ]
  for (const [name, given, want] of table)
    it(name, () => {
      const found = problems(entry(given))
      assert.deepStrictEqual(name === "bad quantity" ? found.slice(0, 1) : found, want)
    })
  it("an address of many addresses is shown without what stands before an @ (the search went back for each of them)", () => {
    const [message] = messages({ model: { url: `${"http://a/".repeat(7000)}@b`, name: "m" } })
    assert.include(message ?? "", "'model.url' 'http://***@b' has 63002 characters")
  })
  it("1001 benchmarks are too many, 1000 are not", () => {
    const many = (length: number) => ({ benchmarks: Array.from({ length }, () => ({ id: "b", providerId: "p" })) })
    assert.deepStrictEqual(problems(many(1001)), ["/benchmarks invalid_value"])
    assert.strictEqual(accepted(many(1000)).job.benchmarks.length, 1000)
  })
  it("all free-form objects of a job take 2 MiB together, copies for the entries of a collection too", () => {
    const entries = (count: number) =>
      Array.from({ length: count }, () => ({ id: "b", providerId: "p", parameters: { text: "x".repeat(4000) } }))
    assert.deepStrictEqual(problems({ benchmarks: entries(500) }), [])
    assert.deepStrictEqual(problems({ benchmarks: entries(530) }), [" invalid_value"])
    assert.match(messages({ benchmarks: entries(530) })[0] ?? "", /take more than 2097152 characters together/)
    assert.deepStrictEqual(problems({ benchmarks: entries(500), custom: { text: "x".repeat(200_000) } }), [
      " invalid_value"
    ])
  })
  it("a job file beyond 1,000,000 bytes names its largest part", () => {
    // small numbers take many bytes once the file is indented, one a line and deep within
    const numbers: unknown = Array.from({ length: 9000 }, () => 1)
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], numbers)
    assert.deepStrictEqual(problems(entry({ parameters: { deep } })), ["/benchmarks/0/parameters invalid_value"])
    assert.match(
      messages(entry({ parameters: { deep } }))[0] ?? "",
      /the job file of benchmark 0 would take about \d+ bytes/
    )
    const model = { url: "http://h", name: "m", parameters: { deep } }
    assert.deepStrictEqual(problems({ model }), ["/model/parameters invalid_value"])
  })
})

describe("declared parameters", () => {
  const provider = sampleProvider({
    parameters: [
      { name: "num_few_shot", type: "integer", minimum: 0, maximum: 16, aliases: ["num_fewshot"] },
      { name: "endpoint", type: "string", enum: ["auto", "chat"] },
      { name: "columns", type: "object" },
      { name: "rate", type: "number" }
    ]
  })
  const context = sampleContext({ providers: [provider] })
  const check = (parameters: { readonly [name: string]: unknown }) => problems(entry({ parameters }), context)
  it("of the right type and range are fine", () => {
    assert.deepStrictEqual(
      check({ num_few_shot: 16, endpoint: "chat", columns: {}, rate: 0.5, num_examples: 3, seed: 1 }),
      []
    )
  })
  for (const [name, value] of [
    ["num_few_shot", 1.5],
    ["num_few_shot", 17],
    ["num_few_shot", -1],
    ["num_fewshot", "2"],
    ["endpoint", "completions"],
    ["columns", []],
    ["columns", null],
    ["rate", "10%"]
  ] as const) {
    it(`${name} = ${JSON.stringify(value)} is refused`, () =>
      assert.deepStrictEqual(check({ [name]: value }), [`/benchmarks/0/parameters/${name} invalid_value`]))
  }
  it("in two spellings must agree", () => {
    assert.deepStrictEqual(check({ num_few_shot: 2, num_fewshot: 2 }), [])
    assert.deepStrictEqual(check({ num_few_shot: 2, num_fewshot: 3 }), [
      "/benchmarks/0/parameters/num_fewshot invalid_value"
    ])
  })
  it("an undeclared one is passed on with a warning, told once for all benchmarks", () => {
    const twice = [0, 1].map(() => ({ id: "b", providerId: "p", parameters: { n_shot: 1 } }))
    const { warnings, job } = accepted({ benchmarks: twice }, context)
    assert.deepStrictEqual(warnings.map(inWireWords), [
      {
        path: "/benchmarks/0/parameters/n_shot",
        message: "parameter 'n_shot' is not one that provider 'p' declares; it is passed on unchanged"
      }
    ])
    assert.deepStrictEqual(job.benchmarks[1]?.entry.parameters, { n_shot: 1 })
  })
  it("a required one must be there", () => {
    const required = sampleContext({
      providers: [sampleProvider({ parameters: [{ name: "task", type: "string", required: true }] })]
    })
    assert.deepStrictEqual(problems(entry({}), required), ["/benchmarks/0/parameters invalid_value"])
  })
  it("are not checked when the provider declares nothing", () =>
    assert.deepStrictEqual(accepted(entry({ parameters: { any: 1 } })).warnings, []))
})

describe("what can run here", () => {
  const only = (mode: "local" | "cluster", runtime: Parameters<typeof sampleProvider>[0]) =>
    sampleContext({ mode, providers: [sampleProvider(runtime)] })
  it("a provider without a local command can not run locally", () => {
    assert.deepStrictEqual(problems({}, only("local", { runtime: { k8s: {} } })), [
      "/benchmarks/0/provider_id local_runtime_unavailable"
    ])
  })
  it("a provider without a container can not run in the cluster", () => {
    assert.deepStrictEqual(problems({}, only("cluster", { runtime: { local: { command: "x" } } })), [
      "/benchmarks/0/provider_id invalid_value"
    ])
  })
  const needing = (
    requirements: NonNullable<ReturnType<typeof sampleProvider>["benchmarks"][number]["requirements"]>,
    mode: "local" | "cluster" = "local"
  ) => only(mode, { benchmarks: [{ id: "b", name: "b", category: "c", metrics: [], requirements }] })
  const unsupported = ["/benchmarks/0/id benchmark_not_supported"]
  it("a benchmark that no version has is refused", () =>
    assert.deepStrictEqual(problems({}, needing({ flags: ["unavailable"] })), unsupported))
  it("a benchmark that needs no endpoint is refused", () =>
    assert.deepStrictEqual(problems({}, needing({ endpoint: "none" })), unsupported))
  it("a judge must be named", () => {
    assert.deepStrictEqual(problems({}, needing({ flags: ["needs_judge"] })), unsupported)
    assert.deepStrictEqual(
      problems(entry({ parameters: { judge: { url: "http://j" } } }), needing({ flags: ["needs_judge"] })),
      []
    )
    assert.deepStrictEqual(
      problems(entry({ parameters: { judge: null } }), needing({ flags: ["needs_judge"] })),
      unsupported
    )
  })
  it("running the model's code must be permitted", () => {
    assert.deepStrictEqual(problems({}, needing({ flags: ["code_execution"] })), unsupported)
    assert.deepStrictEqual(
      problems(entry({ parameters: { allow_code_execution: false } }), needing({ flags: ["code_execution"] })),
      unsupported
    )
    assert.deepStrictEqual(
      problems(entry({ parameters: { allow_code_execution: true } }), needing({ flags: ["code_execution"] })),
      []
    )
  })
  it("an image in the cluster may know more, so there it is a warning", () => {
    const { warnings } = accepted({}, needing({ flags: ["unavailable"] }, "cluster"))
    assert.strictEqual(warnings.length, 1)
    assert.include(warnings.map(inWireWords)[0]?.message, "is not available in any version of its framework")
  })
})

describe("numbers and names that are nearly right", () => {
  it("a seed beyond 2^53 is told what is wrong with it", () => {
    for (const [name, value] of [
      ["seed", 2 ** 53],
      ["random_seed", -(2 ** 60)]
    ] as const)
      assert.deepStrictEqual(messages(entry({ parameters: { [name]: value } })), [
        `'benchmarks.0.parameters.${name}' ${value} must lie between -9007199254740991 and 9007199254740991, where whole numbers are exact`
      ])
    assert.deepStrictEqual(messages(entry({ parameters: { num_examples: 2 ** 53 } })), [
      "'benchmarks.0.parameters.num_examples' 9007199254740992 must be at most 9007199254740991; leave it out to use all examples"
    ])
  })

  const known = [
    { id: "lm_evaluation_harness", name: "LM Evaluation Harness" },
    { id: "0198c9d2-0000-7000-8000-00000000000a", name: "Our provider" }
  ]
  const context = sampleContext({
    knownProviders: () => known,
    knownCollections: () => [{ id: "coding-v1", name: "Coding" }]
  })
  it("an unknown benchmark, provider or collection is told the nearest", () => {
    const told = (request: Partial<JobRequest>) => messages(request, context)
    assert.deepStrictEqual(told(entry({ id: "plian" })), [
      "provider 'p' has no benchmark 'plian', did you mean 'plain'?"
    ])
    assert.deepStrictEqual(told(entry({ id: "elsewhere" })), ["provider 'p' has no benchmark 'elsewhere'"])
    assert.deepStrictEqual(told(entry({ providerId: "lm-evaluation-harnes" })), [
      "provider 'lm-evaluation-harnes' does not exist, did you mean 'lm_evaluation_harness'?"
    ])
    assert.deepStrictEqual(told(entry({ providerId: "our-provider" })), [
      "provider 'our-provider' does not exist, did you mean '0198c9d2-0000-7000-8000-00000000000a' (Our provider)?"
    ])
    const { benchmarks: _benchmarks, ...rest } = sampleRequest({ collection: { id: "coding_v1" } })
    assert.deepStrictEqual(
      Either.getOrThrow(Either.flip(submit(rest, context))).map(({ message }) => wireSentence(message)),
      ["collection 'coding_v1' does not exist, did you mean 'coding-v1'?"]
    )
  })
  it("the nearest is looked for a few times only, however many names are wrong", () => {
    let asked = 0
    const counting = sampleContext({
      knownProviders: () => {
        asked += 1
        return known
      }
    })
    const wrong = messages(
      { benchmarks: Array.from({ length: 300 }, (_, at) => ({ id: "b", providerId: `lm_evaluation_harnes${at}` })) },
      counting
    )
    assert.strictEqual(wrong.length, 300)
    assert.strictEqual(asked, 5)
    assert.strictEqual(wrong.filter((message) => message.includes("did you mean")).length, 5)
  })
})

describe("collections, trackers and exports", () => {
  it("a collection must exist", () => {
    const { benchmarks: _benchmarks, ...request } = sampleRequest({ collection: { id: "nope" } })
    const found = Either.getOrThrow(Either.flip(submit(request, sampleContext())))
    assert.deepStrictEqual([wirePointer(found[0].path), found[0].code], ["/collection/id", "resource_does_not_exist"])
  })
  it("a collection must have benchmarks", () => {
    const { benchmarks: _benchmarks, ...request } = sampleRequest({ collection: { id: "c" } })
    const found = Either.getOrThrow(
      Either.flip(submit(request, sampleContext({ collections: [sampleCollection({ benchmarks: [] })] })))
    )
    assert.deepStrictEqual([wirePointer(found[0].path), found[0].code], ["/collection/id", "collection_empty"])
  })
  it("an experiment needs a tracker", () => {
    assert.deepStrictEqual(problems({ experiment: { name: "e" } }), ["/experiment tracker_required_for_experiment"])
    assert.deepStrictEqual(problems({ experiment: { name: "e" } }, sampleContext({ trackerConfigured: true })), [])
  })
  it("experiments have limits", () => {
    const tags = [
      ...Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, value: "v" })),
      { key: "one more", value: "" }
    ]
    const bad = { name: "", tags: [{ key: "k".repeat(251), value: "v".repeat(5001) }] }
    const context = sampleContext({ trackerConfigured: true })
    assert.deepStrictEqual(problems({ experiment: { name: "e", tags } }, context), ["/experiment/tags invalid_value"])
    assert.deepStrictEqual(problems({ experiment: bad }, context), [
      "/experiment/name invalid_value",
      "/experiment/tags/0/key invalid_value",
      "/experiment/tags/0/value invalid_value"
    ])
  })
  const digest = `sha256:${"0".repeat(64)}`
  const exported = (coordinates: { readonly [name: string]: unknown }, connection?: string) =>
    problems({
      exports: {
        oci: {
          coordinates: { host: "registry.example.com:5000", repository: "team/results", ...coordinates },
          ...(connection === undefined ? {} : { connection })
        }
      }
    })
  for (const [name, coordinates, want] of [
    ["everything good", { tag: "v1.0_x-y", subject: digest, annotations: { a: "b" } }, undefined],
    ["an address of numbers", { host: "[::1]:5000" }, undefined],
    ["a scheme in the host", { host: "https://registry" }, "oci_host"],
    ["a port that is none", { host: "registry:70000" }, "oci_host"],
    ["upper case in the repository", { repository: "Team/results" }, "oci_repository"],
    ["an empty part of the repository", { repository: "team//results" }, "oci_repository"],
    ["a tag with a slash", { tag: "a/b" }, "oci_tag"],
    ["a tag of 129 characters", { tag: "x".repeat(129) }, "oci_tag"],
    ["a subject by tag", { subject: "v1" }, undefined],
    ["a subject by reference", { subject: `registry.example.com:5000/team/results:v1@${digest}` }, undefined],
    ["a subject by digest reference", { subject: `registry.example.com:5000/team/results@${digest}` }, undefined],
    ["a subject elsewhere", { subject: `other/team/results@${digest}` }, "oci_subject"],
    [
      "a subject in a longer repository",
      { subject: `registry.example.com:5000/team/results2@${digest}` },
      "oci_subject"
    ],
    ["a digest that is too short", { subject: "sha256:00" }, "oci_subject"],
    ["NUL in an annotation", { annotations: { a: "\0" } }, "annotations/a"]
  ] as const) {
    it(`export: ${name}`, () => {
      assert.deepStrictEqual(
        exported(coordinates),
        want === undefined ? [] : [`/exports/oci/coordinates/${want} invalid_value`]
      )
    })
  }
  it("export: a connection is a secret's name", () => {
    assert.deepStrictEqual(exported({}, "registry-login"), [])
    assert.deepStrictEqual(exported({}, "Registry_Login"), ["/exports/oci/k8s/connection invalid_value"])
  })
})

describe("addresses that may not be reached", () => {
  const egress = { denied: [], allowed: [], hosts: [] }
  const to = (host: string, policy = egress as NonNullable<SubmissionContext["egress"]>) =>
    problems({ model: { url: `http://${host}/v1`, name: "m" } }, sampleContext({ egress: policy }))
  for (const [host, ok] of [
    ["127.0.0.1", false],
    ["0x7f.1:8000", false],
    ["[::1]", false],
    ["169.254.169.254", false],
    ["10.1.2.3:8000", true],
    ["model.example.com", true]
  ] as const) {
    it(`${host} is ${ok ? "fine" : "refused"}`, () =>
      assert.deepStrictEqual(to(host), ok ? [] : ["/model/url invalid_value"]))
  }
  it("hosts outside a list of hosts are refused", () => {
    assert.deepStrictEqual(to("other.example.com", { ...egress, hosts: ["model.example.com"] }), [
      "/model/url invalid_value"
    ])
    assert.deepStrictEqual(to("model.example.com", { ...egress, hosts: ["model.example.com"] }), [])
  })
  it("without a policy every address is fine", () =>
    assert.deepStrictEqual(problems({ model: { url: "http://127.0.0.1:9000/v1", name: "m" } }), []))
})

describe("hardware and queues", () => {
  const profile = {
    name: "big",
    cpu: { request: "4", limit: "8" },
    accelerators: [],
    scheduling: { type: "Queue", queueName: "gpu-q" }
  } as const
  const withProfile = (path: Path = []) =>
    sampleContext({
      findProfile: (name) =>
        name === "big"
          ? Either.right(profile)
          : Either.left([violation(path, "it is disabled", "hardware_profile_disabled")])
    })
  it("a profile gives resources and queue", () => {
    const snapshot = accepted(entry({ hardware: { profileName: "big" } }), withProfile()).job.benchmarks[0]?.snapshot
    assert.deepStrictEqual(snapshot?.resources.cpuLimit, { value: "8", source: "profile" })
    assert.deepStrictEqual(snapshot?.queue, { kind: "queuesys", name: "gpu-q", source: "profile" })
  })
  it("a profile that can not be used is refused wherever it is named", () => {
    const benchmarks = [0, 1].map(() => ({ id: "b", providerId: "p", hardware: { profileName: "old" } }))
    assert.deepStrictEqual(
      problems({ benchmarks }, withProfile([])),
      [0, 1].map((index) => `/benchmarks/${index}/hardware_config/hardware_profile_name hardware_profile_disabled`)
    )
  })
  it("a benchmark's own configuration replaces the job's as a whole", () => {
    const hardware = { cpu: { limit: "3" }, memory: { limit: "3Gi" } }
    const { job } = accepted({
      hardware,
      benchmarks: [
        { id: "b", providerId: "p", hardware: { cpu: { limit: "2" } } },
        { id: "b", providerId: "p" }
      ]
    })
    assert.deepStrictEqual(
      job.benchmarks.map(({ snapshot }) => [snapshot.resources.cpuLimit.value, snapshot.resources.memoryLimit.value]),
      [
        ["2", "2Gi"],
        ["3", "3Gi"]
      ]
    )
  })
  it("a request above the limit that another source gives is told with both sources", () => {
    const [message = ""] = messages(entry({ hardware: { cpu: { request: "2" } } }))
    assert.include(message, "cpu request '2' (hardware_config) is larger than cpu limit '1' (built-in default)")
  })
  it("a problem of the job's configuration is told once, not for every benchmark", () => {
    const benchmarks = [0, 1, 2].map(() => ({ id: "b", providerId: "p" }))
    assert.deepStrictEqual(problems({ benchmarks, hardware: { cpu: { request: "2" } } }), [
      "/hardware_config/cpu/request invalid_value"
    ])
  })
  it("the deprecated queue counts last", () => {
    const benchmarks = [
      { id: "b", providerId: "p", hardware: { queue: { name: "own" } } },
      { id: "b", providerId: "p" }
    ]
    const { job } = accepted({ benchmarks, queue: { kind: "kueue", name: "old" } })
    assert.deepStrictEqual(
      job.benchmarks.map(({ snapshot }) => snapshot.queue),
      [
        { kind: "queuesys", name: "own", source: "hardware_config" },
        { kind: "kueue", name: "old", source: "job_queue" }
      ]
    )
  })
  it("are checked and then ignored locally, with a warning and a note", () => {
    const local = sampleContext({ mode: "local" })
    assert.deepStrictEqual(problems({ queue: { name: "Bad_Name" } }, local), ["/queue/name invalid_value"])
    const { job, warnings } = accepted({ queue: { name: "q" }, hardware: { profileName: "unknown-profile" } }, local)
    assert.strictEqual(
      job.message.message,
      "Evaluation job created. Hardware settings and queues are ignored by the local runtime."
    )
    assert.deepStrictEqual(warnings.map(inWireWords), [
      { path: "", message: "Hardware settings and queues are ignored by the local runtime." }
    ])
    assert.isUndefined(job.benchmarks[0]?.snapshot.queue)
  })
  it("profiles are named once each, illegal names left out", () => {
    const references = profileReferences(
      sampleRequest({
        hardware: { profileName: "a" },
        benchmarks: ["b", "a", "Bad Name", "b"].map((profileName) => ({
          id: "b",
          providerId: "p",
          hardware: { profileName }
        }))
      })
    )
    assert.deepStrictEqual(references, ["a", "b"])
  })
})

describe("several problems", () => {
  it("are all told at once, in the order of the request", () => {
    assert.deepStrictEqual(
      problems({
        name: "",
        tags: [","],
        model: { url: "", name: "", auth: { secretRef: "_" } },
        benchmarks: [{ id: "x", providerId: "p", weight: -1 }],
        threshold: Number.POSITIVE_INFINITY,
        experiment: { name: "" },
        custom: { a: "\0" }
      }),
      [
        "/name invalid_value",
        "/tags/0 invalid_value",
        "/model/url model_url_required",
        "/model/name invalid_value",
        "/model/auth/secret_ref invalid_value",
        "/benchmarks/0/weight invalid_value",
        "/pass_criteria/threshold invalid_value",
        "/experiment/name invalid_value",
        "/custom/a invalid_value",
        "/experiment tracker_required_for_experiment",
        "/benchmarks/0/id resource_does_not_exist"
      ]
    )
  })
})

describe("limits of validity", () => {
  const limitsOf = (request: Partial<JobRequest>, context: Partial<SubmissionContext> = {}) =>
    accepted(request, { ...sampleContext(), ...context }).job.benchmarks[0]?.snapshot.validityLimits
  it("of the job go before its tenant's; without any of either the server's hold", () => {
    const validityLimits = { truncated: 0.1, few_items: 50 }
    assert.deepStrictEqual(limitsOf({ validityLimits: { truncated: 0.3 } }, { validityLimits }), {
      truncated: 0.3,
      few_items: 50
    })
    assert.deepStrictEqual(limitsOf({}, { validityLimits }), validityLimits)
    assert.isUndefined(limitsOf({}))
    assert.isUndefined(limitsOf({ validityLimits: {} }))
  })
  it("a name that has none and a value that can be none are refused with their place", () => {
    const wrong = (limits: object) => messages({ validityLimits: limits as NonNullable<JobRequest["validityLimits"]> })
    assert.deepStrictEqual(wrong({ truncate: 0.1 }), [
      "'validity_limits.truncate' is no flag with a limit; did you mean truncated?"
    ])
    assert.match(wrong({ model_changed: 0.1 })[0] ?? "", /no flag with a limit; known are empty_responses, truncated,/)
    assert.deepStrictEqual(wrong({ truncated: 1.5, few_items: 2.5, error_share: 7 }), [
      "'validity_limits.truncated' is 1.5; it must be a share from 0 to 1",
      "'validity_limits.few_items' is 2.5; it must be a whole number from 0 to 1000000",
      "'validity_limits.error_share' is 7; it must be a share from 0 to 1"
    ])
    assert.deepStrictEqual(problems({ validityLimits: { truncated: -1 } }), [
      "/validity_limits/truncated invalid_value"
    ])
  })
})

describe("a job that keeps its model's answers", () => {
  it("is taken where they have a place, and refused without one and for what measures times", () => {
    assert.deepStrictEqual(problems({ resume: true }, sampleContext({ mode: "local" })), [])
    assert.deepStrictEqual(problems({ resume: true }, sampleContext({ mode: "cluster" })), [])
    assert.deepStrictEqual(problems({ resume: true }, sampleContext({ resumable: false })), [
      "/resume benchmark_not_supported"
    ])
    const timed = sampleProvider({
      benchmarks: sampleProvider().benchmarks.map((benchmark) => ({ ...benchmark, category: "performance" }))
    })
    const context = sampleContext({ mode: "local", providers: [timed] })
    assert.deepStrictEqual(problems({ resume: true }, context), ["/resume benchmark_not_supported"])
    assert.deepStrictEqual(problems({ resume: false }, context), [])
  })
})

describe("a job with a budget", () => {
  const price = { input: 1, output: 2 }
  const submitted = (given: Parameters<typeof problems>[0], context: SubmissionContext) => {
    const { job } = Either.getOrThrow(submit(sampleRequest(given), context))
    return { budget: job.request.budget, own: job.benchmarks.map(({ snapshot }) => snapshot.budget) }
  }

  it("is refused beyond its tenant's cap, with a cost that nobody knows, and with amounts that are none", () => {
    const context = sampleContext({ budgets: { caps: { tokens: 100 } } })
    assert.deepStrictEqual(problems({ budget: { tokens: 101, cost: 1 } }, context), [
      "/budget/tokens invalid_value",
      "/budget/cost invalid_value"
    ])
    assert.deepStrictEqual(problems({ budget: { tokens: 100, seconds: 1 } }, context), [])
    assert.deepStrictEqual(problems({ budget: { requests: 0.5 } }), ["/budget/requests invalid_value"])
    const costly = { budgets: { defaults: { cost: 5 } } }
    assert.deepStrictEqual(problems({}, sampleContext(costly)), ["/model/name invalid_value"])
    assert.deepStrictEqual(problems({}, sampleContext({ ...costly, price })), [])
  })
  it("gets its tenant's default; locally the job holds it, in a cluster each benchmark has its part", () => {
    const budgets = { defaults: { requests: 10 } }
    assert.deepStrictEqual(submitted({}, sampleContext({ budgets, mode: "local" })).budget, { requests: 10 })
    const { own } = submitted({}, sampleContext({ budgets, mode: "cluster" }))
    assert.deepStrictEqual(
      own,
      own.map(() => ({ requests: Math.floor(10 / own.length) }))
    )
    assert.deepStrictEqual(submitted({}, sampleContext({})), { budget: undefined, own: own.map(() => undefined) })
  })
})
