/**
 * The experiment tracking server (MLflow). A job that names an experiment gets it found or made before it is stored; when that fails,
 * nothing is stored. Undefined: no tracking server is configured. Reference: api.md, "Requests", "Submitting a job", "Experiments".
 */
import { Context, type Effect } from "effect"
import type { Experiment } from "../../domain/job/job.ts"
import type { Invalid, Unavailable } from "../errors.ts"

export interface TrackedExperiment {
  readonly id: string
  /** page of the experiment for people */
  readonly url: string
  /** the workspace it lives in; absent where the tracking server has none */
  readonly workspace?: string
}

export class ExperimentTracker extends Context.Reference<ExperimentTracker>()(
  "evald/application/ports/ExperimentTracker",
  {
    defaultValue: ():
      | {
          /**
           * Get or create in the tenant's workspace; a deleted experiment of that name is restored. Repeating it gives the same experiment.
           * `Invalid`: the tracker forbids what the request says (an artifact location where workspaces decide it).
           */
          readonly ensure: (
            tenant: string,
            experiment: Experiment
          ) => Effect.Effect<TrackedExperiment, Invalid | Unavailable>
          /** the tenant's workspace; undefined when the tracker has none, where naming one fails every call */
          readonly workspaceOf: (tenant: string) => Effect.Effect<string | undefined, Unavailable>
          /** for readiness, where an unreachable tracker is reported and harmless */
          readonly ping: Effect.Effect<void, Unavailable>
        }
      | undefined => undefined
  }
) {}
