/** The wrapper of GuideLLM. Reference: providers-and-collections.md, "GuideLLM". */
import { availableParallelism } from "node:os"
import { Effect, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import { member, textMember } from "../../values/json.ts"
import type { Adapter, AdapterError } from "../sdk/adapter.ts"
import { noSamplesScored, tooManyErrors } from "../sdk/failures.ts"
import { type ErrorRule, explain, unreadableOutput } from "../sdk/framework/error-table.ts"
import type { Progress } from "../sdk/framework/progress.ts"
import { newestJson } from "../sdk/framework/result-search.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { type FrameworkResults, frameworkAdapter, type ReadRequest, type Wrapper } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"
import { loadOf, measurements } from "./load.ts"
import { bestPoint, loadInfo, metricsOf, parsePoints, warningNotes } from "./parse.ts"
import { plan, REPORT } from "./plan.ts"
import { requestRecords } from "./samples.ts"

const title = "GuideLLM"

/** figures of a load with more failed requests say nothing; the framework ends with 0 all the same */
const maxErrorRate = 0.05

/** characters of a failed request's reason that a message shows */
const maxReason = 300

/** workers are processes and cost seconds to start; one core is left for the rest */
const workers = Math.min(10, Math.max(1, availableParallelism() - 1))

const errors: ReadonlyArray<ErrorRule> = [
  {
    // the framework loads nothing but tokenizers with the library transformers, which may blame the hub alone
    code: "tokenizer_unavailable",
    pattern:
      /(can't|could not|couldn't|cannot|failed to) (load|find) .*tokenizer|tokenizer.{0,60}(not found|could not be loaded)|is not a local folder and is not a valid model|docs\/transformers\/installation|huggingface\.co' to load (the|these|this) files?/i,
    advice:
      "Token counts need a tokenizer: name one that can be loaded, or the folder of a local one, in the parameter processor."
  }
]

/** `Benchmark 3 (constant@131.25): completed | elapsed=6.2s | successful=263 …` */
const progressOf = (line: string): Progress | undefined => {
  const found = /\bBenchmark (\d+) \(([^)]*)\): (\w+) \| (.*)$/.exec(line)
  return found === null
    ? undefined
    : {
        phase: "running_evaluation",
        message: `measurement ${found[1]} (${found[2]}) ${found[3]}: ${(found[4] ?? "").slice(0, 200)}`
      }
}

const read = (request: ReadRequest): Effect.Effect<FrameworkResults, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const { job, row, folders, parameters } = request
    const { value } = yield* newestJson(folders.output, new RegExp(`^${REPORT}\\.json$`), title)
    const points = parsePoints(value)
    if (points === undefined) return yield* unreadableOutput(title, "its report has no measurement")
    const sum = (name: "successful" | "errored" | "incomplete") =>
      points.reduce((total, point) => total + point[name], 0)
    const [successful, errored] = [sum("successful"), sum("errored")]
    const [reason] = points.flatMap(({ reasons }) => reasons)
    const why = reason === undefined ? "" : `; the first reason: ${reason.slice(0, maxReason)}`
    if (successful === 0)
      return yield* noSamplesScored(
        `no request of ${row.id} was answered: ${errored} failed, ${sum("incomplete")} were still under way${why}`
      )
    const metric = job.primary_score?.metric ?? row.primary ?? "output_tokens_per_second"
    const lowerIsBetter =
      job.primary_score?.lower_is_better ??
      points[0]?.metrics.find(({ name }) => name === metric)?.lowerIsBetter ??
      false
    const single = points.length === 1
    const few = single && errored / (errored + successful) <= maxErrorRate
    const best = single ? (few ? 0 : undefined) : bestPoint(points, { metric, lowerIsBetter }, maxErrorRate)
    if (best === undefined) {
      return yield* tooManyErrors(
        single || errored > 0
          ? `${errored} of ${errored + successful} requests failed, more than ${maxErrorRate} of them${single ? "" : " in every measurement"}${why}`
          : `no measurement has a value of ${metric}`
      )
    }
    const expected = measurements(yield* loadOf(request))
    const version = textMember(member(value, "metadata"), "guidellm_version")
    const codeOf = (message: string) => explain(message.split("\n"), errors)?.rule.code ?? "model_server_error"
    const samples = yield* writeSampleRecords(job, folders.results, row.id, requestRecords(row.id, value, codeOf))
    return {
      metrics: metricsOf(points, best),
      ...defined({ version }),
      info: {
        load: loadInfo(points),
        ...(single ? {} : { best_point: `point_${best}` }),
        sampling: { seed: parameters.seed, method: "load" },
        counts: { total: successful + errored, scored: successful, errors: errored },
        ...samplesInfo([samples])
      },
      notes: [
        ...(points.length < expected
          ? [`${points.length} of ${expected} measurements were made: the framework stopped early`]
          : []),
        ...warningNotes(points)
      ]
    }
  })

export const WRAPPER: Wrapper = {
  isMeasurement: true,
  id: "guidellm",
  title,
  definition: DEFINITION,
  asksVersion: true,
  plan: (request) => plan(request, workers),
  progress: progressOf,
  errors,
  read
}

export const guidellmAdapter: Adapter = frameworkAdapter(WRAPPER)
