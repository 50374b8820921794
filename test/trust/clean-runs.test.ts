/**
 * Six hundred clean runs of the kinds that look odd and are not: no blocking flag in any of them, so that with 95 % confidence fewer than one
 * clean run in two hundred is called invalid. The adapter, the gateway with its witness and the model run over real sockets in this process.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, type Scope } from "effect"
import { parse } from "yaml"
import { declaredFlags } from "../../domain/validity/declared-flags.ts"
import { judgeValidity } from "../../domain/validity/judge-validity.ts"
import { type KindCount, recordTally, type SampleFigures } from "../../domain/validity/sample-figures.ts"
import type { WireCounts } from "../../domain/validity/wire-counts.ts"
import { openAnswerFiles } from "../../interfaces/gateway/request-log/answer-files.ts"
import { makeRequestLog, type RequestLog } from "../../interfaces/gateway/request-log/request-log.ts"
import { makeWitness } from "../../interfaces/gateway/witness/witness.ts"
import { makeModelGateway } from "../../interfaces/http/gateway/model-gateway.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { type DemoModelOptions, startDemoModel } from "../../providers/demo-model/server.ts"
import { evaldAdapter } from "../../providers/evald/adapter.ts"
import type { Callbacks } from "../../providers/sdk/adapter.ts"
import type { Calls } from "../../values/benchmark/calls.ts"
import { listening } from "../support/loopback-server.ts"
import { type Fault, plantedModel } from "./support/planted-model.ts"

const quiet: Callbacks = { status: () => Effect.void, warn: () => Effect.void }
type Json = { readonly [member: string]: unknown }

interface Clean {
  readonly says: string
  /** they take turns */
  readonly benchmarks: readonly [string, ...ReadonlyArray<string>]
  readonly runs: number
  readonly items?: number
  readonly parameters?: JobSpec["parameters"]
  readonly demo?: (run: number) => DemoModelOptions
  /** odd, but as healthy endpoints do it */
  readonly manner?: Fault
  /** lines of a file of questions */
  readonly rows?: ReadonlyArray<Json>
  /** goes on where an earlier run of so large a part of the items was killed, whose answers were kept */
  readonly after?: number
  /** threshold of a gate for which it stops early */
  readonly stopAt?: number
  /** of the kinds that look odd and have thirty runs each at least */
  readonly kind?: Kind
  /** the traffic of a run shows what the run is named after */
  readonly shows?: (wire: WireCounts) => boolean
}

/** each looks like a fault and is none */
const kinds = [
  ...["yes or no", "likelihood", "tool calls", "refusing", "thinking", "performance", "alias"],
  ...["repeats", "retries", "early-stopped", "replayed", "twenty items"]
] as const
type Kind = (typeof kinds)[number]

const primaryOf = (benchmark: string) => (benchmark === "mcq_general" ? "acc" : "exact_match_flexible")

const thinking: Fault = (answer) => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: { ...choice.message, reasoning_content: "First I look at what is asked, then I answer it." }
  }))
})
const thinkingInText: Fault = (answer) => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: { ...choice.message, content: `<think>\nWhat is asked?\n</think>\n\n${choice.message["content"] ?? ""}` }
  }))
})
/** of a call the content is empty; anything else would be another answer */
const calls: Fault = (answer) => {
  const [choice] = answer.choices
  assert.isTrue(choice?.message["tool_calls"] === undefined || (choice.message["content"] ?? "") === "")
  return answer
}
const dated: Fault = (answer) => ({ ...answer, model: "org/Evald-Demo-2024-08-06" })
const oneId: Fault = (answer) => ({ ...answer, id: "chatcmpl-0" })
/** the same five questions four times over, at temperature 0 */
const repeated = Array.from({ length: 20 }, (_, at) => ({
  question: `What is ${at % 5} + 7? Answer with the number alone.`,
  answer: String((at % 5) + 7)
}))
const skillOf = (run: number): DemoModelOptions => ({ skill: [1, 0.85, 0.5, 0.3][run % 4] ?? 1, seed: run })

const clean: ReadonlyArray<Clean> = [
  {
    says: "numbers, twenty items",
    kind: "twenty items",
    benchmarks: ["arith_basic", "arith_multistep", "word_problems"],
    items: 20,
    runs: 90,
    demo: skillOf,
    shows: ({ questions }) => questions === 20
  },
  {
    says: "choices by letter",
    benchmarks: ["mcq_general", "mcq_science", "logic_deduction"],
    runs: 60,
    items: 40,
    demo: skillOf
  },
  { says: "yes and no", kind: "yes or no", benchmarks: ["boolean_expressions"], runs: 30, demo: skillOf },
  { says: "dates", benchmarks: ["date_understanding"], runs: 30, demo: skillOf },
  {
    says: "choices by log-probability",
    benchmarks: ["mcq_general"],
    parameters: { method: "logprobs" },
    runs: 40,
    demo: skillOf
  },
  {
    says: "choices by the likelihood of their text",
    kind: "likelihood",
    // nothing is generated
    shows: ({ questions, others }) => questions === 0 && others > 0,
    benchmarks: ["mcq_science"],
    parameters: { method: "echo" },
    runs: 40,
    demo: skillOf
  },
  {
    says: "tool calls with empty content",
    kind: "tool calls",
    benchmarks: ["tool_call"],
    runs: 40,
    demo: skillOf,
    manner: calls,
    shows: ({ answers }) => answers > 0
  },
  {
    says: "a model that refuses every attack",
    kind: "refusing",
    benchmarks: ["safety_quick", "safety_injection"],
    items: 30,
    runs: 40,
    demo: (run) => ({ skill: 1, seed: run, jailbreak: 0, refusal: 0 })
  },
  {
    says: "a model that thinks, in a member",
    kind: "thinking",
    benchmarks: ["arith_basic", "mcq_general"],
    runs: 40,
    demo: skillOf,
    manner: thinking
  },
  {
    says: "a model that thinks, in its text",
    benchmarks: ["arith_basic", "mcq_general"],
    runs: 40,
    demo: skillOf,
    manner: thinkingInText
  },
  {
    says: "an endpoint that names the model with its date",
    kind: "alias",
    shows: ({ models }) => Object.keys(models["evald-demo"] ?? {}).join() === "org/Evald-Demo-2024-08-06",
    benchmarks: ["arith_basic"],
    runs: 40,
    demo: skillOf,
    manner: dated
  },
  {
    says: "an endpoint with one id for all answers",
    benchmarks: ["word_problems"],
    runs: 40,
    demo: skillOf,
    manner: oneId
  },
  {
    says: "retries after 429 and 500",
    kind: "retries",
    shows: ({ limited, broken, retries }) => limited > 0 && broken > 0 && retries > 1,
    benchmarks: ["arith_basic"],
    runs: 40,
    demo: (run) => ({
      skill: 1,
      seed: run,
      // the probes take the first dozen
      statusScript: Array.from({ length: 32 }, (_, at) =>
        [0, 3, 6, 9, 14, 17, 21, 26, 30].includes(at) ? "429@0" : [19, 28].includes(at) ? "500@0" : "ok"
      )
    })
  },
  {
    says: "the same questions again at temperature 0",
    kind: "repeats",
    shows: ({ repeatedCold }) => repeatedCold >= 10,
    benchmarks: ["custom_jsonl"],
    runs: 40,
    rows: repeated,
    demo: (run) => ({ skill: 1, seed: run })
  },
  {
    says: "stopped early, as soon as a gate would pass or breach",
    kind: "early-stopped",
    benchmarks: ["arith_basic", "mcq_general", "word_problems"],
    items: 60,
    runs: 36,
    demo: (run) => ({ skill: run % 2 === 0 ? 1 : 0.05, seed: run }),
    stopAt: 0.6
  },
  {
    says: "formats and structures",
    benchmarks: ["json_schema", "ifeval_lite", "dyck_completion", "multilingual_numbers"],
    runs: 40,
    demo: (run) => ({ skill: 1, seed: run })
  },
  {
    says: "half of it, or nearly all, out of the log of an earlier run",
    kind: "replayed",
    benchmarks: ["arith_basic", "mcq_general", "word_problems"],
    runs: 30,
    demo: skillOf,
    after: 0.5
  },
  {
    says: "the same questions at temperature 0, most of them out of the log",
    benchmarks: ["custom_jsonl"],
    runs: 10,
    rows: repeated,
    demo: (run) => ({ skill: 1, seed: run }),
    after: 0.9
  },
  {
    says: "performance with answers of a fixed length",
    kind: "performance",
    shows: ({ loads }) => loads > 0,
    benchmarks: ["perf_synchronous"],
    runs: 30,
    parameters: {
      max_requests: 4,
      max_seconds: 2,
      warmup_seconds: 0,
      cooldown_seconds: 0,
      prompt_tokens: 32,
      output_tokens: 16,
      on_saturation: "warn"
    }
  }
]

/** what the samples in a result folder say, as the server would find them */
const figuresOf = (folder: string): SampleFigures | undefined => {
  const samples = join(folder, "samples")
  const files = readdirSync(folder).includes("samples") ? readdirSync(samples) : []
  const records = files.flatMap((name) =>
    readFileSync(join(samples, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Json)
  )
  if (records.length === 0) return undefined
  const tally = recordTally()
  for (const record of records) tally.add(record)
  const kinds = records.map(
    ({ verdict, reason, finish_reason: finishReason }) =>
      ({
        verdict,
        ...(reason === undefined ? {} : { reason }),
        ...(finishReason === undefined ? {} : { finishReason }),
        count: 1
      }) as KindCount
  )
  return { kinds, records: tally.figures() }
}

const scopedFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-clean-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const scoped = <A extends { readonly close: () => unknown }>(
  open: () => Promise<A>
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.promise(async () => close()))

const benchmarkOf = ({ benchmarks }: Pick<Clean, "benchmarks">, run: number): string =>
  benchmarks[run % benchmarks.length] ?? benchmarks[0]

const shipped = parse(readFileSync("config/providers/evald.yaml", "utf8")) as {
  readonly benchmarks: ReadonlyArray<{ readonly id: string; readonly requirements?: { readonly calls?: Calls } }>
}
/** what the shipped definition says of its items, and the name that the model is asked by */
const declaredOf = (benchmark: string): { readonly calls?: Calls; readonly model: string } => {
  const calls = shipped.benchmarks.find(({ id }) => id === benchmark)?.requirements?.calls
  return { ...(calls === undefined ? {} : { calls }), model: "evald-demo" }
}

/** the adapter's run of a benchmark on so many of its items */
const evaluate = (
  { benchmarks, parameters = {}, rows, stopAt }: Clean,
  run: number,
  { url, items }: { readonly url: string; readonly items: number }
) =>
  Effect.gen(function* () {
    const output = yield* scopedFolder
    const data = join(output, "data")
    if (rows !== undefined) {
      mkdirSync(data)
      writeFileSync(join(data, "rows.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
    }
    const benchmark = benchmarkOf({ benchmarks }, run)
    const results = yield* evaldAdapter("0.0.0").run(
      {
        id: "job",
        provider_id: "evald",
        benchmark_id: benchmark,
        ...(stopAt === undefined
          ? {}
          : {
              primary_score: { metric: primaryOf(benchmark) },
              early_stop: { alpha: 0.05, gating: 1, criteria: [{ threshold: stopAt, alpha: 0.05 }] }
            }),
        benchmark_index: 0,
        model: { url, name: "evald-demo" },
        parameters: { num_concurrent: 8, seed: run, ...parameters },
        ...(parameters["max_requests"] === undefined ? { num_examples: items } : {}),
        ...(rows === undefined ? {} : { test_data_dir: data }),
        samples: { write: true, include_text: true },
        callback_url: "http://127.0.0.1:1",
        output_dir: output
      } as JobSpec,
      quiet
    )
    const { stopping: stopped } = (results.additionalInfo ?? {}) as { readonly stopping?: Json }
    return { samples: figuresOf(output), adapter: declaredFlags(results.additionalInfo), stopped }
  })

/** `onReplayed`: called for each answer that is given again */
const counted = (log: RequestLog, onReplayed: () => void): RequestLog => ({
  ...log,
  open: (asked) => {
    const opened = log.open(asked)
    const kept = async () => {
      const answer = await opened.kept()
      if (answer !== undefined) onReplayed()
      return answer
    }
    return { ...opened, kept }
  }
})

/** `settled`: every answer has been kept or given up, which happens after it was delivered */
const settling = (log: RequestLog): { readonly log: RequestLog; readonly settled: () => Promise<unknown> } => {
  const all: Array<Promise<void>> = []
  const open: RequestLog["open"] = (asked) => {
    const opened = log.open(asked)
    let done = () => {}
    all.push(
      new Promise((resolve) => {
        done = resolve
      })
    )
    return {
      ...opened,
      answered: (answer, text) => opened.answered(answer, text).finally(done),
      failed: () => {
        opened.failed()
        done()
      }
    }
  }
  return { log: { ...log, open }, settled: () => Promise.all(all) }
}

const judge = (kind: Clean, run: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { items = 20, demo = () => ({ skill: 1 }), manner, after } = kind
      const own = yield* Effect.orDie(startDemoModel(demo(run)))
      const { url } = manner === undefined ? own : yield* scoped(() => plantedModel(own.url, "evald-demo", manner))
      const kept = yield* scopedFolder
      const openLog = () => openAnswerFiles({ directory: kept, maxBytes: 10_000_000 })
      let witness = makeWitness()
      let log: RequestLog | undefined
      let replayed = 0
      const gateway = yield* scoped(async () => makeModelGateway())
      const front = yield* scoped(() =>
        listening(
          createServer((request, response) =>
            gateway.handle(request, response, {
              modelUrl: url,
              secret: Either.right(undefined),
              path: request.url ?? "",
              publicBase: "http://127.0.0.1:1",
              trace: "t",
              witness,
              log
            })
          )
        )
      )
      if (after !== undefined) {
        const keeping = settling(makeRequestLog("t", yield* Effect.promise(openLog)))
        log = keeping.log
        yield* evaluate(kind, run, { url: front.url, items: Math.round(items * after) })
        yield* Effect.promise(keeping.settled)
        witness = makeWitness()
        log = counted(makeRequestLog("t", yield* Effect.promise(openLog)), () => {
          replayed += 1
        })
      }
      const { samples, adapter, stopped } = yield* evaluate(kind, run, { url: front.url, items })
      const wire = yield* Effect.promise(witness.counts)
      const validity = judgeValidity({
        wire,
        ...(samples === undefined ? {} : { samples }),
        ...(adapter === undefined ? {} : { adapter }),
        ...declaredOf(benchmarkOf(kind, run))
      })
      return { validity, wire, replayed, stopped }
    })
  )

describe("a clean run has no blocking flag", () => {
  for (const kind of clean)
    it.live(`${kind.says}: ${kind.runs} runs`, () =>
      Effect.gen(function* () {
        const judged = yield* Effect.forEach(
          Array.from({ length: kind.runs }, (_, run) => run),
          (run) => judge(kind, run),
          { concurrency: 4 }
        )
        for (const [run, { validity, wire, replayed, stopped }] of judged.entries()) {
          assert.isDefined(validity)
          if (kind.after !== undefined) assert.isAtLeast(replayed, (kind.items ?? 20) * kind.after - 1, `run ${run}`)
          if (kind.stopAt !== undefined) assert.deepInclude(stopped, { stopped: true, of: kind.items })
          assert.isAbove(wire.questions + wire.others + wire.loads, 0, `run ${run}`)
          assert.isTrue(kind.shows?.(wire) ?? true, `run ${run}: ${JSON.stringify(wire)}`)
          const blocking = validity?.flags.filter(({ level }) => level === "blocking")
          assert.deepStrictEqual(blocking, [], `run ${run}`)
        }
      })
    )
  for (const kind of kinds)
    it(`thirty of them at least: ${kind}`, () =>
      assert.isAtLeast(
        clean.filter((one) => one.kind === kind).reduce((sum, { runs }) => sum + runs, 0),
        30
      ))
  it("six hundred of them in all", () =>
    assert.isAtLeast(
      clean.reduce((sum, { runs }) => sum + runs, 0),
      600
    ))
})
