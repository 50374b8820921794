/** Planted causes: each situation has one cause, which is to be said first, with what shows it and a way out. */
import { assert, describe, it } from "vitest"
import { wireSentence } from "../../../../config/wire-names.ts"
import { explain } from "../../../../domain/explain/explain.ts"
import type { Finding, Situation, UnitSight } from "../../../../domain/explain/finding.ts"
import type { Gate } from "../../../../domain/gate/gate.ts"
import type { Benchmark, BenchmarkTest, Job } from "../../../../domain/job/job.ts"
import { jobTest } from "../../../../domain/job/job-score.ts"
import { decideEnded, decideFailure, decideWaiting } from "../../../../domain/job/runtime-fact.ts"
import type { ValidityFlag } from "../../../../domain/score/validity.ts"
import { noCounts, type WireCounts } from "../../../../domain/validity/wire-counts.ts"
import { sampleBenchmark, sampleJob, sampleSnapshot, second, t0 } from "../../../support/sample-job.ts"

type Given = Partial<Omit<Situation, "job">> & { readonly job: Job }

const explained = (given: Given): ReadonlyArray<Finding> =>
  explain({ now: second(600), runtime: { kind: "cluster", freeSlots: 10 }, units: [], ...given })

const head = sampleJob()

const changedBy = (change: { readonly _tag: string; readonly benchmark?: Benchmark }): Benchmark => {
  if (change.benchmark === undefined) throw new Error(`nothing changed: ${change._tag}`)
  return change.benchmark
}

/** pending, with what the cluster says of it */
const waiting = (code: string, message: string): Job =>
  sampleJob([changedBy(decideWaiting(head, sampleBenchmark(), { attempt: 1, code, message }, second(5)))])

const running = (given: Partial<Benchmark> = {}): Partial<Benchmark> => ({
  state: "running",
  startedAt: t0,
  spawnedAt: t0,
  phase: "running_evaluation",
  ...given
})

/** ran, and ended at that second in these words, with these lines at the end of its log */
const ended = (code: string, message: string, logTail: ReadonlyArray<string> = [], at = 300): Benchmark =>
  changedBy(
    decideEnded(head, sampleBenchmark(running()), { attempt: 1, at: second(at), code, message, logTail }, second(at))
  )

/** failed by the word of its adapter */
const reported = (code: string, message: string, at = 300): Benchmark =>
  sampleBenchmark(running({ state: "failed", error: { code, message, origin: "adapter" }, completedAt: second(at) }))

const overdue = changedBy(
  decideFailure(
    head,
    sampleBenchmark(running()),
    { attempt: 1, code: "deadline_exceeded", message: "The benchmark did not end within 600 seconds." },
    second(600)
  )
)

const sight = (traffic: Partial<WireCounts>, given: Partial<UnitSight> = {}): UnitSight => ({
  index: 0,
  status: "Alive",
  traffic: { ...noCounts, ...traffic },
  ...given
})

const flag = (code: string, level: ValidityFlag["level"] = "blocking"): ValidityFlag => ({
  ...{ code, level, count: 12, of: 60, limit: 0.05, samples: ["s:1"] },
  message: `12 of 60 show ${code}`
})

const passed: BenchmarkTest = {
  ...{ primaryScore: 0.9, metric: "acc", lowerIsBetter: false, threshold: 0.8, pass: true, decided: "pass" },
  bounds: { low: 0.86, high: 0.93, level: 0.95, sides: 1 }
}

const completed = (test: BenchmarkTest | undefined, flags: ReadonlyArray<ValidityFlag> = []): Partial<Benchmark> => ({
  ...running({ state: "completed", completedAt: second(300) }),
  snapshot: sampleSnapshot({ threshold: { value: 0.8, source: "job" } }),
  result: {
    metrics: { acc: test?.primaryScore ?? 0 },
    ...(test === undefined ? { notes: ["Primary metric 'acc' was not reported. Reported: 'f1'."] } : { test }),
    ...(flags.length === 0
      ? {}
      : { validity: { status: flags.some(({ level }) => level === "blocking") ? "invalid" : "suspect", flags } })
  }
})

const judged = (...benchmarks: ReadonlyArray<Partial<Benchmark>>): Job => {
  const job = sampleJob(benchmarks)
  const test = jobTest(job, job.benchmarks)
  return test === undefined ? job : { ...job, test }
}

const gate = (outcome: Gate["outcome"]): Gate => ({
  ...{ id: "g", tenant: "default", owner: "o", createdAt: second(400), policyDigest: "p", inputs: "i", look: 1 },
  outcome,
  policy: { name: "release", criteria: [] },
  job: { id: "job-1", name: "sample", model: { url: "u", name: "m" } },
  criteria: [
    {
      criterion: { benchmark: "b", kind: "absolute", threshold: 0.95, tier: "gating", alpha: 0.05 },
      ...{ alpha: 0.05, outcome: outcome === "NO-GO" ? "BREACH" : "INCONCLUSIVE", value: 0.9 }
    }
  ]
})

const busy = { exchanges: 200, requests: 200, answers: 200, questions: 200 }
const local = { kind: "local", freeSlots: 4 } as const
const well: Given = { job: judged(completed(passed)) }

interface Planted {
  readonly cause: string
  readonly code: string
  readonly given: Given
  /** the situation after the remedy */
  readonly after?: Given
}

const getsOn: Given = {
  job: sampleJob([running()]),
  runtime: local,
  units: [sight({ ...busy, exchanges: 600, busyMillis: 4 * 600_000 })]
}

const planted: ReadonlyArray<Planted> = [
  {
    cause: "a queue that does not exist",
    code: "queue_inadmissible",
    given: { job: waiting("queue_inadmissible", "queue gpu: no Workload was made for the Job; does it exist?") }
  },
  {
    cause: "a full queue that tells the place in it",
    code: "queue_waiting",
    given: {
      job: waiting("unschedulable", "queue gpu: couldn't assign flavors, insufficient unused quota, position 7")
    }
  },
  {
    cause: "a quota that is used up",
    code: "quota_exceeded",
    given: { job: waiting("unschedulable", 'pods "x" is forbidden: exceeded quota: compute, requested: pods=1') }
  },
  {
    cause: "no node with as many accelerators",
    code: "no_node_fits",
    given: { job: waiting("unschedulable", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.") }
  },
  {
    cause: "a taint that is not tolerated",
    code: "no_node_matches",
    given: { job: waiting("unschedulable", "0/3 nodes are available: 3 node(s) had untolerated taint {gpu: yes}.") }
  },
  {
    cause: "an image that can not be pulled",
    code: "image_pull_failed",
    given: {
      job: sampleJob([{ warning: { code: "image_pull_failed", message: "manifest unknown", origin: "runtime" } }])
    }
  },
  {
    cause: "all places of the machine are taken",
    code: "waiting_for_slot",
    given: { job: sampleJob([{}, {}]), runtime: { kind: "local", freeSlots: 0 } },
    after: { job: sampleJob([{}, {}]), runtime: local }
  },
  {
    cause: "taken off its node",
    code: "interrupted",
    given: { job: sampleJob([running({ interruptedAt: second(500) })]) }
  },
  {
    cause: "a model that takes long",
    code: "model_slow",
    given: { ...getsOn, units: [sight({ ...busy, exchanges: 40, busyMillis: 40 * 55_000 })] }
  },
  {
    cause: "a rate limit of the endpoint",
    code: "model_rate_limited",
    given: { ...getsOn, units: [sight({ ...busy, limited: 90, busyMillis: 600_000 })] }
  },
  {
    cause: "an endpoint that fails now and then",
    code: "model_server_error",
    given: { ...getsOn, units: [sight({ ...busy, broken: 30, busyMillis: 2_400_000 })] }
  },
  {
    cause: "one request at a time",
    code: "few_workers",
    given: { ...getsOn, units: [sight({ ...busy, busyMillis: 580_000 })] }
  },
  {
    cause: "an adapter that computes between its questions",
    code: "adapter_slow",
    given: { ...getsOn, units: [sight({ ...busy, busyMillis: 30_000 })] }
  },
  {
    cause: "a data set that is loaded for minutes",
    code: "no_requests",
    given: { ...getsOn, units: [sight({})] }
  },
  {
    cause: "a wrong key, which a framework buries under its own exit",
    code: "model_authentication_failed",
    given: {
      job: sampleJob([
        ended("adapter_exited_without_result", "The adapter exited with code 1 and reported no result.", [
          "INFO loading task arc_easy",
          "openai.AuthenticationError: Error code: 401 - {'error': 'Incorrect API key provided'}",
          "During handling of the above exception, another exception occurred:",
          "ModuleNotFoundError: No module named 'rich'"
        ])
      ])
    }
  },
  {
    cause: "an endpoint that is not there, which makes the other benchmark miss its limit of errors later",
    code: "model_endpoint_unreachable",
    given: {
      job: sampleJob([
        reported("too_many_errors", "20 of 20 samples failed", 200),
        ended("framework_failed", "lm_eval exited with code 1", [
          "Retrying in 4 s",
          "connect ECONNREFUSED 10.0.0.7:8000"
        ])
      ])
    }
  },
  {
    cause: "a limit of time that is reached because of 429",
    code: "model_rate_limited",
    given: { job: sampleJob([overdue]), units: [sight({ ...busy, limited: 120 })] }
  },
  {
    cause: "a limit of time and a model that is slow",
    code: "model_slow",
    given: { job: sampleJob([overdue]), units: [sight({ ...busy, exchanges: 30, busyMillis: 590_000 })] }
  },
  {
    cause: "too little memory",
    code: "out_of_memory",
    given: { job: sampleJob([ended("out_of_memory", "The adapter used more memory than its limit of 2Gi.")]) }
  },
  {
    cause: "a secret that does not exist",
    code: "secret_not_found",
    given: { job: sampleJob([ended("secret_not_found", "The secret 'model-key' does not exist.")]) }
  },
  {
    cause: "a model name with a slip",
    code: "model_endpoint_not_found",
    given: {
      job: sampleJob([
        ended("adapter_exited_without_result", "", [
          "404 model `gpt-5x` does not exist",
          "Traceback (most recent call last):"
        ])
      ])
    }
  },
  {
    cause: "a gated data set",
    code: "gated_dataset_auth_required",
    given: {
      job: sampleJob([
        ended("framework_failed", "inspect exited with code 1", [
          "401 Client Error: Unauthorized for url: https://huggingface.co/api/datasets/Idavidrein/gpqa"
        ])
      ])
    }
  },
  {
    cause: "a framework that is not installed",
    code: "framework_missing",
    given: {
      job: sampleJob([ended("adapter_failed_to_start", "exit 127"), reported("framework_missing", "lm_eval", 100)])
    }
  },
  {
    cause: "a full disk",
    code: "machine_unavailable",
    given: {
      job: sampleJob([ended("init_failed", "the step before the adapter failed", ["write: no space left on device"])])
    }
  },
  {
    cause: "questions that are longer than the model's context",
    code: "model_context_exceeded",
    given: {
      job: sampleJob([
        reported(
          "no_samples_scored",
          "400: This model's maximum context length is 4096 tokens, however you requested 9000"
        )
      ])
    }
  },
  {
    cause: "answers that end at their limit of tokens",
    code: "truncated",
    given: { job: judged(completed(passed, [flag("few_items", "advisory"), flag("truncated")])) }
  },
  {
    cause: "a metric that is not reported",
    code: "primary_metric_missing",
    given: { job: judged(completed(undefined)) }
  },
  {
    cause: "a score that is too low for certain",
    code: "below_threshold",
    given: {
      job: judged(
        completed(passed),
        completed({
          ...{ ...passed, primaryScore: 0.4, pass: false, decided: "fail" },
          bounds: { low: 0.35, high: 0.46, level: 0.95, sides: 1 }
        })
      )
    }
  },
  {
    cause: "too few items to tell",
    code: "too_few_items",
    given: {
      job: judged(
        completed({
          ...{ ...passed, primaryScore: 0.78, pass: false, decided: "inconclusive" },
          bounds: { low: 0.6, high: 0.9, level: 0.95, sides: 1 }
        })
      )
    }
  },
  { cause: "a broken policy", code: "gate_no_go", given: { ...well, gate: gate("NO-GO") } },
  {
    cause: "somebody cancelled it",
    code: "cancelled",
    given: { job: sampleJob([{ state: "cancelled", completedAt: second(30) }]) }
  }
]

describe("explaining a job", () => {
  it(`says the planted cause first (${planted.length} causes)`, () => {
    const first = planted.map(({ cause, given }) => [cause, explained(given)[0]?.code])
    assert.deepStrictEqual(
      first,
      planted.map(({ cause, code }) => [cause, code])
    )
  })

  it("gives every finding a sentence, evidence, a remedy of its own and a time", () => {
    for (const { cause, given } of planted)
      for (const finding of explained(given)) {
        assert.isNotEmpty(finding.evidence, `${cause}: ${finding.code}`)
        const remedy = wireSentence(finding.remedy)
        assert.match(remedy, /^[A-Z].*\.$/, cause)
        assert.notMatch(remedy, /^Read the benchmark's log and its samples\.$/, `${cause}: ${finding.code}`)
        assert.isFalse(Number.isNaN(Date.parse(finding.since)), cause)
      }
  })

  it("does not say the cause any more when it is gone", () => {
    for (const { cause, code, given, after } of planted) {
      const mended = after ?? (given.job.state === "running" || given.job.state === "pending" ? getsOn : well)
      assert.notInclude(
        explained(mended).map((finding) => finding.code),
        code,
        cause
      )
    }
  })

  it("names the line of the log that holds the first cause, not a retry before it nor a symptom after it", () => {
    const [finding] = explained({
      job: sampleJob([
        ended("adapter_exited_without_result", "The adapter exited with code 1.", [
          "WARN HTTP 429, retrying in 2 s (attempt 3)",
          "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate",
          "ConnectionError: connection refused"
        ])
      ])
    })
    assert.strictEqual(finding?.code, "model_tls_untrusted")
    assert.deepStrictEqual(
      finding?.evidence.map(({ kind, ref }) => [kind, ref]),
      [
        ["log", "benchmarks/0/logs"],
        ["message", "benchmarks/0"]
      ]
    )
    assert.match(finding?.evidence[0]?.text ?? "", /self-signed/)
  })

  it("does not take a count of items for a status", () => {
    const [finding] = explained({
      job: sampleJob([ended("adapter_exited_without_result", "exit 1", ["scored 401 of 429 items", "item 403 done"])])
    })
    assert.strictEqual(finding?.code, "adapter_exited_without_result")
  })

  it("tells benchmarks with the same cause together, from the first of them on", () => {
    const findings = explained({
      job: sampleJob([
        reported("model_endpoint_unreachable", "down", 90),
        reported("model_endpoint_unreachable", "down", 60),
        reported("dataset_invalid", "line 7", 70)
      ])
    })
    assert.deepStrictEqual(
      findings.map(({ code, since, evidence }) => [code, since, evidence.length]),
      [
        ["model_endpoint_unreachable", second(60), 2],
        ["dataset_invalid", second(70), 1]
      ]
    )
  })

  it("says who has the places, once, and of other tenants only how many (it said that none was free)", () => {
    const sweep = { id: "job-2", name: "weekly sweep" }
    const [finding, ...more] = explained({
      job: sampleJob([running(), {}, {}]),
      runtime: {
        kind: "local",
        freeSlots: 0,
        holders: [{ job: { id: "job-1", name: "sample" } }, { job: sweep }, { job: sweep }, {}, {}]
      }
    })
    assert.strictEqual(finding?.code, "waiting_for_slot")
    assert.notInclude(
      more.map(({ code }) => code),
      "waiting_for_slot"
    )
    const told = (finding?.evidence ?? []).filter(({ text }) => text !== "0 places are free")
    assert.deepStrictEqual(
      told.map(({ ref, text }) => [ref, text]),
      [
        ["job", "this job has 1 place"],
        ["jobs/job-2", "'weekly sweep' has 2 places"],
        ["job", "another tenant has 2 places"]
      ]
    )
  })

  it("says what holds up a benchmark whose very first request is refused again and again (it said that nothing did)", () => {
    const at = (seconds: number, traffic: Partial<WireCounts>) =>
      explained({ job: sampleJob([running()]), now: second(seconds), runtime: local, units: [sight(traffic)] })[0]?.code
    assert.strictEqual(at(6, { exchanges: 1, limited: 1 }), "model_rate_limited")
    assert.strictEqual(at(6, { exchanges: 2, broken: 2 }), "model_server_error")
    assert.strictEqual(at(4, { exchanges: 1, limited: 1 }), "running")
    assert.strictEqual(at(6, { exchanges: 2, limited: 1 }), "running")
  })

  it("tells the place in the queue where the queue tells it", () => {
    const says = (message: string) => explained({ job: waiting("unschedulable", message) })[0]?.says
    assert.match(says("queue gpu: position 7") ?? "", /, at place 7$/)
    assert.match(says("queue gpu: 3 workloads ahead") ?? "", /, 3 before it$/)
    assert.match(says("queue gpu: the Job waits for admission") ?? "", /in its queue$/)
  })

  it("expects the end from the progress, and none without it", () => {
    const etaOf = (progress: Benchmark["progress"]) =>
      explained({ job: sampleJob([running(progress === undefined ? {} : { progress })]) })[0]?.eta
    assert.strictEqual(etaOf({ completed: 50, total: 200 }), second(2400))
    assert.isUndefined(etaOf({ completed: 0, total: 200 }))
    assert.isUndefined(etaOf(undefined))
  })

  it("has nothing to complain of where all is well", () => {
    assert.deepStrictEqual(
      [well, getsOn].map((given) => explained(given).map(({ code }) => code)),
      [["nothing_wrong"], ["running"]]
    )
  })
})
