/**
 * The shared runner of item benchmarks: draws the items, asks them, keeps errors apart from answers, and turns verdicts into metrics. It never
 * publishes a score that rests on too few answers. Reference: providers-and-collections.md, "Honesty rules".
 */
import { Clock, DateTime, Effect, Option, Ref } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import { AdapterError, type Callbacks, type Results } from "../../sdk/adapter.ts"
import { chanceFlags } from "../../sdk/controls.ts"
import { datasetInvalid, noSamplesScored, tooManyErrors } from "../../sdk/failures.ts"
import type { EndpointCapabilities, ModelClient } from "../../sdk/model/model-exchange.ts"
import type { Item, ItemBenchmark, ItemContext, ScoredItem } from "../benchmark.ts"
import { controlsOf } from "../controls.ts"
import { changedFlags, noAnswerCounts, noAnswerFlags } from "../flags.ts"
import { wasCut } from "../no-answer.ts"
import type { Parameters } from "../parameters.ts"
import { chooseRoute, makeGenerate } from "../route.ts"
import { askItem } from "./ask-item.ts"
import { type EarlyStop, earlyStopOf, metricsOfStopped } from "./early-stop.ts"
import type { ItemLog } from "./item-log.ts"
import { itemMetrics, readingsNote } from "./item-metrics.ts"
import { drawItems } from "./item-set.ts"

/** failures no other item can escape: the run stops at the first one, with its code */
const HOPELESS = new Set([
  "model_authentication_failed",
  "model_access_forbidden",
  "model_endpoint_not_found",
  "benchmark_not_supported"
])

export interface RunSetup {
  readonly job: JobSpec
  readonly parameters: Parameters
  readonly client: ModelClient
  readonly callbacks: Callbacks
  readonly log: ItemLog
}

export const contextOf = (job: JobSpec, parameters: Parameters, capabilities: EndpointCapabilities): ItemContext => ({
  job,
  seed: parameters.seed,
  fewShot: parameters.fewShot,
  difficulty: parameters.difficulty,
  parameters: parameters.values,
  capabilities
})

const failuresOf = (scored: ReadonlyArray<ScoredItem>) =>
  scored.flatMap(({ outcome }) => (outcome._tag === "Failed" ? [outcome.error] : []))

/** "model_request_timeout × 3 (last: no answer within 120 s), model_server_error × 1 (…)" */
const byCode = (failures: ReadonlyArray<AdapterError>): string =>
  [...new Set(failures.map(({ code }) => code))]
    .map((code) => {
      const same = failures.filter((failure) => failure.code === code)
      return `${code} × ${same.length} (last: ${same.at(-1)?.message.slice(0, 200)})`
    })
    .join(", ")

/** an item that breaks its scorer is our fault, not the model's: it is reported, never counted as wrong */
const guarded = <A>(item: Item, effect: Effect.Effect<A, AdapterError>) =>
  effect.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.fail(
        new AdapterError({
          code: "adapter_internal_error",
          message: `item ${item.id} could not be scored: ${String(defect)}`,
          retryable: false
        })
      )
    )
  )

const askAll = (
  items: ReadonlyArray<Item>,
  route: ReturnType<typeof makeGenerate>,
  setup: RunSetup,
  earlyStop: EarlyStop | undefined
) =>
  Effect.gen(function* () {
    const { client, parameters, callbacks, log } = setup
    const total = items.length
    const allowed = parameters.maxErrorRate * total
    const done = yield* Ref.make({ completed: 0, failed: 0 })
    const one = (item: Item, index: number) =>
      Effect.gen(function* () {
        const earlier = log.finished(item)
        if (earlier !== undefined) {
          yield* Ref.update(done, (counts) => ({ ...counts, completed: counts.completed + 1 }))
          const known: ScoredItem = {
            item,
            outcome: { _tag: "Scored", answer: earlier.answer, verdict: earlier.verdict }
          }
          earlyStop?.take(index, known)
          return known
        }
        // a score above the error limit is never published, so asking on would only cost the user money
        const sofar = yield* Ref.get(done)
        if (sofar.failed > allowed || earlyStop?.isCertain() === true) return undefined
        const startedAt = DateTime.formatIso(yield* DateTime.now)
        const outcome = yield* guarded(item, askItem(item, client, route)).pipe(
          Effect.match({
            onSuccess: ({ answer, verdict }): ScoredItem["outcome"] => ({ _tag: "Scored", answer, verdict }),
            onFailure: (error): ScoredItem["outcome"] => ({ _tag: "Failed", error })
          })
        )
        const scored: ScoredItem = { item, outcome }
        yield* log.write(index, scored, startedAt)
        if (outcome._tag === "Failed" && HOPELESS.has(outcome.error.code)) return yield* outcome.error
        earlyStop?.take(index, scored)
        const counts = yield* Ref.updateAndGet(done, ({ completed, failed }) => ({
          completed: completed + 1,
          failed: failed + (outcome._tag === "Failed" ? 1 : 0)
        }))
        yield* callbacks.status({ phase: "running_evaluation", completed: counts.completed, total })
        return scored
      })
    yield* callbacks.status({ phase: "running_evaluation", completed: 0, total })
    const outcomes = yield* Effect.forEach(items, one, { concurrency: parameters.concurrency })
    return outcomes.filter((outcome) => outcome !== undefined)
  })

/** refuses to publish when nothing or too little was answered */
const checkErrors = (scored: ReadonlyArray<ScoredItem>, total: number, limit: number) => {
  const failures = failuresOf(scored)
  if (failures.length === 0) return Effect.void
  const [first] = failures
  // every request was refused alike: the setting is wrong, not the items
  if (
    failures.length === scored.length &&
    first?.code === "invalid_parameter" &&
    failures.every(({ code }) => code === first.code)
  )
    return first
  if (failures.length === scored.length)
    return noSamplesScored(
      `no item was scored: ${failures.length} of ${total} items were asked and all failed: ${byCode(failures)}`
    )
  if (failures.length > limit * total) {
    const stopped = scored.length < total ? `, stopped after ${scored.length}` : ""
    return tooManyErrors(
      `${failures.length} of ${total} items failed${stopped}, more than max_error_rate ${limit} allows: ${byCode(failures)}`
    )
  }
  return Effect.void
}

const count = <A>(values: ReadonlyArray<A>, keep: (value: A) => boolean) => values.filter(keep).length

const isSkipped = ({ outcome }: ScoredItem) => outcome._tag === "Scored" && outcome.verdict.verdict === "skipped"

const countsOf = (scored: ReadonlyArray<ScoredItem>) => {
  const failures = failuresOf(scored)
  return {
    total: scored.length,
    scored: scored.length - failures.length - count(scored, isSkipped),
    skipped: count(scored, isSkipped),
    errors: failures.length,
    timeouts: count(failures, ({ code }) => code === "model_request_timeout"),
    invalid: count(scored, ({ outcome }) => outcome._tag === "Scored" && outcome.verdict.verdict === "invalid"),
    truncated: count(scored, ({ outcome }) => outcome._tag === "Scored" && wasCut(outcome.answer)),
    asked_again: count(scored, ({ outcome }) => outcome._tag === "Scored" && outcome.answer.askedAgain === true),
    no_answer: noAnswerCounts(scored)
  }
}

const tokensOf = (scored: ReadonlyArray<ScoredItem>) => {
  const usage = scored.flatMap(({ outcome }) => (outcome._tag === "Scored" ? [outcome.answer.tokens] : []))
  return {
    prompt: usage.reduce((sum, { prompt }) => sum + prompt, 0),
    completion: usage.reduce((sum, { completion }) => sum + completion, 0),
    estimated: usage.some(({ estimated }) => estimated)
  }
}

const adaptedNote = (adapted: ReadonlyArray<string>): ReadonlyArray<string> =>
  adapted.length === 0 ? [] : [`the endpoint refused parameters and was asked with ${adapted.join(", ")}`]

const originOf = (benchmark: ItemBenchmark, context: ItemContext) =>
  benchmark.origin?.(context) ?? Effect.succeed({ members: {}, notes: [] })

/** metrics of one item benchmark and what it says about its run, without the framework */
export const runItems = (benchmark: ItemBenchmark, setup: RunSetup): Effect.Effect<Results, AdapterError> =>
  Effect.gen(function* () {
    const { job, parameters, client, callbacks, log } = setup
    const began = yield* Clock.currentTimeMillis
    const capabilities = yield* client.capabilities
    const route = yield* chooseRoute(benchmark, capabilities, parameters)
    yield* callbacks.status({ phase: "loading_data" })
    const context = contextOf(job, parameters, capabilities)
    const drawn = drawItems(benchmark.id, yield* benchmark.items(context), parameters, job.early_stop !== undefined)
    if (drawn.items.length === 0)
      return yield* datasetInvalid(`benchmark ${benchmark.id} has no items with these parameters`)
    const origin = yield* originOf(benchmark, context)
    const anchorsAfter = yield* benchmark.anchors?.(context, parameters.concurrency) ?? Effect.succeed(undefined)
    const earlyStop = earlyStopOf(job, benchmark, drawn)
    const scored = yield* askAll(drawn.items, makeGenerate(client, route, parameters), setup, earlyStop)
    yield* callbacks.status({ phase: "post_processing" })
    const samples = yield* log.summary
    const stopped = earlyStop?.stopped(scored.length)
    yield* checkErrors(scored, stopped === undefined ? drawn.items.length : scored.length, parameters.maxErrorRate)
    const told = [...drawn.notes, ...origin.notes, ...(benchmark.notes?.(scored) ?? [])]
    if (scored.every(isSkipped)) return yield* noSamplesScored(`no item was scored: ${told.join("; ")}`)
    const anchored = yield* anchorsAfter ?? Effect.succeed(undefined)
    // files that are gone were changed
    const later = yield* Effect.option(originOf(benchmark, context))
    const all = itemMetrics(benchmark, scored, context)
    const metrics = [...metricsOfStopped(all, stopped), ...(anchored?.metrics ?? [])]
    const [first] = metrics
    const primary = metrics.find(({ name }) => name === job.primary_score?.metric) ?? first
    const controls =
      primary === undefined
        ? undefined
        : anchored === undefined
          ? yield* controlsOf(benchmark, context, primary.name, drawn.items)
          : { metric: primary.name, ...anchored.controls }
    const flags = [
      ...noAnswerFlags(scored),
      ...(benchmark.flags?.(scored) ?? []),
      ...(anchored?.flags ?? []),
      ...changedFlags(origin.members, Option.getOrUndefined(later)?.members, scored.length),
      ...chanceFlags(controls, primary)
    ]
    const adapted = yield* client.adaptations
    const notes = [
      ...flags.map(({ code, message }) => `${code}: ${message}`),
      ...told,
      ...readingsNote(benchmark, metrics),
      ...(stopped === undefined ? (earlyStop?.notes ?? []) : [stopped.note]),
      ...adaptedNote(adapted)
    ]
    const { demo, ...endpoint } = capabilities
    const scoring = { route, ...benchmark.scoring?.(context, scored), ...anchored?.scoring }
    return {
      metrics,
      additionalInfo: {
        endpoint: { ...endpoint, ...(adapted.length === 0 ? {} : { adapted }) },
        dataset: {
          ...drawn.dataset,
          ...(stopped === undefined ? {} : { used: scored.length }),
          ...origin.members
        },
        sampling: drawn.sampling,
        scoring,
        counts: countsOf(scored),
        ...defined({ stopping: stopped?.members ?? earlyStop?.members() }),
        tokens: tokensOf(scored),
        duration_seconds: ((yield* Clock.currentTimeMillis) - began) / 1000,
        ...defined({ controls }),
        ...(flags.length === 0 ? {} : { flags }),
        ...(Option.isSome(samples) ? { samples: samples.value } : {}),
        ...(demo ? { demo: true } : {}),
        ...(notes.length === 0 ? {} : { notes })
      }
    }
  })
