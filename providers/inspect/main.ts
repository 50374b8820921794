/** The wrapper of Inspect. Reference: providers-and-collections.md, "inspect". */
import { Effect, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import type { Adapter, AdapterError } from "../sdk/adapter.ts"
import { frameworkFailed, noSamplesScored, tooManyErrors } from "../sdk/failures.ts"
import { type ErrorRule, explain, unreadableOutput } from "../sdk/framework/error-table.ts"
import { watchItems } from "../sdk/framework/item-controls.ts"
import type { Progress } from "../sdk/framework/progress.ts"
import { newestJson } from "../sdk/framework/result-search.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { type FrameworkResults, frameworkAdapter, type ReadRequest, type Wrapper } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"
import { parseLog, resolveWanted } from "./parse.ts"
import { plan } from "./plan.ts"
import { roleKeys } from "./roles.ts"
import { sampleRecords } from "./samples.ts"

const title = "Inspect"

/** samples that ended in an error are not scored; above this share the score says nothing */
const maxErrorRate = 0.05

const errors: ReadonlyArray<ErrorRule> = [
  {
    code: "benchmark_not_supported",
    pattern: /No inspect tasks were found|Task named '.*' not found|Non-relative patterns are unsupported/,
    advice:
      "The task is not there: install the package that has it beside inspect-ai, or name an existing file in the parameter task."
  },
  {
    code: "model_server_error",
    pattern: /raised OpenAIResponseError/,
    advice:
      "The endpoint answered with something else than an answer, such as the page of a proxy or a log-in: look at what stands before model.url."
  }
]

/** `generate | Steps: 8/8 100% | Samples:   8/  8 | …` */
const progress = (line: string): Progress | undefined => {
  const found = /\bSamples:\s*(\d+)\/\s*(\d+)/.exec(line)
  if (found !== null) return { phase: "running_evaluation", completed: Number(found[1]), total: Number(found[2]) }
  return /^Running \d+ tasks/.test(line) ? { phase: "loading_data" } : undefined
}

const read = (request: ReadRequest): Effect.Effect<FrameworkResults, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const { job, row, folders, parameters } = request
    const { value } = yield* newestJson(folders.output, /\.json$/, title)
    const log = parseLog(value)
    if (log === undefined) return yield* unreadableOutput(title, "its log has no status or no results")
    // the exit status is 0 all the same
    if (log._tag === "Failed") return yield* request.reported(log.told)
    if (log._tag === "Unfinished")
      return yield* frameworkFailed(`${title} ended before the evaluation did: its log has the status ${log.status}`)
    if (log.scored <= 0) return yield* noSamplesScored(`${title} scored no sample of ${row.id}`)
    const failed = Math.max(0, log.total - log.completed)
    const rate = log.total === 0 ? 0 : failed / log.total
    if (rate > maxErrorRate)
      return yield* tooManyErrors(`${failed} of ${log.total} samples of ${row.id} ended in an error`)
    const codeOf = (message: string) => explain(message.split("\n"), errors)?.rule.code ?? "framework_failed"
    const wanted = job.primary_score?.metric ?? row.primary
    const items = watchItems(wanted)
    const records = items.watch(sampleRecords(log.task, value, codeOf))
    const samples = yield* writeSampleRecords(job, folders.results, log.task, records)
    const meant = resolveWanted(wanted, log.metrics)
    return {
      metrics: [
        ...log.metrics,
        ...(meant === undefined || wanted === undefined ? [] : [{ ...meant, name: wanted }]),
        { name: "error_rate", value: rate, lowerIsBetter: true, n: log.total }
      ],
      ...defined({ version: log.version }),
      info: {
        ...log.info,
        sampling: {
          seed: parameters.seed,
          ...defined({ num_examples: job.num_examples }),
          method: "first"
        },
        counts: { total: log.total, scored: log.scored, errors: failed },
        ...samplesInfo([samples])
      },
      controls: items.told(),
      notes:
        meant === undefined || wanted === undefined
          ? []
          : [`${wanted} is the value that the framework calls ${meant.name}`]
    }
  })

export const WRAPPER: Wrapper = {
  id: "inspect",
  title,
  definition: DEFINITION,
  takesUnknown: true,
  secretKeys: roleKeys,
  plan,
  progress,
  errors,
  read
}

export const inspectAdapter: Adapter = frameworkAdapter(WRAPPER)
