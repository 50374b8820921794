import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { describe as line, type Problem } from "../../../../domain/file-problem.ts"
import { collectionRules } from "../../../../infrastructure/catalog/lint/collection-rules.ts"
import { lintFolder } from "../../../../infrastructure/catalog/lint/lint.ts"
import { providerRules } from "../../../../infrastructure/catalog/lint/provider-rules.ts"
import { interval, isRate } from "../../../../infrastructure/catalog/lint/scale.ts"

const lint = (files: Readonly<Record<string, string>>): ReadonlyArray<Problem> => {
  const folder = mkdtempSync(join(tmpdir(), "evald-lint-"))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return lintFolder({ configDir: folder }).problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Parts {
  readonly head?: string
  readonly runtime?: string
  readonly rows?: string
  readonly more?: string
}
const row =
  "  - {id: b, name: B, category: math, metrics: [acc], primary_score: {metric: acc, scale: unit}, pass_criteria: {threshold: 0.5}}"
const provider = (
  id: string,
  { head = "agent: {summary: s}", runtime = "runtime: {k8s: {image: 'r/i:1'}}", rows = row, more = "" }: Parts = {}
) => `id: ${id}\ntype: builtin\nname: ${id}\n${head}\n${runtime}\n${more}\nbenchmarks:\n${rows}\n`
const collection = (id: string, entries: string, threshold = 0.4) =>
  `id: ${id}\ntype: builtin\nname: ${id}\ncategory: general\nagent: {summary: s}\npass_criteria: {threshold: ${threshold}}\nbenchmarks:\n${entries}\n`
const facts = (id: string, inImage: string, kind: string, emitted: string) =>
  `benchmark_id\tin_0_4_8\tkind_0_4_12\tleaf_tasks\toutput_type\temitted_metrics\temitted_known\n${id}\t${inImage}\t${kind}\t1\tx\t${emitted}\tstatic\n`

const p = (parts: Parts = {}) => ({ "providers/p.yaml": provider("p", parts) })
const manyRows = Array.from(
  { length: 21 },
  (_, i) => `  - {id: b${i}, name: B, category: math, metrics: [acc], dataset_size: 1000}`
).join("\n")

/** code -> a small folder on which it must fire, and the severity it has */
const fixtures: Readonly<Record<string, readonly [Problem["severity"], Readonly<Record<string, string>>]>> = {
  L001: ["error", p({ more: "titel: x" })],
  "L001 wrong type": ["error", p({ rows: "  - {id: b, name: B, category: math, metrics: acc}" })],
  "L001 missing member": ["error", p({ rows: "  - {name: B, category: math, metrics: [acc]}" })],
  "L001 no YAML": ["error", { "providers/p.yaml": "id: p\nname: [1\n" }],
  "L001 two documents": ["error", { "providers/p.yaml": `${provider("p")}---\n${provider("p")}` }],
  "L001 old spelling": ["warning", p({ runtime: "runtime: {k8s: {Image: 'r/i:1'}}" })],
  L002: ["error", { ...p(), "providers/q.yaml": provider("p") }],
  "L002 file name": ["error", { "providers/other.yaml": provider("p") }],
  "L002 benchmark": ["error", p({ rows: `${row}\n${row}` })],
  L003: ["error", { ...p(), "collections/c.yaml": collection("c", "  - {id: kobest_wic, provider_id: p}") }],
  L004: ["error", p({ rows: "  - {id: b, name: B, category: math, metrics: [acc], primary_score: {metric: f1}}" })],
  L005: ["error", { ...p(), "facts/p.tsv": facts("b", "yes", "task", "exact_match") }],
  L006: ["warning", { ...p(), "facts/p.tsv": facts("b", "yes", "task", "exact_match") }],
  L007: [
    "error",
    p({
      rows: "  - {id: b, name: B, category: math, metrics: [acc], primary_score: {metric: acc}, pass_criteria: {threshold: 38}}"
    })
  ],
  "L007 declared scale": [
    "error",
    {
      ...p({
        rows: "  - {id: b, name: B, category: math, metrics: [acc], primary_score: {metric: acc, scale: {min: 1, max: 5}}}"
      }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p, pass_criteria: {threshold: 0.5}}")
    }
  ],
  "L007 collection": ["error", { ...p(), "collections/c.yaml": collection("c", "  - {id: b, provider_id: p}", 38) }],
  L008: [
    "error",
    {
      ...p(),
      "collections/c.yaml": collection(
        "c",
        "  - {id: b, provider_id: p, primary_score: {metric: acc, lower_is_better: true}}"
      )
    }
  ],
  L009: [
    "error",
    { ...p(), "collections/c.yaml": collection("c", "  - {id: b, provider_id: p, primary_score: {metric: acc_norm}}") }
  ],
  L010: [
    "error",
    {
      ...p({ rows: "  - {id: b, name: B, category: math, metrics: [acc], requirements: {framework_min: none}}" }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p}")
    }
  ],
  L011: ["warning", { ...p(), "facts/p.tsv": facts("b", "no", "task", "acc") }],
  L012: ["warning", { ...p(), "facts/p.tsv": facts("b", "yes", "tag", "acc") }],
  L013: [
    "warning",
    p({ rows: "  - {id: b, name: B, category: math, metrics: [acc], requirements: {endpoint: completions_echo}}" })
  ],
  L014: [
    "error",
    {
      ...p({ more: "parameters: [{name: num_few_shot, type: integer}]" }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p, parameters: {num_fewshot: 3, pass_at_k: 1}}")
    }
  ],
  "L014 unread": [
    "warning",
    {
      ...p({ more: "parameters: [{name: seed, type: integer}]" }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p, parameters: {sede: 3}}")
    }
  ],
  L015: [
    "warning",
    {
      ...p({
        rows: "  - {id: b, name: B, category: math, metrics: [acc], requirements: {endpoint: completions_echo}}"
      }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p, parameters: {apply_chat_template: true}}")
    }
  ],
  L016: ["warning", { ...p(), "collections/c.yaml": collection("c", "  - {id: b, provider_id: p}", 0.75) }],
  L017: [
    "warning",
    {
      ...p({
        rows: `${row}\n  - {id: c, name: C, category: performance, metrics: [x_per_second], primary_score: {metric: x_per_second}}`
      }),
      "collections/c.yaml": collection("c", "  - {id: b, provider_id: p}\n  - {id: c, provider_id: p}")
    }
  ],
  L018: ["warning", p({ rows: "  - {id: b, name: B, category: math, metrics: [acc]}" })],
  L019: ["warning", p({ rows: manyRows })],
  L020: [
    "warning",
    p({
      rows: `${row.slice(0, -1)}, agent: {score_ranges: [{range: "0.0-0.5", meaning: low}, {range: "0.35-1.0", meaning: high}]}}`
    })
  ],
  "L020 gap": [
    "warning",
    p({
      rows: `${row.slice(0, -1)}, agent: {score_ranges: [{range: "0.0-0.5", meaning: low}, {range: "0.6-1.0", meaning: high}]}}`
    })
  ],
  L021: [
    "warning",
    p({
      rows: "  - {id: a, name: A, category: m, metrics: [acc], requirements: {framework_task: t}}\n  - {id: b, name: B, category: m, metrics: [acc], requirements: {framework_task: t}}"
    })
  ],
  L022: ["error", p({ runtime: "runtime: {k8s: {image: 'r/i:1', cpu_request: '2', cpu_limit: '1'}}" })],
  "L022 quantity": ["error", p({ runtime: "runtime: {k8s: {image: 'r/i:1', memory_limit: 4GB}}" })],
  L023: [
    "warning",
    p({
      runtime: "runtime: {k8s: {image: 'r/i:1', env: [{name: VAR_NAME, value: VALUE}, {name: HF_TOKEN, value: hf_x}]}}"
    })
  ],
  L024: ["warning", p({ runtime: "runtime: {local: {command: ./run.sh}}" })],
  L025: ["warning", p({ runtime: "runtime: {k8s: {image: 'r/i:latest'}}" })],
  "L025 type": ["warning", { "providers/p.yaml": provider("p").replace("type: builtin\n", "") }],
  L026: ["warning", p({ more: "description: All 180 benchmarks of the framework." })],
  L027: ["info", p({ head: "agent: {summary: s, complements: [nobody]}" })],
  L028: ["error", p({ head: `agent: {summary: ${"s".repeat(201)}}` })],
  L029: ["info", p({ rows: "  - {id: b, name: B, category: m, metrics: [match/acc], primary_score: {metric: acc}}" })],
  L030: ["error", p({ more: "parameters: [{name: n, type: integer, default: many}]" })],
  L031: ["info", p({ rows: row.replace(", scale: unit", "") })]
}

describe("linter", () => {
  for (const [name, [severity, files]] of Object.entries(fixtures)) {
    const code = name.slice(0, 4)
    it(`${name} fires as ${severity} with a position`, () => {
      const problems = lint(files)
      const hit = problems.find((problem) => problem.code === code && problem.severity === severity)
      assert.isDefined(hit, `no ${severity} ${code} among:\n${problems.map(line).join("\n")}`)
      for (const problem of problems)
        assert.match(line(problem), /\.yaml:[1-9]\d*:[1-9]\d*: (error|warning|info) L\d{3}/)
    })
  }
  it("an unknown member is told the name that it most likely meant, a wrong value what is expected", () => {
    const [unknown] = lint(p({ more: "descripton: x" }))
    assert.include(unknown?.message, "'descripton' is not a known member; did you mean 'description'?")
    const [far] = lint(p({ more: "zzzzzzzzzz: x" }))
    assert.match(far?.message ?? "", /'zzzzzzzzzz' is not a known member; known are id, type, /)
    const [wrong] = lint(p({ rows: "  - {id: b, name: B, category: math, metrics: acc}" }))
    assert.match(wrong?.message ?? "", /^is "acc", expected a list$/)
  })
  it("every code of a rule is in the list of the contract", () => {
    const rules = [...providerRules, ...collectionRules].map(({ code }) => code)
    assert.deepStrictEqual(
      rules.filter((code) => !Object.keys(fixtures).some((name) => name.startsWith(code))),
      []
    )
  })
  it("every code of the contract has a fixture", () => {
    const codes = new Set(Object.keys(fixtures).map((name) => name.slice(0, 4)))
    for (let n = 1; n <= 31; n++) assert.isTrue(codes.has(`L${String(n).padStart(3, "0")}`), `L${n}`)
  })
  it("a clean file has no problem at all", () => {
    assert.deepStrictEqual(
      lint({ ...p(), "collections/c.yaml": collection("c", "  - {id: b, provider_id: p}") }).map(line),
      []
    )
  })
  it("a broken YAML file is one error with its line, and the others are still read", () => {
    const problems = lint({ ...p(), "providers/broken.yaml": "id: broken\nname: [1\n" })
    assert.deepStrictEqual([...new Set(problems.map(({ file }) => file.split("/").at(-1)))], ["broken.yaml"])
    assert.isAbove(problems[0]?.line ?? 0, 1)
  })
})

describe("scales", () => {
  it("metrics are rates unless their name says otherwise", () => {
    for (const name of ["acc", "exact_match", "attack_success_rate", "pass@1"]) assert.isTrue(isRate(name), name)
    for (const name of [
      "output_tokens_per_second",
      "mean_ttft_ms",
      "word_perplexity",
      "bits_per_byte",
      "concerning/mean",
      "total_issues",
      "n_evaluated"
    ]) {
      assert.isFalse(isRate(name), name)
    }
  })
  it("reads every form of a range", () => {
    assert.deepStrictEqual(interval("0.1-0.3"), { low: 0.1, high: 0.3 })
    assert.deepStrictEqual(interval("-1--0.5"), { low: -1, high: -0.5 })
    assert.deepStrictEqual(interval("<5"), { low: Number.NEGATIVE_INFINITY, high: 5 })
    assert.deepStrictEqual(interval(">= 5"), { low: 5, high: Number.POSITIVE_INFINITY })
    assert.deepStrictEqual(interval("7+"), { low: 7, high: Number.POSITIVE_INFINITY })
    assert.isUndefined(interval("low"))
  })
})
