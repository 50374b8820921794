/**
 * A wrapper is data and three pure functions around a framework's command line; this makes an adapter of it. The order is the same for
 * all: parameters, row, executable, endpoint, plan, run, results, checks. Reference: providers-and-collections.md, "Framework wrappers".
 */
import { Effect, type Either, Runtime, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { listMember } from "../../../values/json.ts"
import { frameworkOf } from "../../contract/frameworks.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Adapter, AdapterError, Callbacks, Metric } from "../adapter.ts"
import { modelClientForJob } from "../model/model-client.ts"
import type { EndpointCapabilities } from "../model/model-exchange.ts"
import { apiBase } from "./base-url.ts"
import { type FrameworkDefinition, type FrameworkRow, rowOf } from "./definition.ts"
import { type ErrorRule, explain, type FailureContext, failureOf, plain, reportedFailure } from "./error-table.ts"
import { askVersion, locateFramework } from "./executable.ts"
import { type ItemControls, type JudgedControls, judgeControls } from "./item-controls.ts"
import { finiteMetrics, requirePrimary, sharesFromPercent } from "./metrics.ts"
import { type FrameworkParameters, knownNames, readFrameworkParameters } from "./parameters.ts"
import { type FrameworkExit, runFramework } from "./process.ts"
import type { Progress } from "./progress.ts"
import { requireEndpoint, requireRow } from "./requirements.ts"
import { openWorkspace, readKeys, scrubOutput, type Workspace, writePlanned } from "./workspace.ts"

/** all that a plan may depend on: the same request gives the same plan */
export interface PlanRequest {
  readonly job: JobSpec
  readonly row: FrameworkRow
  readonly parameters: FrameworkParameters
  /** `B` of the contract: ends in `/v1` or another version */
  readonly baseUrl: string
  readonly apiKey?: string
  /** further keys of the model's secret: those of the wrapper's `secretKeys` that are there */
  readonly otherKeys?: { readonly [name: string]: string }
  readonly endpoint: EndpointCapabilities
  readonly folders: Pick<Workspace, "results" | "output" | "work" | "cache">
  /** asked for only with `asksVersion` */
  readonly version?: string
}

export interface Plan {
  readonly args: ReadonlyArray<string>
  /** on top of the workspace's environment */
  readonly env: { readonly [name: string]: string }
  /** absolute path → content, mode 0600; what holds a key belongs into `folders.work` */
  readonly files: { readonly [path: string]: string }
  /** the workspace's own folder when absent */
  readonly cwd?: string
  /** seconds after which the framework is stopped: `deadline_exceeded`; without it only the job's own time limit counts */
  readonly timeLimit?: number
  /** for `additional_info.notes` */
  readonly notes?: ReadonlyArray<string>
}

export interface ReadRequest extends PlanRequest {
  readonly executable: string
  /** of every program of the framework, without what the plan added */
  readonly env: { readonly [name: string]: string }
  readonly plan: Plan
  readonly exit: FrameworkExit
  /** every line and progress state counted by the wrapper's `watch` */
  readonly counts: { readonly [name: string]: number }
  /** what the wrapper's `collect` found in all lines */
  readonly collected: { readonly [name: string]: ReadonlyArray<string> }
  /** the error that the output explains, for frameworks that end with 0 after a failure */
  readonly failure: () => AdapterError
  /** the error that the framework's own report gives as its reason */
  readonly reported: (told: ReadonlyArray<string>) => AdapterError
}

export interface FrameworkResults {
  /** as the framework reports them, under our names; percentages are converted afterwards */
  readonly metrics: ReadonlyArray<Metric>
  /** version that the output names */
  readonly version?: string
  /** members of `additional_info` (adapter-contract.md, "Events") */
  readonly info?: { readonly [name: string]: unknown }
  readonly notes?: ReadonlyArray<string>
  /** what its record tells about models that know nothing */
  readonly controls?: ItemControls | undefined
}

export interface Wrapper {
  /** of the provider and of the adapter: a key of the frameworks table */
  readonly id: string
  /** for people */
  readonly title: string
  readonly definition: FrameworkDefinition
  /** unknown parameters are the framework's own: no warning */
  readonly takesUnknown?: boolean
  /** speed is measured: there is no answer that a model could guess */
  readonly isMeasurement?: true
  /** the plan depends on the version: the executable is asked with `--version` */
  readonly asksVersion?: boolean
  /** names of further keys of the model's secret that the plan wants */
  readonly secretKeys?: (parameters: FrameworkParameters) => ReadonlyArray<string>
  readonly plan: (request: PlanRequest) => Either.Either<Plan, AdapterError>
  readonly progress: (line: string) => Progress | undefined
  /** lines to count: name → pattern */
  readonly watch?: { readonly [name: string]: RegExp }
  /** texts to keep from lines: name → pattern whose first group is the text; each text once, a hundred at most */
  readonly collect?: { readonly [name: string]: RegExp }
  readonly errors?: ReadonlyArray<ErrorRule>
  /** called after exit status 0 only; fails with `framework_output_unreadable` when there is no complete result */
  readonly read: (request: ReadRequest) => Effect.Effect<FrameworkResults, AdapterError, Scope.Scope>
}

const warnUnknown = (wrapper: Wrapper, parameters: FrameworkParameters, callbacks: Callbacks) => {
  const names = Object.keys(parameters.unknown)
  if (wrapper.takesUnknown === true || names.length === 0) return Effect.void
  const known = knownNames(wrapper.definition.parameters).join(", ")
  return callbacks.warn({
    code: "invalid_parameter",
    message: `parameters ${names.join(", ")} are not known and were ignored; known are ${known}`
  })
}

/** patience of the probe: the run itself has the framework's own settings */
const probeLimits = { timeoutMs: 120_000, maxRetries: 3 }

/** texts of one kind that are kept of a run */
const maxCollected = 100

const runPlan = (wrapper: Wrapper, file: string, plan: Plan, workspace: Workspace, callbacks: Callbacks) =>
  Effect.gen(function* () {
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const counts = Object.fromEntries(Object.keys(wrapper.watch ?? {}).map((name) => [name, 0]))
    const texts = new Map(Object.keys(wrapper.collect ?? {}).map((name) => [name, new Set<string>()]))
    const onLine = (line: string) => {
      for (const [name, pattern] of Object.entries(wrapper.watch ?? {}))
        if (pattern.test(line)) counts[name] = (counts[name] ?? 0) + 1
      for (const [name, pattern] of Object.entries(wrapper.collect ?? {})) {
        const [text, kept] = [pattern.exec(plain(line))?.[1], texts.get(name)]
        if (text !== undefined && kept !== undefined && kept.size < maxCollected) kept.add(text.trim())
      }
      const progress = wrapper.progress(line)
      if (progress !== undefined) runFork(callbacks.status(progress))
    }
    yield* writePlanned(plan.files)
    yield* callbacks.status({ phase: "loading_data", message: `starting ${wrapper.title}` })
    const limit = plan.timeLimit === undefined ? {} : { timeoutMillis: plan.timeLimit * 1000 }
    const exit = yield* runFramework({
      file,
      args: plan.args,
      env: { ...workspace.env, ...plan.env },
      cwd: plan.cwd ?? workspace.work,
      onLine,
      ...limit
    })
    const collected = Object.fromEntries([...texts].map(([name, kept]) => [name, [...kept]]))
    return { exit, counts, collected }
  })

const noControls: JudgedControls = { flags: [], notes: [] }

/** the adapter of a wrapper */
export const frameworkAdapter = (wrapper: Wrapper): Adapter => ({
  name: wrapper.id,
  run: (job, callbacks) =>
    Effect.gen(function* () {
      const framework = frameworkOf(wrapper.id)
      if (framework === undefined) return yield* Effect.dieMessage(`no framework ${wrapper.id}`)
      const row = rowOf(wrapper.definition, job)
      const parameters = yield* readFrameworkParameters(wrapper.definition.parameters, job)
      yield* warnUnknown(wrapper, parameters, callbacks)
      yield* requireRow(row, parameters)
      const file = yield* locateFramework(framework, job.provider_id)
      const keys = yield* readKeys(parameters.text("auth_key"), wrapper.secretKeys?.(parameters))
      const client = yield* modelClientForJob(job, probeLimits)
      const endpoint = yield* client.capabilities
      yield* requireEndpoint(row, endpoint, apiBase(job.model.url))
      const workspace = yield* openWorkspace(job, keys)
      const version = wrapper.asksVersion === true ? yield* askVersion(file, workspace.work, workspace.env) : undefined
      const request: PlanRequest = {
        ...{ job, row, parameters, endpoint },
        baseUrl: apiBase(job.model.url),
        folders: workspace,
        ...defined({ apiKey: keys.apiKey }),
        otherKeys: keys.others,
        ...defined({ version })
      }
      const plan = yield* wrapper.plan(request)
      const { exit, counts, collected } = yield* runPlan(wrapper, file, plan, workspace, callbacks)
      yield* scrubOutput(workspace.output, job, keys.secrets)
      const context: FailureContext = { framework: wrapper.title, rules: wrapper.errors ?? [], secrets: keys.secrets }
      const failure = () => failureOf(exit, context)
      if (exit.code !== 0) return yield* failure()
      yield* callbacks.status({ phase: "post_processing" })
      const results = yield* Effect.catchIf(
        wrapper.read({
          ...request,
          executable: file,
          env: workspace.env,
          plan,
          exit,
          counts,
          collected,
          failure,
          reported: (told) => reportedFailure(told, context)
        }),
        ({ code }) => code === "framework_output_unreadable" && explain(exit.lines, context.rules) !== undefined,
        failure
      )
      const metrics = sharesFromPercent(finiteMetrics(results.metrics), row.percentMetrics)
      const primary = job.primary_score?.metric ?? row.primary
      yield* requirePrimary(primary, metrics)
      const {
        controls,
        flags,
        notes: controlNotes
      } = wrapper.isMeasurement === true
        ? noControls
        : judgeControls(
            results.controls,
            metrics.find(({ name }) => name === primary)
          )
      const notes = [...(plan.notes ?? []), ...(results.notes ?? []), ...controlNotes]
      const allFlags = [...listMember(results.info, "flags"), ...flags]
      const { demo, ...offered } = endpoint
      const known = results.version ?? version
      return {
        metrics,
        additionalInfo: {
          framework: { name: wrapper.id, ...defined({ version: known }) },
          endpoint: offered,
          ...results.info,
          ...defined({ controls }),
          ...(allFlags.length === 0 ? {} : { flags: allFlags }),
          ...(demo ? { demo: true } : {}),
          ...(notes.length === 0 ? {} : { notes })
        }
      }
    })
})
