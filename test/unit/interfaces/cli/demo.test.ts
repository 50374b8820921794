import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { JobView } from "../../../../interfaces/cli/demo/job-view.ts"
import { readOptions } from "../../../../interfaces/cli/demo/options.ts"
import { bars, changes, figures, observe } from "../../../../interfaces/cli/demo/progress.ts"
import { failures, overall, remarks, resultTable } from "../../../../interfaces/cli/demo/result-table.ts"
import { exitCodeOf, jobBody } from "../../../../interfaces/cli/demo/run-demo.ts"

const status = (index: number, state: "pending" | "running" | "completed" | "failed", extra: object = {}) => ({
  id: `bench_${index}`,
  provider_id: "evald",
  benchmark_index: index,
  status: state,
  ...extra
})
const job = (benchmarks: JobView["status"]["benchmarks"], results?: JobView["results"]): JobView => ({
  resource: { id: "j", created_at: "", updated_at: "" },
  name: "n",
  status: { state: "running", benchmarks },
  ...(results === undefined ? {} : { results })
})

describe("demo options", () => {
  const wrong = (...args: ReadonlyArray<string>) => {
    const result = readOptions(args)
    return Either.isLeft(result) && result.left !== "help" ? result.left.join("; ") : "no problem"
  }
  it("names what is missing or contradicts, all at once", () => {
    assert.match(wrong("--model-url", "http://x"), /--model-url needs --model-name/)
    assert.match(wrong("--model-name", "m"), /--model-name needs --model-url/)
    assert.match(wrong("--model-url", "ftp://x", "--model-name", "m"), /http or https/)
    assert.match(wrong("--skill", "2"), /--skill takes a number from 0 to 1, not '2'/)
    assert.match(wrong("--collection", "a", "--benchmark", "b"), /either --collection or --benchmark/)
    assert.match(wrong("--skil", "1", "surplus"), /unknown flag '--skil'.*unexpected argument 'surplus'/)
  })
  it("a benchmark without a provider is of the embedded one", () => {
    const options = Either.getOrThrow(
      readOptions(["--benchmark", "arith_basic", "--benchmark", "lighteval/arc:easy", "--num-examples", "5"])
    )
    assert.deepStrictEqual(options.benchmarks, [
      { providerId: "evald", id: "arith_basic" },
      { providerId: "lighteval", id: "arc:easy" }
    ])
    const body = jobBody(options, { url: "http://m", name: "m", secretRef: "key", isDemoModel: false })
    assert.deepStrictEqual(body["benchmarks"], [
      { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } },
      { id: "arc:easy", provider_id: "lighteval", parameters: { num_examples: 5 } }
    ])
    assert.deepStrictEqual(body["model"], { url: "http://m", name: "m", auth: { secret_ref: "key" } })
  })
})

describe("settings of the model", () => {
  it("limit and temperature go to the model's parameters (the demo had no flag for them)", () => {
    const options = Either.getOrThrow(
      readOptions(["--model-url", "http://m", "--model-name", "m", "--max-tokens", "8192", "--temperature", "0.6"])
    )
    const body = jobBody(options, { url: "http://m", name: "m", secretRef: undefined, isDemoModel: false })
    assert.deepStrictEqual(body["model"], {
      url: "http://m",
      name: "m",
      parameters: { max_tokens: 8192, temperature: 0.6 }
    })
  })
  it("what a benchmark says against its own score stands below the table", () => {
    const result = {
      id: "bench_0",
      provider_id: "evald",
      benchmark_index: 0,
      additional_info: { notes: ["truncated: 9 of 9 …", "b", "c", "d"] }
    }
    assert.deepStrictEqual(remarks(job([status(0, "completed")], { benchmarks: [result] })), [
      "  bench_0: truncated: 9 of 9 …",
      "  bench_0: b",
      "  bench_0: c"
    ])
  })
})

describe("progress", () => {
  const running = job([
    status(0, "running", { progress: { completed_steps: 5, total_steps: 20 } }),
    status(1, "pending")
  ])
  it("shows samples done, rate and time left", () => {
    const seen = observe(
      new Map(),
      job([status(0, "running", { progress: { completed_steps: 0, total_steps: 20 } })]),
      1000
    )
    assert.strictEqual(
      figures(status(0, "running", { progress: { completed_steps: 5, total_steps: 20 } }), seen, 2000),
      "5/20  5.0/s  ETA 3 s"
    )
  })
  it("draws one line per benchmark, cut to the terminal", () => {
    const lines = bars(running, new Map(), 0, { columns: 40, rows: 24 })
    assert.strictEqual(lines.length, 2)
    assert.isTrue(lines.every((line) => line.length < 40))
    assert.include(lines[0], "███░")
    assert.include(bars(running, new Map(), 0, { columns: 80, rows: 24 })[0], "█████░")
  })
  it("a long name leaves room for the bar and the state, and what moves the cursor counts as what is shown", () => {
    const named = (id: string) => ({
      ...status(0, "running", { progress: { completed_steps: 5, total_steps: 20 } }),
      id
    })
    for (const id of ["n".repeat(100), "\u001b[2J".repeat(20)]) {
      const [line = ""] = bars(job([named(id)]), new Map(), 0, { columns: 40, rows: 24 })
      assert.isBelow(line.length, 40)
      assert.match(line, /… {2}█+░+ {2}5\/20$/)
      assert.notInclude(line, "\u001b")
    }
  })
  it("a thousand benchmarks are as many lines as the terminal has room for: what runs and failed, and how many others", () => {
    const many = Array.from({ length: 1000 }, (_, at) =>
      status(at, at === 998 ? "running" : at === 500 ? "failed" : at < 400 ? "completed" : "pending")
    )
    const lines = bars(job(many), new Map(), 0, { columns: 80, rows: 24 })
    assert.strictEqual(lines.length, 22)
    assert.match(lines.join("\n"), /bench_500 [\s\S]*bench_998 /)
    assert.strictEqual(lines.at(-1), "  and 979 more: 400 completed, 579 pending")
  })
  it("says each change once when there is no terminal", () => {
    assert.deepStrictEqual(changes(undefined, running, new Map(), 0), ["bench_0: running"])
    assert.deepStrictEqual(changes(running, running, new Map(), 0), [])
    const failed = job([
      status(0, "failed", { error_message: { message: "m", message_code: "out_of_memory" } }),
      status(1, "pending")
    ])
    assert.deepStrictEqual(changes(running, failed, new Map(), 0), ["bench_0: failed: out_of_memory"])
  })
})

describe("result table", () => {
  const completed = status(0, "completed")
  const finished: JobView = {
    ...job(
      [
        status(0, "completed"),
        status(1, "failed", {
          error_message: { message: "no route\nmore", message_code: "model_endpoint_unreachable" }
        })
      ],
      {
        benchmarks: [
          {
            id: "bench_0",
            provider_id: "evald",
            benchmark_index: 0,
            metrics_schema: [{ name: "asr", n: 20, ci: [0.05, 0.25] }],
            test: { primary_score: 0.1, primary_score_metric: "asr", lower_is_better: true, threshold: 0.3, pass: true }
          }
        ],
        test: { score: 0.9, threshold: 0.4, pass: false, coverage: 0.5 }
      }
    )
  }
  it("shows value, interval, n, threshold with its direction, and verdict", () => {
    const [, , first = "", second = ""] = resultTable(finished)
    assert.match(first, /bench_0\s+asr\s+0\.100 \[0\.050, 0\.250\]\s+20\s+≤ 0\.300\s+pass/)
    assert.match(second, /bench_1\s+model_endpoint_unreachable\s+-\s+-\s+-\s+failed/)
  })
  it("is lines for each benchmark where the terminal has no room for a table, and nothing of a value is cut", () => {
    for (const width of [40, 60, 80]) {
      const lines = resultTable(finished, width)
      for (const line of lines) assert.isAtMost([...line].length, width)
      assert.deepStrictEqual(lines.slice(0, 3), [
        "  bench_0  asr",
        "    0.100 [0.050, 0.250]  pass",
        "    n 20, threshold ≤ 0.300"
      ])
    }
    assert.deepStrictEqual(resultTable(finished, 100), resultTable(finished))
  })
  it("the overall line tells coverage when it is not complete", () => {
    assert.strictEqual(overall(finished), "  overall: score 0.900 (threshold 0.400, coverage 50 %): FAIL")
    assert.deepStrictEqual(failures(finished), ["  bench_1 failed (model_endpoint_unreachable): no route"])
  })
  it("verdict and interval are what the items show; a value that no item backs is inconclusive, not a pass", () => {
    const test = {
      primary_score: 0.85,
      primary_score_metric: "acc",
      lower_is_better: false,
      threshold: 0.7,
      pass: true,
      decided: "inconclusive"
    } as const
    const shown = (members: object, overallTest: object, notes?: ReadonlyArray<string>): JobView => ({
      ...job([status(0, "completed")]),
      results: {
        benchmarks: [
          {
            id: "bench_0",
            provider_id: "evald",
            benchmark_index: 0,
            test: { ...test, ...members },
            ...(notes === undefined ? {} : { notes })
          }
        ],
        test: { score: 0.85, threshold: 0.7, pass: true, coverage: 1, decided: "inconclusive", ...overallTest }
      }
    })
    const few = shown({ interval: { low: 0.62, high: 0.97 } }, { bounds: { low: 0.656, high: 0.958 } })
    assert.match(resultTable(few)[2] ?? "", /acc\s+0\.850 \[0\.620, 0\.970\]\s+-\s+≥ 0\.700\s+inconclusive/)
    assert.strictEqual(
      overall(few),
      "  overall: score 0.850 (threshold 0.700): INCONCLUSIVE, too few items: it may lie anywhere from 0.656 to 0.958 (the score itself meets the threshold)"
    )
    assert.strictEqual(
      overall(shown({}, { pass: false })),
      "  overall: score 0.850 (threshold 0.700): INCONCLUSIVE, nothing is known about single items (the score itself misses the threshold)"
    )
    assert.strictEqual(
      overall(shown({}, { pass: false, coverage: 0.5 })),
      "  overall: score 0.850 (threshold 0.700, coverage 50 %): INCONCLUSIVE, because not everything counts"
    )
    assert.strictEqual(overall(shown({}, { decided: "pass" })), "  overall: score 0.850 (threshold 0.700): PASS")
    assert.strictEqual(overall(shown({}, { decided: "fail" })), "  overall: score 0.850 (threshold 0.700): FAIL")
    assert.deepStrictEqual(remarks(shown({}, {}, ["value_outside_scale: 'acc' is 40 …"])), [
      "  bench_0: value_outside_scale: 'acc' is 40 …"
    ])
  })
  it("a result that can not be believed is called invalid, with what is wrong, whatever its number", () => {
    const flags = [
      { code: "few_items", level: "advisory", message: "only 20 items were scored" },
      { code: "empty_responses", level: "blocking", message: "20 of 20 answers were empty" }
    ]
    const shown = (validity: "valid" | "suspect" | "invalid"): JobView => ({
      ...job([completed]),
      results: {
        benchmarks: [
          {
            id: "bench_0",
            provider_id: "evald",
            benchmark_index: 0,
            validity: { status: validity, flags: validity === "invalid" ? flags : flags.slice(0, 1) },
            test: {
              primary_score: 0.9,
              primary_score_metric: "acc",
              lower_is_better: false,
              threshold: 0.7,
              decided: "inconclusive"
            }
          }
        ]
      }
    })
    assert.match(resultTable(shown("invalid"))[2] ?? "", /≥ 0\.700\s+invalid$/)
    assert.deepStrictEqual(remarks(shown("invalid")), ["  bench_0: empty_responses: 20 of 20 answers were empty"])
    assert.match(resultTable(shown("suspect"))[2] ?? "", /inconclusive$/)
    assert.deepStrictEqual(remarks(shown("suspect")), ["  bench_0: few_items: only 20 items were scored"])
    assert.deepStrictEqual(remarks(shown("valid")), [])
    assert.strictEqual(overall(shown("invalid")), "  overall: running, no score: none of the results can be believed")
    assert.strictEqual(overall(shown("suspect")), "  overall: running, no score")
  })
  it("the exit code is 0 for what completed, whatever the verdict, 11 when a result can not be believed, 1 for a failure (it was 0 when nothing could be)", () => {
    const ended = (state: "completed" | "failed", ...validities: ReadonlyArray<string | undefined>): JobView => ({
      ...job(validities.map((_, index) => status(index, "completed"))),
      status: { state, benchmarks: [] },
      results: {
        benchmarks: validities.map((validity, index) => ({
          ...{ id: `bench_${index}`, provider_id: "evald", benchmark_index: index },
          ...(validity === undefined ? {} : { validity: { status: validity, flags: [] } })
        }))
      }
    })
    assert.strictEqual(exitCodeOf(ended("completed", "valid", "suspect", undefined)), 0)
    assert.strictEqual(exitCodeOf(ended("completed", "valid", "invalid")), 11)
    assert.strictEqual(exitCodeOf(ended("completed", "invalid", "invalid")), 11)
    assert.strictEqual(exitCodeOf(ended("failed", "invalid")), 1)
  })
  it("what server and adapter both say is said once, and of an invalid result nothing but why (each flag stood there twice)", () => {
    const empty = { code: "empty_responses", level: "blocking", message: "20 of 20 answers are empty" }
    const guessed = { code: "score_at_chance", level: "advisory", message: "acc is not shown to be above the 0.400" }
    const shown = (status: string, flags: ReadonlyArray<typeof empty>): JobView => ({
      ...job([completed]),
      results: {
        benchmarks: [
          {
            ...{ id: "bench_0", provider_id: "evald", benchmark_index: 0 },
            validity: { status, flags },
            additional_info: { notes: [...flags.map(({ code, message }) => `${code}: ${message}`), "of its own"] }
          }
        ]
      }
    })
    const own = "  bench_0: of its own"
    assert.deepStrictEqual(remarks(shown("invalid", [empty, guessed])), [
      "  bench_0: empty_responses: 20 of 20 answers are empty",
      own
    ])
    const chance = "  bench_0: score_at_chance: acc is not shown to be above the 0.400"
    assert.deepStrictEqual(remarks(shown("suspect", [guessed])), [chance, own])
    assert.deepStrictEqual(remarks(shown("valid", [guessed])), [chance, own])
  })
})
