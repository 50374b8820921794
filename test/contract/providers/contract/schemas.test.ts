/** The schemas of the code and the published JSON Schemas say the same. Reference: adapter-contract.md, "Job file". */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Either, Schema } from "effect"
import { checkPolicy } from "../../../../domain/gate/policy.ts"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { decodePolicy } from "../../../../interfaces/http/dto/decisions/gate-policy.ts"
import { readJobSpec, renderJobSpec } from "../../../../providers/contract/job-spec.ts"
import { SampleRecord } from "../../../../providers/contract/sample-record.ts"
import { decodeStatusEvent } from "../../../../providers/contract/status-event.ts"
import { golden } from "./golden-events.ts"

const folder = new URL("../../../../providers/contract/schemas/", import.meta.url)
const compile = (name: string) =>
  new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), "utf8")))

type Variant = readonly [name: string, change: object]
const changed = (base: object, change: object) => JSON.parse(JSON.stringify({ ...base, ...change }))

describe("job.json", () => {
  const validate = compile("job-spec")
  const minimal = {
    id: "j",
    provider_id: "p",
    benchmark_id: "b",
    benchmark_index: 0,
    model: { url: "http://h/v1", name: "m" },
    parameters: {},
    callback_url: "http://h/cb/x"
  }
  const oci = (coordinates: object, rest: object = {}) => ({ exports: { oci: { coordinates, ...rest } } })
  const valid: ReadonlyArray<Variant> = [
    ["minimal", {}],
    ["unknown keys", { colour: "red" }],
    ["ids with separators", { benchmark_id: "arc:easy", provider_id: "inspect/gsm8k" }],
    [
      "everything",
      {
        spec_version: "1",
        attempt: 2,
        tenant: "t",
        num_examples: 3,
        seed: -1,
        primary_score: { metric: "acc", lower_is_better: true },
        timeout_seconds: 5
      }
    ],
    [
      "what the provider says",
      {
        requirements: {
          endpoint: "a new kind",
          framework_task: "t",
          framework_min: "none",
          flags: ["x"],
          percent_metrics: ["m"],
          more: 1
        },
        num_few_shot: 0
      }
    ],
    [
      "auth and parameters",
      { model: { url: "u", name: "m", auth: { secret_ref: "s" }, parameters: { temperature: 0 } } }
    ],
    ["tags", { experiment_name: "e", tags: [{ key: "k", value: "" }], traceparent: "00-1" }],
    [
      "export",
      oci(
        { oci_host: "h", oci_repository: "r", oci_tag: "t-0", annotations: { a: "b" } },
        { push_scheme: "http", push_host: "h:1", push_prefix: "" }
      )
    ]
  ]
  const invalid: ReadonlyArray<Variant> = [
    ["no id", { id: undefined }],
    ["an empty id", { id: "" }],
    ["a null", { tenant: null }],
    ["num_examples among the parameters", { parameters: { num_examples: 3 } }],
    ["a fraction of examples", { num_examples: 1.5 }],
    ["no examples", { num_examples: 0 }],
    ["attempt 0", { attempt: 0 }],
    ["a negative index", { benchmark_index: -1 }],
    ["a blank model", { model: { url: "u", name: " " } }],
    ["a callback with a trailing slash", { callback_url: "http://h/" }],
    ["a callback of another scheme", { callback_url: "ftp://h" }],
    ["empty tags", { tags: [] }],
    ["tags as an object", { tags: { k: "v" } }],
    ["a tag with a number", { tags: [{ key: "k", value: 1 }] }],
    ["a wrong oci tag", oci({ oci_host: "h", oci_repository: "r", oci_tag: "-" })],
    ["an export without repository", oci({ oci_host: "h" })],
    ["a wrong scheme", oci({ oci_host: "h", oci_repository: "r" }, { push_scheme: "ftp" })],
    ["a wrong version", { spec_version: "one" }],
    ["an empty task", { requirements: { framework_task: "" } }],
    ["percent metrics that are no list", { requirements: { percent_metrics: "bleu" } }],
    ["fewer than no examples to learn from", { num_few_shot: -1 }],
    ["samples without include_text", { samples: { write: true } }]
  ]
  for (const [name, change] of valid)
    it(`accepts ${name}`, () => {
      const document = changed(minimal, change)
      assert.isTrue(validate(document), JSON.stringify(validate.errors))
      const read = Either.getOrThrow(readJobSpec(JSON.stringify(document)))
      assert.isTrue(validate(JSON.parse(renderJobSpec(read))))
    })
  for (const [name, change] of invalid)
    it(`refuses ${name}`, () => {
      const document = changed(minimal, change)
      assert.isFalse(validate(document))
      assert.isTrue(Either.isLeft(readJobSpec(JSON.stringify(document))))
    })
})

describe("sample record", () => {
  const validate = compile("sample-record")
  const decode = Schema.decodeUnknownEither(SampleRecord)
  const minimal = { v: 1, sample_id: "t:1", task: "t", index: 0, repeat: 0, verdict: "correct" }
  const corpus: ReadonlyArray<readonly [boolean, ...Variant]> = [
    [true, "minimal", {}],
    [
      true,
      "texts",
      { prompt: "p", response: "r", reasoning: "t", reference: [1], choices: ["a"], extracted: "1", truncated: true }
    ],
    [true, "messages", { prompt: [{ role: "user", content: "p" }], prompt_sha256: "0".repeat(64) }],
    [
      true,
      "numbers",
      { scores: { exact: 1 }, latency_ms: 1.5, ttft_ms: 1, tokens: { prompt: 1, completion: 2, estimated: false } }
    ],
    [
      true,
      "how it was asked and judged",
      {
        ...{
          score: 0.5,
          cluster: "doc-1",
          flags: ["answer_repeated"],
          reason: "rules_broken",
          cut: ["prompt"],
          seed: 42
        },
        ...{ parameters: { temperature: 0 }, served_model: "m-1", system_fingerprint: "fp", retries: 2, turns: [{}] },
        ...{
          rules: [{ id: "words", at_most: 10, kept: false }],
          judge: { reply: "Rating: 4" },
          timing: { queue_ms: 1 }
        },
        ...{ logprobs: { first_token: { A: -0.1 } }, role_requests: { judge: 1 }, response_sha256: "f".repeat(64) },
        tokens: { prompt: 5, completion: 9, reasoning: 4, cached: 1 }
      }
    ],
    [true, "an error", { verdict: "error", error: { code: "c", message: "m", http_status: 500 } }],
    [false, "an error without error", { verdict: "error" }],
    [false, "another verdict", { verdict: "wrong" }],
    [false, "another version", { v: 2 }],
    [false, "an empty id", { sample_id: "" }],
    [false, "a short digest", { prompt_sha256: "00" }],
    [false, "a score that is a text", { scores: { exact: "1" } }],
    [false, "a fraction of a token", { tokens: { prompt: 0.5 } }],
    [false, "an error without code", { verdict: "error", error: { message: "m" } }]
  ]
  for (const [good, name, change] of corpus)
    it(`${good ? "accepts" : "refuses"} ${name}`, () => {
      const document = changed(minimal, change)
      assert.strictEqual(validate(document), good, JSON.stringify(validate.errors))
      assert.strictEqual(Either.isRight(decode(document)), good)
      const { sample, problems, unknown } = readSample(document, [])
      assert.strictEqual(sample !== undefined, good, JSON.stringify(problems))
      assert.deepStrictEqual(unknown, [])
    })
})

describe("status event", () => {
  const validate = compile("status-event")
  const base = { id: "b", status: "running" }
  const event = (members: object) => changed({}, { benchmark_status_event: { ...base, ...members } })
  const both: ReadonlyArray<readonly [boolean, string, unknown]> = [
    ...Object.entries(golden).map(([name, body]) => [name !== "E14", name, body] as const),
    [
      true,
      "described metrics",
      event({
        metrics_schema: [
          {
            name: "a",
            type: "numeric",
            unit: "s",
            lower_is_better: true,
            n: 3,
            stderr: 0.1,
            ci: [0, 1],
            ci_level: 0.95
          }
        ]
      })
    ],
    [true, "an empty phase", event({ phase: "" })],
    [false, "no id", event({ id: undefined })],
    [false, "an empty id", event({ id: "" })],
    [false, "no status", event({ status: undefined })],
    [false, "an unknown phase while running", event({ phase: "warming_up" })],
    [false, "a message without code", event({ warning_message: { message: "m" } })],
    [
      false,
      "an unknown origin",
      event({ warning_message: { message: "m", message_code: "c", message_origin: "user" } })
    ],
    [false, "metrics as a list", event({ metrics: [] })],
    [false, "a metric without name", event({ metrics_schema: [{ type: "numeric" }] })],
    [false, "half an interval", event({ metrics_schema: [{ name: "a", ci: [1] }] })],
    [false, "a negative index", event({ benchmark_index: -1 })],
    [false, "no wrapper", base]
  ]
  for (const [good, name, body] of both)
    it(`${good ? "accepts" : "refuses"} ${name}`, () => {
      assert.strictEqual(validate(body), good, JSON.stringify(validate.errors))
      assert.strictEqual(Either.isRight(decodeStatusEvent(body)), good)
    })

  /** what the decoder bears although the schema, which says how to write an event, does not allow it */
  const lenient: ReadonlyArray<readonly [string, object]> = [
    ["null members", { phase: null, metrics: null }],
    ["a plain text as message", { status: "failed", error_message: "boom" }],
    ["an unknown phase at the end", { status: "completed", phase: "done" }],
    ["an empty time", { started_at: "" }],
    ["an empty origin", { warning_message: { message: "m", message_code: "c", message_origin: "" } }]
  ]
  for (const [name, members] of lenient)
    it(`bears ${name}`, () => {
      assert.isFalse(validate(event(members)))
      assert.isTrue(Either.isRight(decodeStatusEvent(event(members))))
    })
})

describe("gate policy", () => {
  const validate = compile("gate-policy")
  const criterion = { benchmark: "b", kind: "absolute", threshold: 0.5 }
  const relative = { benchmark: "b", kind: "relative_to_baseline", tolerance: 0.02 }
  const fits = (policy: object): boolean => {
    const decoded = decodePolicy(policy, { lenient: false })
    return Either.isRight(decoded) && checkPolicy(decoded.right.value).length === 0
  }
  const cases: ReadonlyArray<readonly [name: string, policy: object, isRight: boolean]> = [
    ["minimal", { criteria: [criterion] }, true],
    [
      "everything",
      {
        name: "release",
        criteria: [{ ...relative, provider_id: "p", metric: "acc", direction: "lower", tier: "gating", alpha: 0.01 }]
      },
      true
    ],
    ["advisory beside gating", { criteria: [{ ...criterion, tier: "advisory" }, relative] }, true],
    ["a share", { criteria: [{ ...relative, kind: "relative_fraction", tolerance: 0.9 }] }, true],
    ["no criteria", { criteria: [] }, false],
    ["advisory alone", { criteria: [{ ...criterion, tier: "advisory" }] }, false],
    ["an absolute one with a tolerance", { criteria: [{ ...criterion, tolerance: 1 }] }, false],
    ["a relative one without", { criteria: [{ benchmark: "b", kind: "relative_to_baseline" }] }, false],
    ["a share of one", { criteria: [{ ...relative, kind: "relative_fraction", tolerance: 1 }] }, false],
    ["a gain as tolerance", { criteria: [{ ...relative, tolerance: -0.1 }] }, false],
    ["an unknown kind", { criteria: [{ ...criterion, kind: "total" }] }, false],
    ["an unknown member", { criteria: [{ ...criterion, weight: 1 }] }, false],
    ["too large an alpha", { criteria: [{ ...criterion, alpha: 0.3 }] }, false],
    ["no benchmark", { criteria: [{ kind: "absolute", threshold: 0.5 }] }, false]
  ]
  for (const [name, policy, isRight] of cases)
    it(name, () => {
      assert.strictEqual(validate(policy), isRight, JSON.stringify(validate.errors))
      assert.strictEqual(fits(policy), isRight)
    })
})
