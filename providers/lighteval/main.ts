/** The wrapper of LightEval. Reference: providers-and-collections.md, "lighteval": it can not run without the network. */
import { Effect, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import type { Adapter, AdapterError } from "../sdk/adapter.ts"
import { noSamplesScored, primaryMetricMissing, tooManyErrors } from "../sdk/failures.ts"
import { type ErrorRule, unreadableOutput } from "../sdk/framework/error-table.ts"
import { watchItems } from "../sdk/framework/item-controls.ts"
import { unanswered } from "../sdk/framework/no-answer.ts"
import { type Progress, readBar } from "../sdk/framework/progress.ts"
import { jsonLines, newestJson } from "../sdk/framework/result-search.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { type FrameworkResults, frameworkAdapter, type ReadRequest, type Wrapper } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"
import { readDetails } from "./details.ts"
import { isSuite, membersOf } from "./members.ts"
import { parseReport } from "./parse.ts"
import { plan } from "./plan.ts"
import { itemRecords } from "./samples.ts"

const title = "LightEval"

const errors: ReadonlyArray<ErrorRule> = [
  {
    code: "invalid_parameter",
    pattern: /num_samples > 1 is not supported with temperature=0/,
    advice: "The task wants several answers to each question: set temperature above 0 in parameters."
  },
  {
    code: "benchmark_not_supported",
    pattern: /Cannot find tasks? |task .* not found in (provided|the) (default )?registry/i,
    advice: "Choose another task."
  }
]

const progress = (line: string): Progress | undefined => {
  const bar = readBar(line)
  if (bar === undefined) {
    if (/LOADING TASKS|LOADING MODEL/.test(line)) return { phase: "loading_data" }
    return /COMPUTING METRICS|SAVING AND PUSHING|Saving experiment tracker/.test(line)
      ? { phase: "post_processing" }
      : undefined
  }
  // bars of data sets have other names; the one over the splits only says 0 or 1
  if (/download|generating|loading|map|filter|creating/i.test(bar.label)) return { phase: "loading_data" }
  return /^Splits/.test(bar.label)
    ? { phase: "running_evaluation" }
    : { phase: "running_evaluation", completed: bar.completed, total: bar.total }
}

const read = (request: ReadRequest): Effect.Effect<FrameworkResults, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const { job, row, folders, counts, parameters } = request
    const { value } = yield* newestJson(folders.output, /^results_.*\.json$/, title)
    const members = yield* membersOf(request)
    const suite = isSuite(request, members)
    const report = parseReport(value, members, suite)
    if (report === undefined) return yield* unreadableOutput(title, "its result file has no results")
    if (report.scored === 0) return yield* noSamplesScored(`${title} scored no sample of ${row.id}`)
    const { failed: errorsSeen = 0, filtered = 0 } = counts
    const limit = parameters.number("max_error_rate") ?? 0
    const rate = report.scored === undefined ? undefined : Math.min(1, errorsSeen / report.scored)
    // a failed request is an empty answer for the framework, and empty answers are wrong ones
    if (rate === undefined ? errorsSeen > 0 : rate > limit) {
      const of = report.scored === undefined ? "an unknown number of" : String(report.scored)
      return yield* tooManyErrors(
        `${errorsSeen} of ${of} requests failed, which the framework counts as wrong answers; max_error_rate is ${limit}`
      )
    }
    if (suite && report.missing.length > 0) {
      return yield* primaryMetricMissing(
        `no value for ${report.missing.join(", ")}, so that ${row.id} has no mean; the framework reported ${report.metrics.map(({ name }) => name).join(", ")}`
      )
    }
    const primaryOf = (task: string) => members.find((one) => one.task === task)?.primary
    const items = watchItems(job.primary_score?.metric ?? row.primary)
    const { details, unread } = yield* readDetails(request)
    const summaries = yield* Effect.forEach(details, ({ task, path }) =>
      writeSampleRecords(job, folders.results, task, items.watch(itemRecords(task, jsonLines(path), primaryOf(task))))
    )
    const { flags, notes } = unanswered({ content_filtered: filtered }, report.scored ?? filtered)
    return {
      metrics: [
        ...report.metrics,
        ...(rate === undefined || report.scored === undefined
          ? []
          : [{ name: "error_rate", value: rate, lowerIsBetter: true, n: report.scored }])
      ],
      info: {
        ...report.info,
        dataset: {
          id: members.map(({ task }) => task).join(","),
          ...defined({ used: report.scored })
        },
        sampling: {
          seed: parameters.seed,
          ...defined({ num_examples: job.num_examples }),
          method: "framework"
        },
        ...(report.scored === undefined
          ? {}
          : {
              counts: {
                total: report.scored,
                scored: report.scored - errorsSeen,
                errors: errorsSeen,
                invalid: Math.min(report.scored, filtered)
              }
            }),
        ...(flags.length === 0 ? {} : { flags }),
        ...samplesInfo(summaries)
      },
      // a suite is a mean of tasks, not of their items
      controls: suite ? undefined : items.told(),
      notes: [
        ...notes,
        ...(unread === undefined ? [] : [`samples: ${unread}`]),
        `few-shot examples: ${members.map(({ task, fewShot }) => `${task} ${fewShot}`).join(", ")}`
      ]
    }
  })

export const WRAPPER: Wrapper = {
  id: "lighteval",
  title,
  definition: DEFINITION,
  plan,
  progress,
  watch: {
    failed: /API call failed after \d+ attempts/,
    filtered: /content management policy.*Returning empty response/
  },
  errors,
  read
}

export const lightevalAdapter: Adapter = frameworkAdapter(WRAPPER)
