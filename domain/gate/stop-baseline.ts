/** What a benchmark that may stop early is held against, item by item, or why its baseline does not serve. Reference: early-stop.md, "Pairs". */
import { Either } from "effect"
import { canonicalJson } from "../../values/canonical-json.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { mostSamples, type Side } from "../comparison/compare-benchmark.ts"
import { wholeRun } from "../comparison/pair-samples.ts"
import type { Benchmark } from "../job/job.ts"
import { scaleOf } from "../job/scoring.ts"
import { numExamplesOf, seedOf } from "../job/submission/parameters.ts"
import { rangeOf } from "../score/scale.ts"
import { utf8Length } from "../text.ts"
import { type StopBaseline, stoppedText } from "./early-stop.ts"

/** of the job file, which has to fit into an object of a cluster */
const mostBytes = 256 * 1024

const drawn = ({ entry: { parameters } }: Benchmark) => ({
  seed: Either.getOrUndefined(seedOf(parameters)),
  num_examples: Either.getOrUndefined(numExamplesOf(parameters))
})

const shownDraw = (benchmark: Benchmark): string => {
  const { seed, num_examples = "all" } = drawn(benchmark)
  return `seed ${seed}, num_examples ${num_examples}`
}

/** before a sample is looked at */
const refusal = (before: Benchmark, benchmark: Benchmark): string | undefined => {
  const { state, result, snapshot } = before
  const [primary, own] = [snapshot.primaryScore, benchmark.snapshot.primaryScore]
  if (state !== "completed") return `is ${state} there, not completed`
  if (result?.validity?.status === "invalid") return "has an invalid result there"
  if (result?.earlyStopped !== undefined) return `${stoppedText(result.earlyStopped)} there`
  if (primary?.metric !== own?.metric || primary?.lowerIsBetter !== own?.lowerIsBetter)
    return `has the primary metric ${primary?.metric} there and ${own?.metric} here`
  if (canonicalJson(scaleOf(snapshot)) !== canonicalJson(scaleOf(benchmark.snapshot)))
    return "has another scale there than here"
  if (canonicalJson(drawn(before)) !== canonicalJson(drawn(benchmark)))
    return `asked other items there (${shownDraw(before)}) than it will here (${shownDraw(benchmark)})`
  return undefined
}

const datasetOf = ({ result }: Benchmark): string | undefined => {
  const dataset = result?.additionalInfo?.["dataset"]
  const digest = isObject(dataset) ? dataset["sha256"] : undefined
  return typeof digest === "string" ? digest : undefined
}

/** `side`: of the baseline, undefined when it has no such benchmark; left: the rest of a sentence that begins with the benchmark's name */
export const stopBaseline = (side: Side | undefined, benchmark: Benchmark): Either.Either<StopBaseline, string> => {
  if (side === undefined) return Either.left("is not in it")
  const refused = refusal(side.benchmark, benchmark)
  if (refused !== undefined) return Either.left(refused)
  const { result } = side.benchmark
  if (side.samples === undefined) return Either.left(`has more than ${mostSamples} samples there`)
  const range = rangeOf(scaleOf(side.benchmark.snapshot))
  if (range === undefined || result?.test === undefined) return Either.left("has no primary score there")
  const whole = wholeRun({ samples: side.samples, reported: result.test.primaryScore }, range)
  if (whole._tag === "NotPaired") return Either.left(`can not be paired there: ${whole.message}`)
  const items = whole.each()
  if (new Set(items.map(({ first }) => first.task)).size > 1) return Either.left("has items of several tasks there")
  const values = items.flatMap(({ first, value }) => (value === undefined ? [] : [[first.sampleId, value] as const]))
  const baseline = { ...defined({ dataset: datasetOf(side.benchmark) }), items: Object.fromEntries(values) }
  const bytes = utf8Length(JSON.stringify(baseline.items, null, 2))
  return bytes > mostBytes
    ? Either.left(
        `has ${values.length} items there, which take ${bytes} bytes of its job file; at most ${mostBytes} are allowed`
      )
    : Either.right(baseline)
}
