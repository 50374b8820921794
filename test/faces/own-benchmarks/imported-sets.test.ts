/**
 * Original files of well-known public sets, small ones written here in their formats: imported with the command line, staged from an object
 * storage, evaluated as jobs of a real server. The model's replies are known, so the scores are.
 */
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../../support/evald-process.ts"
import { type FakeS3, fakeS3, s3Keys } from "../../support/fake-s3.ts"
import type { Running } from "../../support/loopback-server.ts"
import { type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { knownModel } from "./known-model.ts"

const jsonl = (...rows: ReadonlyArray<object>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")
const instruction = (prompt: string, id: string, kwargs: object) => ({
  key: prompt.length,
  prompt,
  instruction_id_list: [id],
  kwargs: [kwargs]
})
const python = (name: string) => ({
  task_id: `Own/${name}`,
  prompt: `def ${name}():\n`,
  canonical_solution: "    return 1\n",
  test: "def check(f):\n    assert f() == 1\n",
  entry_point: name
})

/** first words of what is asked → reply */
const replies: ReadonlyArray<readonly [asked: string, reply: string]> = [
  ["A shelf has 1,200 books", "1,200 + 30 = 1,230\nAnswer: 1230"],
  ["A box has 6 eggs", "Answer: 7"],
  ["Which letter comes first", "B"],
  ["Which number is even", "The even one.\nAnswer: A"],
  ["Write two words without commas", "two words"],
  ["Write a line with the word kiwi", "an apple"],
  ["not True is", "Answer: False"],
  ["Pick one", "Answer: (A)"],
  ["Do cats bark", "A"],
  [
    "Complete this Python function. Answer with the whole function in one code block.\n\ndef good",
    "def good():\n    return 1"
  ],
  [
    "Complete this Python function. Answer with the whole function in one code block.\n\ndef poor",
    "def poor():\n    return 2"
  ]
]

const ratingOf = (prompt: string) => (prompt.includes("<reply>\ndef good") ? "Rating: 5" : "Rating: 1")

const replyTo = (asked: string): string =>
  asked.startsWith("You judge") ? ratingOf(asked) : (replies.find(([start]) => asked.startsWith(start))?.[1] ?? "yes")

interface Set {
  readonly format: string
  readonly file: string
  readonly text: string
  readonly licence: string
  readonly metric: string
  readonly parameters: { readonly [name: string]: unknown }
}

const sets: ReadonlyArray<Set> = [
  {
    format: "gsm8k",
    file: "test.jsonl",
    text: jsonl(
      {
        question: "A shelf has 1,200 books and gets 30. How many?",
        answer: "1200 + 30 = <<1200+30=1230>>1230\n#### 1,230"
      },
      { question: "A box has 6 eggs. How many?", answer: "#### 6" }
    ),
    ...{ licence: "MIT", metric: "numeric_match", parameters: { scorer: "numeric_match" } }
  },
  {
    format: "mmlu",
    file: "letters_test.csv",
    text: 'Which letter comes first?,x,a,y,z,B\n"Which number is even?",1,2,3,5,B\n',
    ...{ licence: "MIT", metric: "acc", parameters: { scorer: "acc" } }
  },
  {
    format: "ifeval",
    file: "input_data.jsonl",
    text: jsonl(
      instruction("Write two words without commas.", "punctuation:no_comma", {}),
      instruction("Write a line with the word kiwi.", "keywords:existence", { keywords: ["kiwi"] })
    ),
    ...{ licence: "Apache-2.0", metric: "regex_match", parameters: { scorer: "regex_match" } }
  },
  {
    format: "bbh",
    file: "boolean_expressions.json",
    text: JSON.stringify({
      examples: [
        { input: "not True is", target: "False" },
        { input: "Pick one.\n(A) first\n(B) second", target: "(B)" }
      ]
    }),
    ...{ licence: "MIT", metric: "exact_match_flexible", parameters: { scorer: "exact_match_flexible" } }
  },
  {
    format: "truthfulqa",
    file: "TruthfulQA.csv",
    text: "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source\nA,Animals,Do cats bark?,No,No; Never,Yes; At night,own\n",
    ...{ licence: "Apache-2.0", metric: "acc", parameters: { scorer: "acc" } }
  },
  {
    format: "humaneval",
    file: "HumanEval.jsonl",
    text: jsonl(python("good"), python("poor")),
    ...{ licence: "MIT", metric: "judge_score", parameters: { scorer: "judge" } }
  }
]

let folder = ""
let host: ServiceHost
let endpoint: Running
let scope: Scope.CloseableScope
let storage: FakeS3

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-sets-"))
  endpoint = await knownModel(replyTo)
  host = await serviceHost({ shipped: true })
  scope = Effect.runSync(Scope.make())
  storage = await Effect.runPromise(Scope.extend(fakeS3({ bucket: "sets", objects: new Map() }), scope))
  const secret = join(host.folder, "config", "secrets", "storage")
  mkdirSync(secret, { mode: 0o700 })
  chmodSync(secret, 0o700)
  for (const [name, value] of Object.entries({
    AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    AWS_DEFAULT_REGION: s3Keys.region,
    AWS_S3_ENDPOINT: storage.url
  }))
    writeFileSync(join(secret, name), value, { mode: 0o600 })
})
afterAll(async () => {
  await host.stop()
  await endpoint.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** the best answer's letter depends on the question alone; whether the model's A is right is read from the imported rows */
const truthful = (rows: string) => {
  const { choices, answer } = JSON.parse(rows) as { readonly choices: ReadonlyArray<string>; readonly answer: string }
  return choices[0] === answer ? 1 : 0
}

describe("imported public sets as jobs", () => {
  it("every format is scored right, with licence and hashes in the results", async () => {
    const judge = { url: `${endpoint.url}/v1`, name: "judge" }
    const outputs = new Map<string, string>()
    for (const { format, file, text } of sets) {
      const [original, output] = [join(folder, file), join(folder, `${format}.jsonl`)]
      writeFileSync(original, text)
      const { code, stderr } = await run(["adapter", "evald", "--import", format, "--output", output, original])
      assert.strictEqual(code, 0, stderr)
      outputs.set(format, readFileSync(output, "utf8"))
      storage.put(`${format}/rows.jsonl`, readFileSync(output))
      storage.put(`${format}/rows.jsonl.source.json`, readFileSync(`${output}.source.json`))
    }
    const job = await host.evaluate(
      { url: `${endpoint.url}/v1`, name: "known-replies" },
      sets.map(({ format, parameters, metric }) => ({
        id: "custom_jsonl",
        provider_id: "evald",
        parameters: { ...parameters, data_path: "rows.jsonl", ...(format === "humaneval" ? { judge } : {}) },
        primary_score: { metric },
        test_data_ref: { s3: { bucket: "sets", key: format, secret_ref: "storage" } }
      }))
    )
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status.benchmarks))
    const expected: { readonly [format: string]: number } = {
      ...{ gsm8k: 0.5, mmlu: 0.5, ifeval: 0.5, bbh: 0.5, humaneval: 0.5 },
      truthfulqa: truthful(outputs.get("truthfulqa") ?? "")
    }
    assert.deepStrictEqual(
      Object.fromEntries(
        sets.map(({ format, metric }, index) => [format, job.results.benchmarks[index]?.metrics[metric]])
      ),
      expected
    )
    for (const [index, { format, file, text, licence }] of sets.entries()) {
      const info = job.results.benchmarks[index]?.additional_info ?? {}
      const [dataset, scoring] = [info["dataset"], info["scoring"]] as ReadonlyArray<{
        readonly [name: string]: unknown
      }>
      const rows = outputs.get(format) ?? ""
      assert.strictEqual(dataset?.["licence"], licence, format)
      assert.deepStrictEqual(dataset?.["files"], [
        {
          file: "rows.jsonl",
          sha256: sha256(rows),
          imported: {
            format,
            licence,
            licence_from: "the published licence of the set; check that it holds for this copy",
            source: { file, bytes: Buffer.byteLength(text), sha256: sha256(text) },
            unchanged: true
          }
        }
      ])
      if (format === "humaneval") assert.match(String(scoring?.["judge_prompt_sha256"]), /^[0-9a-f]{64}$/)
    }
  })
})
