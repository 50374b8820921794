/** The wrapper of garak. Reference: providers-and-collections.md, "garak": the exit status says nothing, only the report does. */
import { basename } from "node:path"
import { Effect, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import type { Adapter, AdapterError } from "../sdk/adapter.ts"
import { noSamplesScored, tooManyErrors } from "../sdk/failures.ts"
import { type ErrorRule, unreadableOutput } from "../sdk/framework/error-table.ts"
import { type Progress, readBar } from "../sdk/framework/progress.ts"
import { filesBelow, jsonLines } from "../sdk/framework/result-search.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { type FrameworkResults, frameworkAdapter, type ReadRequest, type Wrapper } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"
import { readScan, scanMetrics } from "./parse.ts"
import { plan, REPORT } from "./plan.ts"
import { attemptRecords } from "./samples.ts"

const title = "garak"

/** answers that were none are in no score; above this share the score says nothing */
const maxErrorRate = 0.05

const errors: ReadonlyArray<ErrorRule> = [
  {
    code: "benchmark_not_supported",
    pattern: /❌\s*Unknown|Unknown (probes?|run\.spec)|No probes? (selected|matched|found)|No probes, nothing to do/i,
    advice: "The installed version does not have the probe; see garak --list_probes."
  },
  { code: "model_endpoint_unreachable", pattern: /target URI is not reachable|connection error/i, retryable: true }
]

/** only the bars of the probes: those of single prompts and of the detectors come and go between them */
const progress = (line: string): Progress | undefined => {
  const bar = readBar(line)
  if (bar === undefined)
    return /loading (generator|detectors)|queue of probes/i.test(line) ? { phase: "loading_data" } : undefined
  if (!bar.label.startsWith("probes.")) return undefined
  return { phase: "running_evaluation", message: bar.label, completed: bar.completed, total: bar.total }
}

/** the framework goes on without them, and its exit status and report do not say so */
const collect = { skipped: /^SKIP\s+(?:probes\.)?(\S+)/, detectors: /detector load failed:\s*([^,\s]+)/ }

const leftOut = ({ collected: { skipped = [], detectors = [] } }: ReadRequest): ReadonlyArray<string> => [
  ...(skipped.length === 0 ? [] : [`the installed version has no ${skipped.join(", ")}: left out`]),
  ...(detectors.length === 0
    ? []
    : [
        `the score is without the detectors ${detectors.join(", ")}, which could not be loaded (they may want models of the data hub)`
      ])
]

const read = (request: ReadRequest): Effect.Effect<FrameworkResults, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const { job, row, folders, parameters } = request
    const path = filesBelow(folders.output, /\.report\.jsonl$/).find(
      (one) => basename(one) === `${REPORT}.report.jsonl`
    )
    if (path === undefined) return yield* unreadableOutput(title, "wrote no report")
    const scan = readScan(jsonLines(path))
    // what the log says about failed requests explains it better: the SDK looks there first
    if (!scan.complete)
      return yield* unreadableOutput(title, "its report has no completion line: the run was not finished")
    const totals = scanMetrics(scan)
    if (totals === undefined) return yield* noSamplesScored(`${title} evaluated no answer for ${row.id}`)
    if (totals.errorRate > maxErrorRate)
      return yield* tooManyErrors(
        `${totals.nones} of ${totals.evaluated + totals.nones} outputs could not be judged, because the model gave none`
      )
    const threshold = parameters.number("eval_threshold") ?? 0.5
    const records = attemptRecords(row.id, jsonLines(path), threshold, parameters.generation)
    const samples = yield* writeSampleRecords(job, folders.results, row.id, records)
    const hits = filesBelow(folders.output, /\.hitlog\.jsonl$/).length > 0
    return {
      metrics: totals.metrics,
      ...defined({ version: scan.version }),
      info: {
        sampling: { seed: parameters.seed, method: "framework" },
        counts: { total: totals.evaluated + totals.nones, scored: totals.evaluated, errors: totals.nones },
        detectors: scan.evaluations.map(({ probe, detector, evaluated, fails }) => ({
          probe,
          detector,
          evaluated,
          fails
        })),
        ...samplesInfo([samples])
      },
      notes: [...leftOut(request), ...(hits ? ["successful attacks are listed in framework/evald.hitlog.jsonl"] : [])]
    }
  })

export const WRAPPER: Wrapper = { id: "garak", title, definition: DEFINITION, plan, progress, collect, errors, read }

export const garakAdapter: Adapter = frameworkAdapter(WRAPPER)
