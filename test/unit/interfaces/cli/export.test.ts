import { assert, describe, it } from "vitest"
import type { Job } from "../../../../interfaces/cli/client/follow.ts"
import { conditionOf, endOf, verdictOf } from "../../../../interfaces/cli/client/job-shown.ts"
import { junitText, markdownText } from "../../../../interfaces/cli/client/verbs/export.ts"
import type { Gate } from "../../../../interfaces/cli/client/verbs/judged.ts"

type Decided = "pass" | "fail" | "inconclusive"

/** one benchmark that ended so; a name that tries to be markup */
const job = (
  decided: Decided,
  more: { readonly invalid?: boolean; readonly state?: Job["status"]["state"] } = {}
): Job => ({
  resource: { id: "j1", tenant: "t", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
  name: '</testsuites>|<img src=x> [a](b) "\u001b[2J',
  model: { url: "http://m.example/v1", name: "m" },
  status: {
    state: more.state ?? "completed",
    message: { message: "done", message_code: "job_completed" },
    benchmarks: [{ provider_id: "evald", id: "b<1>", benchmark_index: 0, status: "completed" }]
  },
  results: {
    benchmarks: [
      {
        id: "b<1>",
        provider_id: "evald",
        benchmark_index: 0,
        metrics: { acc: 0.5 },
        validity: {
          status: more.invalid ? "invalid" : "valid",
          flags: more.invalid
            ? [{ code: "empty", level: "blocking", count: 1, of: 1, limit: 0, samples: [], message: "all empty" }]
            : []
        },
        test: {
          primary_score: 0.5,
          primary_score_metric: "acc",
          lower_is_better: false,
          threshold: 0.6,
          pass: decided === "pass",
          decided,
          interval: { low: 0.4, high: 0.6, level: 0.95, sides: 2, method: "t", n: 20, source: "samples" }
        }
      }
    ],
    test: { score: 0.5, threshold: 0.6, pass: decided === "pass", coverage: 1, decided }
  }
})

describe("JUnit", () => {
  it("has what failed as failure, what is open as skipped or failure, and what can not be believed as error", () => {
    assert.match(junitText(job("pass"), false), /errors="0" failures="0" skipped="0"/)
    assert.match(junitText(job("fail"), false), /errors="0" failures="1" skipped="0"[\s\S]*<failure /)
    assert.match(junitText(job("inconclusive"), false), /errors="0" failures="0" skipped="1"[\s\S]*<skipped /)
    assert.match(junitText(job("inconclusive"), true), /errors="0" failures="1" skipped="0"[\s\S]*<failure /)
    assert.match(
      junitText(job("pass", { invalid: true }), false),
      /errors="1"[\s\S]*<error message="invalid: empty: all empty"/
    )
  })
  it("takes no markup and no control character from a name", () => {
    const text = junitText(job("pass"), false)
    assert.strictEqual(text.match(/<\/testsuites>/g)?.length, 1)
    assert.include(text, 'name="&lt;/testsuites&gt;|&lt;img src=x&gt; [a](b) &quot;\\x1b[2J"')
  })
})

describe("Markdown", () => {
  it("has the verdict first, a row for each benchmark with its interval, and why something does not count", () => {
    const text = markdownText(job("pass", { invalid: true }), "http://s/j1")
    assert.match(text, /^\*\*INVALID\*\* /)
    assert.include(text, "| evald/b\\<1\\> | acc | 0.500 | 0.400 to 0.600 | 20 | 0.600 | invalid |")
    assert.include(text, "- evald/b\\<1\\>: empty: all empty")
    assert.match(text, /\[Job j1\]\(http:\/\/s\/j1\)\n$/)
  })
  it("takes no markup from a name", () => {
    const text = markdownText(job("pass"), "http://s/j1")
    assert.notMatch(text, /[^\\]<img|[^\\]\[a\]/)
  })
})

/** a decision against a baseline whose name tries to be markup */
const gate: Gate = {
  resource: { id: "g1", tenant: "t", owner: "o", created_at: "2026-01-01T00:00:00Z" },
  outcome: "NO-GO",
  look: 1,
  policy: { name: "release", criteria: [] },
  policy_sha256: "",
  inputs_sha256: "",
  job: { job: "j1", name: "n", model: { url: "u", name: "m" } },
  baseline: { job: "j0", name: "| <b>", model: { url: "u", name: "old" } },
  criteria: [
    {
      ...{ benchmark: "b<1>", kind: "relative_to_baseline", tolerance: 0.05, tier: "gating", alpha: 0.05 },
      ...{ outcome: "BREACH", value: 0.5, loss: 0.2, bounds: { low: 0.1, high: 0.3 }, n: 20 }
    },
    {
      ...{ benchmark: "b<1>", kind: "absolute", threshold: 0.9, tier: "advisory", alpha: 0.05 },
      ...{ outcome: "BREACH", value: 0.5, n: 20 }
    }
  ]
}

describe("what a policy said of a job", () => {
  it("stands first in Markdown (a report said PASS of a job that may not ship)", () => {
    const text = markdownText(job("pass"), "http://s/j1", gate)
    assert.match(text, /^\*\*NO-GO\*\* by policy release, held against \\\| \\<b\\> of old\n/)
    assert.include(text, "| b\\<1\\> | loses at most 0.05 | BREACH | 0.500 | 0.200 | 0.100 to 0.300 | 20 | - |")
    assert.include(text, "| at least 0.9 | BREACH (advisory) |")
    assert.include(text, "**PASS**")
  })
  it("is a suite of its own in JUnit, in which advisory criteria fail nothing", () => {
    const text = junitText(job("pass"), false, gate)
    assert.match(text, /<testsuites [^>]*tests="3">/)
    assert.match(text, /<testsuite name="policy release" tests="2" errors="0" failures="1" skipped="1">/)
    assert.include(text, '<failure message="BREACH: loses at most 0.05; score 0.500, loss 0.200"/>')
  })
})

describe("the end of a job as an exit code", () => {
  it("is 3 unless it is completed, and of a completed one the verdict's only when it is asked for", () => {
    assert.strictEqual(verdictOf(job("pass", { invalid: true })), "invalid")
    for (const [one, plain, asked] of [
      [job("pass"), 0, 0],
      [job("fail"), 0, 10],
      [job("inconclusive"), 0, 11],
      [job("pass", { invalid: true }), 0, 11],
      [job("pass", { state: "partially_failed" }), 3, 3],
      [job("pass", { state: "cancelled" }), 3, 3]
    ] as const)
      assert.deepStrictEqual([endOf(one, false), endOf(one, true)], [plain, asked])
  })
  it("of a wait is 0 for what was waited for only", () => {
    const codes = (text: string) =>
      [job("pass"), job("fail"), job("pass", { state: "failed" })].map(conditionOf(text).exit)
    assert.deepStrictEqual(codes("verdict=pass"), [0, 10, 3])
    assert.deepStrictEqual(codes("verdict=fail"), [1, 0, 3])
    assert.deepStrictEqual(codes("state=completed"), [0, 0, 3])
    assert.deepStrictEqual(codes("state=failed"), [1, 1, 0])
    assert.throws(() => conditionOf("state=finished"), /--for must be/)
  })
})
