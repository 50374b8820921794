/** The wrapper of the LM Evaluation Harness. Reference: providers-and-collections.md, "lm-evaluation-harness". */
import { basename } from "node:path"
import { Effect, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import type { Adapter, AdapterError } from "../sdk/adapter.ts"
import { noSamplesScored } from "../sdk/failures.ts"
import { type ErrorRule, unreadableOutput } from "../sdk/framework/error-table.ts"
import { watchItems } from "../sdk/framework/item-controls.ts"
import { unanswered } from "../sdk/framework/no-answer.ts"
import { type Progress, readBar } from "../sdk/framework/progress.ts"
import { filesBelow, jsonLines, newestJson } from "../sdk/framework/result-search.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { type FrameworkResults, frameworkAdapter, type ReadRequest, type Wrapper } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"
import { parseReport } from "./parse.ts"
import { plan } from "./plan.ts"
import { sampleRecords } from "./samples.ts"

const title = "lm-eval"

const errors: ReadonlyArray<ErrorRule> = [
  {
    code: "tokenizer_unavailable",
    pattern:
      /No module named 'transformers'|tokenizer.{0,40}(required|must|None)|(can't|could not|couldn't) (load|find) .*tokenizer/i,
    advice:
      "Log-likelihoods need a tokenizer: serve /tokenize beside the model (tokenizer_backend: remote), or install transformers and name a local tokenizer (parameter tokenizer)."
  },
  {
    code: "benchmark_not_supported",
    pattern: /Tasks not found/,
    advice: "The installed version does not have the task; see lm-eval ls tasks."
  },
  {
    code: "model_server_error",
    pattern: /JSONDecodeError: Expecting value: line 1 column 1 |ContentTypeError\b.*unexpected mimetype/,
    advice:
      "The endpoint answered with something else than JSON, such as the page of a proxy or a log-in: look at what stands before model.url."
  },
  {
    code: "model_server_error",
    pattern: /ClientPayloadError|ChunkedEncodingError|IncompleteRead\(/,
    advice: "The endpoint broke its answer off, however often it was asked."
  },
  {
    code: "model_server_error",
    pattern: /zip\(\) argument 2 is (longer|shorter) than argument 1/,
    advice: "The endpoint gave other than one choice for a question, and the framework takes nothing else."
  }
]

const progress = (line: string): Progress | undefined => {
  const bar = readBar(line)
  if (bar !== undefined && /^(Requesting API|Running \w+ requests)/.test(bar.label)) {
    return { phase: "running_evaluation", message: bar.label, completed: bar.completed, total: bar.total }
  }
  if (/Building contexts for|Generating \w+ split|Downloading/.test(line)) return { phase: "loading_data" }
  if (/Saving results aggregated/.test(line)) return { phase: "post_processing" }
  return undefined
}

/** samples of a task lie in `samples_<task>_<time>.jsonl` */
const samplesOf = (folder: string, task: string) =>
  filesBelow(folder, /^samples_.*\.jsonl$/).findLast(
    (path) => basename(path).replace(/_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl$/, "") === `samples_${task}`
  )

const read = (request: ReadRequest): Effect.Effect<FrameworkResults, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const { job, row, folders, counts } = request
    const { value } = yield* newestJson(folders.output, /^results_.*\.json$/, title)
    const report = parseReport(value, row.task ?? row.id)
    if (report === undefined) return yield* unreadableOutput(title, "its result file has no results")
    if (report.scored === 0) return yield* noSamplesScored(`${title} scored no sample of ${row.id}`)
    const { empty = 0, unreadable = 0 } = counts
    const { flags, notes } = unanswered({ empty_responses: empty, error_share: unreadable }, report.scored)
    const metric = job.primary_score?.metric ?? row.primary
    const items = watchItems(metric)
    const summaries = yield* Effect.forEach(report.tasks, ({ name, filter }) => {
      const path = samplesOf(folders.output, name)
      return path === undefined
        ? Effect.succeedNone
        : writeSampleRecords(
            job,
            folders.results,
            name,
            items.watch(sampleRecords(name, () => jsonLines(path), filter, metric))
          )
    })
    return {
      metrics: report.metrics,
      ...defined({ version: report.version }),
      info: {
        ...report.info,
        sampling: {
          seed: request.parameters.seed,
          ...defined({ num_examples: job.num_examples }),
          method: "first"
        },
        counts: { total: report.scored, scored: report.scored, errors: 0, invalid: empty + unreadable },
        ...(flags.length === 0 ? {} : { flags }),
        ...samplesInfo(summaries)
      },
      notes: [...notes, ...report.notes],
      controls: items.told()
    }
  })

export const WRAPPER: Wrapper = {
  id: "lm_evaluation_harness",
  title,
  definition: DEFINITION,
  plan,
  progress,
  watch: { empty: /API returned null content/, unreadable: /Could not parse generations:/ },
  errors,
  read
}

export const lmEvaluationHarnessAdapter: Adapter = frameworkAdapter(WRAPPER)
