/**
 * What happens to the result files between the evaluation and the terminal event: an artifact in the registry, a run in the tracker.
 * Neither can fail the benchmark; what went wrong becomes a warning. Reference: adapter-contract.md, "Exit", "Artifacts", "Tracking".
 */
import { Console, Duration, Effect } from "effect"
import type { JsonObject } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Warning } from "../events/event-body.ts"
import { defaultNames } from "./oci-artifact.ts"
import { pushArtifact } from "./oci-push.ts"
import { saveRun } from "./tracker-save.ts"

export interface ExportContext {
  readonly env: { readonly [name: string]: string | undefined }
  readonly folder: string
  readonly completed: boolean
  readonly completedAt: string
  readonly startedAtMillis: number
  /** the terminal event so far */
  readonly event: JsonObject
  /** until the benchmark's own time limit; infinite without one */
  readonly secondsLeft: number
}

export interface Exported {
  /** members for `artifacts` of the terminal event */
  readonly artifacts: JsonObject
  /** members beside them */
  readonly members: JsonObject
  readonly warnings: ReadonlyArray<Warning>
  readonly notes: ReadonlyArray<string>
}

const pushSeconds = 600
const trackerSeconds = 120
/** for the terminal event */
const reserveSeconds = 10

export const wantsExport = (job: JobSpec): boolean =>
  job.exports?.oci !== undefined || job.experiment_name !== undefined

const nothing: Exported = { artifacts: {}, members: {}, warnings: [], notes: [] }

const warned = (code: string, message: string): Effect.Effect<Exported> =>
  Effect.as(Console.error(`warning ${code}: ${message}`), { ...nothing, warnings: [{ code, message }] })

/** a defect here must not cost the results either */
const guarded = (code: string, work: Effect.Effect<Exported>): Effect.Effect<Exported> =>
  Effect.catchAllDefect(work, (defect) =>
    warned(code, `unexpected: ${defect instanceof Error ? defect.message : String(defect)}`)
  )

const toRegistry = (job: JobSpec, context: ExportContext, seconds: number): Effect.Effect<Exported> =>
  Effect.gen(function* () {
    const oci = job.exports?.oci
    // a failed benchmark has no result to show
    if (oci === undefined || !context.completed) return nothing
    const warnings: Array<Warning> = []
    const { env, folder, completedAt } = context
    const pushed = yield* Effect.either(
      pushArtifact(job, oci, {
        folder,
        completedAt,
        names: {
          artifactType: env["EVALD_OCI_ARTIFACT_TYPE"] || defaultNames.artifactType,
          annotationPrefix: env["EVALD_OCI_ANNOTATION_PREFIX"] || defaultNames.annotationPrefix
        },
        limit: Duration.seconds(seconds),
        warn: (warning) =>
          Effect.suspend(() => {
            warnings.push(warning)
            return Console.error(`warning ${warning.code}: ${warning.message}`)
          })
      })
    )
    if (pushed._tag === "Left") {
      const failed = yield* warned(
        "artifact_export_failed",
        `The results were not exported: ${pushed.left.message}. They are kept with the job.`
      )
      return { ...failed, warnings: [...warnings, ...failed.warnings] }
    }
    const { digest, reference } = pushed.right
    yield* Console.log(`exported: ${reference}`)
    return { ...nothing, artifacts: { oci_reference: reference, oci_digest: digest }, warnings }
  })

const toTracker = (job: JobSpec, context: ExportContext, seconds: number): Effect.Effect<Exported> =>
  Effect.gen(function* () {
    if (job.experiment_name === undefined) return nothing
    const { env, folder, startedAtMillis, event, completed } = context
    const base = (env["TRACKER_TRACKING_URI"] || job.callback_url).replace(/\/+$/, "")
    const workspace = env["TRACKER_WORKSPACE"] || undefined
    const status = completed ? "FINISHED" : "FAILED"
    const saved = yield* Effect.either(
      saveRun(job, job.experiment_name, {
        base,
        workspace,
        folder,
        startedAtMillis,
        status,
        event,
        limit: Duration.seconds(seconds)
      })
    )
    const runId = saved._tag === "Right" ? saved.right.runId : saved.left.runId
    const members = runId === undefined ? {} : { mlflow_run_id: runId, tracker_run_id: runId }
    if (saved._tag === "Left") {
      const failed = yield* warned(
        "tracker_save_failed",
        `The run was not saved completely in the tracker: ${saved.left.message}.`
      )
      return { ...failed, members }
    }
    yield* Console.log(`tracker run: ${saved.right.runId}`)
    return { ...nothing, members, notes: saved.right.notes }
  })

/** first the registry, then the tracker, within what is left of the benchmark's time */
export const exportResults = (job: JobSpec, context: ExportContext): Effect.Effect<Exported> =>
  Effect.gen(function* () {
    const started = performance.now()
    const left = () => Math.max(1, context.secondsLeft - reserveSeconds - (performance.now() - started) / 1000)
    const pushed = yield* guarded("artifact_export_failed", toRegistry(job, context, Math.min(pushSeconds, left())))
    const saved = yield* guarded("tracker_save_failed", toTracker(job, context, Math.min(trackerSeconds, left())))
    return {
      artifacts: pushed.artifacts,
      members: saved.members,
      warnings: [...pushed.warnings, ...saved.warnings],
      notes: saved.notes
    }
  })
