/**
 * From a request to a job: everything that can be checked is checked here, all problems are reported at once, a collection is expanded
 * and all that may change later is copied. Pure: lookups come in as functions, ids and time as values. Reference: api.md, "Submitting a job".
 */

import { Either } from "effect"
import { defined } from "../../../values/defined.ts"
import {
  type Budget,
  budgetOf,
  checkBudget,
  isEmptyBudget,
  type Price,
  shareOf,
  type TenantBudget
} from "../../budget/budget.ts"
import type { Collection } from "../../collection/collection.ts"
import { dnsLabelProblem } from "../../dns-name.ts"
import type { EgressPolicy } from "../../egress.ts"
import { checkTogether } from "../../free-form.ts"
import type { HardwareConfig } from "../../hardware/hardware-config.ts"
import type { HardwareProfile } from "../../hardware/hardware-profile.ts"
import { type Hints, makeHints, type Named } from "../../hints.ts"
import { checkDeliverable, type NotificationRules } from "../../notification/check-notifications.ts"
import { given, type Path } from "../../path.ts"
import { noSuchBenchmark, noSuchProvider, offersOf } from "../../provider/offers.ts"
import type { Provider } from "../../provider/provider.ts"
import type { Sentence } from "../../sentence.ts"
import type { OwnLimits } from "../../validity/limits.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { Benchmark, BenchmarkEntry, BenchmarkSnapshot, Job, JobRequest } from "../job.ts"
import { aggregate, countsOf } from "../job-state.ts"
import { jobCreated } from "../message.ts"
import { checkReachable } from "./check-model-url.ts"
import { checkRequest, normalised } from "./check-request.ts"
import { checkResume } from "./check-resume.ts"
import { checkRuntime, checkSupported, type Mode } from "./check-runnable.ts"
import { withCollectionParameters } from "./collection-parameters.ts"
import { entryPath, expand, located, type WhatToRun } from "./expand-collection.ts"
import { checkBudgets, meteringOf } from "./job-budget.ts"
import { checkJobSpecSize } from "./job-spec-size.ts"
import { checkDeclared } from "./parameters.ts"
import { snapshotOf } from "./snapshot.ts"
import { maxBenchmarks } from "./submission-limits.ts"

export interface SubmissionContext {
  readonly id: string
  readonly tenant: string
  readonly owner?: string
  /** ISO time, milliseconds, UTC */
  readonly now: string
  readonly mode: Mode
  /** as the tenant sees them */
  readonly findProvider: (id: string) => Provider | undefined
  readonly findCollection: (id: string) => Collection | undefined
  /** all that the tenant sees, for hints about misspelt ids; absent: none */
  readonly knownProviders?: () => ReadonlyArray<Named>
  readonly knownCollections?: () => ReadonlyArray<Named>
  /** the profiles of `profileReferences(request)`, read before; never asked in local mode */
  readonly findProfile: (name: string) => Either.Either<HardwareProfile, ReadonlyArray<Violation>> | undefined
  readonly trackerConfigured: boolean
  /** what of the request is not stored as it was sent: told in the job's first message and as warnings */
  readonly notes?: ReadonlyArray<string>
  /** which addresses `model.url` may name; absent: all (a local model listens on loopback) */
  readonly egress?: EgressPolicy
  /** of the tenant */
  readonly validityLimits?: OwnLimits
  /** of the tenant; absent: its jobs may use what they want */
  readonly budgets?: TenantBudget
  /** of the tokens of the request's model */
  readonly price?: Price
  /** answers of models can be kept for a later run */
  readonly resumable: boolean
  /** what addresses of notifications may be; absent: none can be sent */
  readonly notifications?: NotificationRules
}

/** something that was accepted and probably not meant: shown to the caller, stops nothing */
export interface SubmissionWarning {
  readonly path: Path
  readonly message: Sentence
}

export interface Submission {
  readonly job: Job
  readonly warnings: ReadonlyArray<SubmissionWarning>
}

/** every problem, in the order of the request's members; the first one's code is the code of the answer */
export type SubmissionRefusal = readonly [Violation, ...ReadonlyArray<Violation>]

/** job's threshold, unless the job or its collection has one */
const defaultThreshold = 0.5
const maxWarnings = 50
const ignoredHere = "Hardware settings and queues are ignored by the local runtime."

const profileOf = (
  config: HardwareConfig | undefined,
  path: Path,
  context: SubmissionContext
): Either.Either<HardwareProfile | undefined, ReadonlyArray<Violation>> => {
  const name = config?.profileName
  if (name === undefined || context.mode === "local" || dnsLabelProblem(name) !== undefined)
    return Either.right(undefined)
  const at: Path = [...path, "profileName"]
  const profile =
    context.findProfile(name) ??
    Either.left([violation(at, `hardware profile ${shown(name)} does not exist`, "hardware_profile_not_found")])
  return Either.mapLeft(profile, (violations) => violations.map((one) => ({ ...one, path: at })))
}

const none = (): ReadonlyArray<Named> => []

/** the job's own limits go before its tenant's */
const limitsFor = (request: JobRequest, context: SubmissionContext): { readonly validityLimits?: OwnLimits } => {
  const limits = { ...context.validityLimits, ...request.validityLimits }
  return Object.keys(limits).length === 0 ? {} : { validityLimits: limits }
}

/** what is the same for all benchmarks of a job, made once */
interface OfAll {
  readonly limits: { readonly validityLimits?: OwnLimits }
  /** of the job's budget, for each benchmark alone */
  readonly share: Budget
}

type Warn = (key: string, warning: SubmissionWarning) => void

/** a snapshot that many jobs share stays the same object where nothing is metered */
const metered = (snapshot: BenchmarkSnapshot, metering: ReturnType<typeof meteringOf>): BenchmarkSnapshot =>
  metering.budget === undefined && metering.price === undefined ? snapshot : { ...snapshot, ...metering }

/** one benchmark of the job, or its problems */
const benchmarkOf = (
  { entry, index }: { readonly entry: BenchmarkEntry; readonly index: number },
  run: WhatToRun,
  request: JobRequest,
  shared: OfAll,
  context: SubmissionContext,
  find: ReturnType<typeof offersOf<Provider>>,
  hint: Hints,
  warn: Warn
): Either.Either<Benchmark, ReadonlyArray<Violation>> => {
  const path = entryPath(index)
  // told already: the entry names nothing
  if (entry.providerId.trim() === "" || entry.id.trim() === "") return Either.left([])
  const offered = find(entry.providerId)
  if (offered === undefined)
    return Either.left([
      noSuchProvider([...path, "providerId"], entry.providerId, hint, context.knownProviders ?? none)
    ])
  const { provider } = offered
  const benchmark = offered.benchmarks.get(entry.id)
  if (benchmark === undefined) return Either.left([noSuchBenchmark([...path, "id"], provider, entry.id, hint)])
  const declared = checkDeclared(entry.parameters ?? {}, provider.parameters, [...path, "parameters"])
  for (const name of declared.undeclared)
    warn(`${provider.id} ${name}`, {
      path: [...path, "parameters", given(name)],
      message: `parameter ${shown(name)} is not one that provider '${provider.id}' declares; it is passed on unchanged`
    })
  const supported = checkSupported(
    entry,
    benchmark,
    context.mode,
    path,
    run.source === "job" ? ["parameters"] : ["collection", "parameters"]
  )
  for (const message of supported.warnings) warn(JSON.stringify(message), { path: [...path, "id"], message })

  const config = entry.hardware ?? request.hardware
  const hardwarePath: Path = entry.hardware === undefined ? ["hardware"] : [...path, "hardware"]
  const profile = profileOf(config, hardwarePath, context)
  const snapshot = Either.flatMap(profile, (known) =>
    snapshotOf({
      entry,
      source: run.source,
      provider,
      benchmark,
      ...shared.limits,
      ...(context.mode === "local"
        ? {}
        : {
            hardware: {
              path: hardwarePath,
              ...defined({ config, profile: known, jobQueue: request.queue })
            }
          })
    })
  )
  const violations = [
    ...checkRuntime(provider, context.mode, path),
    ...supported.violations,
    ...checkResume(request, benchmark.category, entry, context.resumable),
    ...checkBudget(entry.budget, [...path, "budget"], { caps: context.budgets?.caps, price: context.price }),
    ...declared.violations,
    ...(Either.isLeft(snapshot) ? snapshot.left : [])
  ]
  return violations.length > 0 || Either.isLeft(snapshot)
    ? Either.left(violations)
    : Either.right({
        ...{ index, entry, attempt: 1, state: "pending" },
        snapshot: metered(snapshot.right, meteringOf(entry, shared.share, context))
      })
}

/** what a job holds whose size its caller chose; the entries of a collection have copies */
const freeFormsOf = (request: JobRequest, entries: ReadonlyArray<BenchmarkEntry>): ReadonlyArray<unknown> => [
  request.custom,
  request.model.parameters,
  request.exports?.oci.coordinates.annotations,
  ...entries.map(({ parameters }) => parameters)
]

const checkTracker = (request: JobRequest, context: SubmissionContext): ReadonlyArray<Violation> =>
  request.experiment === undefined || context.trackerConfigured
    ? []
    : [
        violation(
          ["experiment"],
          "'experiment' needs a tracking server and none is configured; leave it out, or set tracker.tracking_uri",
          "tracker_required_for_experiment"
        )
      ]

const asksForHardware = (request: JobRequest): boolean =>
  request.hardware !== undefined ||
  request.queue !== undefined ||
  (request.benchmarks ?? []).some(({ hardware }) => hardware !== undefined)

/** the same problem, found on two ways (a job-level setting used by many benchmarks), is told once */
const distinct = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> => [
  ...new Map(violations.map((one) => [JSON.stringify([one.path, one.message]), one])).values()
]

const created = (
  request: JobRequest,
  run: WhatToRun,
  benchmarks: ReadonlyArray<Benchmark>,
  budget: Budget,
  context: SubmissionContext,
  notes: ReadonlyArray<string>
): Job => {
  const counts = countsOf(benchmarks)
  return {
    id: context.id,
    tenant: context.tenant,
    ...defined({ owner: context.owner }),
    createdAt: context.now,
    updatedAt: context.now,
    name: request.name,
    state: aggregate(counts),
    message: jobCreated(notes),
    counts,
    model: request.model,
    threshold: request.threshold ?? run.collection?.threshold ?? defaultThreshold,
    request: { ...request, ...(isEmptyBudget(budget) ? {} : { budget }), benchmarks: run.entries },
    benchmarks
  }
}

/** validates everything and builds the whole pending job with its snapshots, or says all that is wrong; used by dry runs too */
export const submit = (given: JobRequest, context: SubmissionContext): Either.Either<Submission, SubmissionRefusal> => {
  const request = normalised(given)
  // of the whole job: what its caller asked for, and what its tenant gets or may not go beyond
  const budget = budgetOf(request.budget, context.budgets ?? {})
  const violations: Array<Violation> = [
    ...checkRequest(request),
    ...checkReachable(request.model.url, context.egress),
    ...checkTracker(request, context),
    ...checkDeliverable(request.notifications ?? [], context.notifications),
    ...checkBudgets(request, budget, context)
  ]
  const warnings = new Map<string, SubmissionWarning>()
  const warn: Warn = (key, warning) => {
    if (warnings.size < maxWarnings && !warnings.has(key)) warnings.set(key, warning)
  }
  const hint = makeHints()
  const expanded = expand(request, context.findCollection, (id) => hint(id, context.knownCollections ?? none))
  if (Either.isLeft(expanded)) violations.push(expanded.left)
  const find = offersOf(context.findProvider)
  const { run, violations: misgiven } = withCollectionParameters(
    Either.getOrElse(expanded, (): WhatToRun => ({ entries: [], source: "collection" })),
    request.collection?.parameters,
    (id) => find(id)?.provider.parameters
  )
  violations.push(...misgiven)
  const shared: OfAll = {
    limits: limitsFor(request, context),
    // where nobody sees them together
    share: context.mode === "local" ? {} : shareOf(budget, run.entries.length)
  }
  const benchmarks: Array<Benchmark> = []
  // more than so many are refused already
  for (const [index, entry] of run.entries.slice(0, maxBenchmarks).entries()) {
    const benchmark = benchmarkOf({ entry, index }, run, request, shared, context, find, hint, warn)
    if (Either.isRight(benchmark)) benchmarks.push(benchmark.right)
    else for (const problem of benchmark.left) violations.push(located(problem, run, index))
  }
  if (violations.length === 0) violations.push(...checkTogether(freeFormsOf(request, run.entries), []))
  // parts that are too large by themselves are told already
  if (violations.length === 0)
    violations.push(
      ...checkJobSpecSize(request, run.entries, (index) =>
        run.source === "job" ? [...entryPath(index), "parameters"] : ["collection", "id"]
      )
    )

  const [first, ...rest] = distinct(violations)
  if (first !== undefined) return Either.left([first, ...rest])
  const notes = [
    ...(context.mode === "local" && asksForHardware(request) ? [ignoredHere] : []),
    ...(context.notes ?? [])
  ]
  for (const message of notes) warn(message, { path: [], message })
  return Either.right({
    job: created(request, run, benchmarks, budget, context, notes),
    warnings: [...warnings.values()]
  })
}
