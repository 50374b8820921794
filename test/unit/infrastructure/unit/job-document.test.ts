/** The bytes of job.json, and the rules behind its members. Reference: adapter-contract.md, "Job file". */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Unit } from "../../../../application/ports/runtime.ts"
import type { BenchmarkEntry, BenchmarkSnapshot, JobRequest } from "../../../../domain/job/job.ts"
import {
  artifactTag,
  type DocumentOptions,
  jobDocument,
  type Place
} from "../../../../infrastructure/unit/job-document.ts"
import { slug, unitKey } from "../../../../infrastructure/unit/names.ts"
import { renderJobSpec } from "../../../../providers/contract/job-spec.ts"
import { unitOf } from "../../../support/local-units.ts"
import { type JobOptions, makeJob } from "../../../support/stored-jobs.ts"

const id = "0198c9d2-0000-7000-8000-000000000001"
const options: DocumentOptions = { samples: { write: true, includeText: true }, legacyJobKeys: false }

const inCluster: Place = {
  callbackUrl: "http://localhost:8080",
  modelGateway: "http://localhost:8080",
  outputDir: "/data/results",
  secretRef: (name) => name,
  moveTestData: false,
  push: { host: "localhost:8080" }
}
const cb = "http://127.0.0.1:8080/cb/Zr"
const here: Place = {
  callbackUrl: cb,
  outputDir: "/t/0-b/results",
  secretRef: () => "file:///t/0-b/secrets/model",
  moveTestData: true,
  push: { host: "127.0.0.1:8080", prefix: "/cb/Zr" }
}
const behindGateway: Place = { ...here, modelGateway: `${cb}/model` }

const unit = (
  entry: Partial<BenchmarkEntry> = {},
  request: Partial<JobRequest> = {},
  more: Partial<JobOptions> = {}
): Unit => unitOf(makeJob({ id, tenant: "default", benchmarks: 1, entry: () => entry, request, ...more }))

const bare: Unit = (() => {
  const { primaryScore: _, ...snapshot } = unit().benchmark.snapshot
  return { ...unit(), benchmark: { ...unit().benchmark, snapshot } }
})()

const full: Unit = unit(
  {
    id: "inspect/gsm8k:arc",
    providerId: "inspect",
    parameters: {
      num_examples: 10,
      seed: 7,
      random_seed: 8,
      file: "/test_data/a/b.jsonl",
      deep: { list: ["/test_data", "/test_database", 1, null] }
    },
    testData: { s3: { bucket: "b", key: "k", secretRef: "s3" } },
    weight: 2,
    threshold: 0.9
  },
  {
    model: {
      url: "https://host.example:8443/x/v1?v=2&k=a%2Fb",
      name: "m",
      auth: { secretRef: "model-auth" },
      parameters: { temperature: 0, max_tokens: 5 }
    },
    experiment: {
      name: "exp",
      tags: [
        { key: "team", value: "a" },
        { key: "stage", value: "b" }
      ]
    },
    exports: {
      oci: {
        coordinates: {
          host: "quay.example",
          repository: "org/repo",
          tag: "v1",
          subject: "sha256:1",
          annotations: { a: "b" }
        },
        connection: "registry-secret"
      }
    },
    custom: { a: 1 },
    tags: ["t"],
    description: "d"
  },
  { trackerExperimentId: "1" }
)

const golden = (name: string) => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")

describe("job.json", () => {
  const withTestData = { testDataDir: "/t/0-b/test_data" }
  const cases: ReadonlyArray<readonly [string, Unit, Place, DocumentOptions]> = [
    ["cluster-minimal.json", bare, inCluster, options],
    ["local-minimal.json", bare, here, options],
    [
      "cluster-full.json",
      { ...full, request: { ...full.request, traceparent: "00-a-b-01" } },
      { ...inCluster, testDataDir: "/test_data" },
      { ...options, timeoutSeconds: 600, legacyJobKeys: true }
    ],
    [
      "local-full.json",
      full,
      { ...behindGateway, ...withTestData },
      { samples: { write: false, includeText: false }, timeoutSeconds: 600, legacyJobKeys: false }
    ]
  ]
  for (const [name, of, place, given] of cases)
    it(`is the golden file ${name}`, () => {
      assert.strictEqual(renderJobSpec(jobDocument(of, place, given)), golden(name))
    })

  it("takes 256 KiB of parameters as they are", () => {
    const text = "é".repeat(128 * 1024)
    assert.strictEqual(jobDocument(unit({ parameters: { text } }), here, options).parameters["text"], text)
  })
})

describe("what the provider says of the benchmark", () => {
  const told = (snapshot: Partial<BenchmarkSnapshot>) => {
    const { benchmark, ...rest } = unit()
    const { requirements, num_few_shot } = jobDocument(
      { ...rest, benchmark: { ...benchmark, snapshot: { ...benchmark.snapshot, ...snapshot } } },
      here,
      options
    )
    return { requirements, num_few_shot }
  }
  it("reaches the adapter: its task in the framework, what it needs, its percentages and its few-shot count", () => {
    const requirements = {
      frameworkTask: "own_task",
      endpoint: "chat",
      frameworkMin: "0.4",
      flags: ["needs_judge"],
      percentMetrics: ["bleu"]
    } as const
    assert.deepStrictEqual(told({ requirements, numFewShot: 3 }), {
      requirements: {
        endpoint: "chat",
        framework_task: "own_task",
        framework_min: "0.4",
        flags: ["needs_judge"],
        percent_metrics: ["bleu"]
      },
      num_few_shot: 3
    })
  })
  it("is absent when nothing is said", () => {
    assert.deepStrictEqual(told({}), { requirements: undefined, num_few_shot: undefined })
    assert.deepStrictEqual(told({ requirements: { flags: [] } }), { requirements: undefined, num_few_shot: undefined })
  })
})

describe("num_examples", () => {
  for (const [text, lifted] of [
    ["10", 10],
    ["10.0", 10],
    ['"10"', undefined],
    ["0", undefined],
    ["1.5", undefined]
  ] as const)
    it(`${text} becomes ${lifted}`, () => {
      const spec = jobDocument(unit({ parameters: { num_examples: JSON.parse(text), shots: 1 } }), here, options)
      assert.strictEqual(spec.num_examples, lifted)
      assert.deepStrictEqual(spec.parameters, { shots: 1 })
    })
})

describe("seed", () => {
  it("is parameters.seed, else random_seed, else 42; the parameters keep theirs", () => {
    const seed = (parameters: BenchmarkEntry["parameters"]) =>
      jobDocument(unit(parameters === undefined ? {} : { parameters }), here, options).seed
    assert.deepStrictEqual(
      [
        seed({ seed: 1, random_seed: 2 }),
        seed({ random_seed: 2 }),
        seed({ random_seed: 0 }),
        seed({}),
        seed(undefined)
      ],
      [1, 2, 0, 42, 42]
    )
    assert.deepStrictEqual(jobDocument(unit({ parameters: { seed: 1, random_seed: 2 } }), here, options).parameters, {
      seed: 1,
      random_seed: 2
    })
  })
})

describe("model.url", () => {
  const at = (url: string, place: Place) =>
    jobDocument(unit({}, { model: { url, name: "m" } }), place, options).model.url
  it("keeps path and query behind a gateway", () => {
    assert.strictEqual(at("https://h/x/v1", inCluster), "http://localhost:8080/x/v1")
    assert.strictEqual(at("https://h/x/v1?a=b&c=%20", behindGateway), `${cb}/model/x/v1?a=b&c=%20`)
    assert.strictEqual(at("http://h", behindGateway), `${cb}/model`)
    assert.strictEqual(at("http://h:1/", behindGateway), `${cb}/model/`)
    assert.strictEqual(at("http://[::1]:1?q=/", behindGateway), `${cb}/model?q=/`)
  })
  it("is untouched without one", () => {
    assert.strictEqual(at("https://h/x/v1?a", here), "https://h/x/v1?a")
  })
})

describe("what is left out", () => {
  it("experiment_name without a tracker, though the tags stay", () => {
    const spec = jobDocument(unit({}, { experiment: { name: "exp", tags: [{ key: "a", value: "b" }] } }), here, options)
    assert.strictEqual(spec.experiment_name, undefined)
    assert.deepStrictEqual(spec.tags, [{ key: "a", value: "b" }])
    assert.notProperty(jobDocument(unit({}, { experiment: { name: "exp", tags: [] } }), here, options), "tags")
  })
  it("the registry's secret, weights, thresholds, job tags, custom data", () => {
    const text = renderJobSpec(jobDocument(full, behindGateway, options))
    for (const word of [
      "k8s",
      "registry-secret",
      "weight",
      "threshold",
      "custom",
      "description",
      '"t"',
      "host.example",
      "model-auth"
    ])
      assert.notInclude(text, word)
  })
})

describe("the artifact's tag", () => {
  const coordinates = (tag?: string) => ({
    exports: { oci: { coordinates: { host: "h", repository: "r", ...(tag === undefined ? {} : { tag }) } } }
  })
  const of = (benchmarks: number, index: number, tag?: string) =>
    artifactTag(unitOf(makeJob({ id, tenant: "default", benchmarks, request: coordinates(tag) }), index))
  it("is the given one, with the index when the job has several benchmarks, never over 128 characters", () => {
    assert.deepStrictEqual(
      [of(1, 0, "v1"), of(3, 2, "v1"), of(3, 2, "x".repeat(128))],
      ["v1", "v1-2", `${"x".repeat(126)}-2`]
    )
  })
  it("is derived from the unit when none is given", () => {
    assert.match(of(1, 0), /^evalhub-[0-9a-f]{64}$/)
    assert.notStrictEqual(of(2, 0), of(2, 1))
  })
})

describe("names", () => {
  it("of directories are safe whatever the benchmark is called", () => {
    assert.deepStrictEqual(["arc:easy", "Inspect/GSM8K", "../../etc", "..", "é b", "x".repeat(50)].map(slug), [
      "arc-easy",
      "inspect-gsm8k",
      "-..-etc",
      "",
      "--b",
      "x".repeat(40)
    ])
    assert.strictEqual(unitKey({ jobId: "j", index: 2, attempt: 3 }), "j-2-3")
  })
})
