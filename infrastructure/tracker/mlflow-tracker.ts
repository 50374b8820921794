/**
 * Experiments over the MLflow REST API, as measured against a real server: a deleted experiment still answers by name, creation races end
 * in "already exists", and a workspace header is an error where workspaces are off. Messages of the tracker are never passed on.
 */
import { Effect, Layer } from "effect"
import { Invalid, Unavailable } from "../../application/errors.ts"
import { ExperimentTracker, type TrackedExperiment } from "../../application/ports/experiment-tracker.ts"
import type { Experiment } from "../../domain/job/job.ts"
import { member, say } from "../../domain/sentence.ts"
import { violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { makeExchange, type TrackerAnswer, type TrackerConnection } from "./tracker-exchange.ts"

export interface TrackerOptions extends TrackerConnection {
  /** setting `tracker.workspace`: one workspace for all tenants; default the tenant's own */
  readonly workspace?: string
}

const text = (value: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  return typeof found === "string" ? found : undefined
}
const code = ({ json }: TrackerAnswer) => text(json, "error_code")

const refused = (operation: string, { status, json }: TrackerAnswer) =>
  new Unavailable({ peer: "tracker", operation, cause: `HTTP ${status} ${text(json, "error_code") ?? ""}`.trim() })

interface Found {
  readonly id: string
  readonly deleted: boolean
}

type Call = Effect.Effect.Success<ReturnType<typeof makeExchange>>

/** does the server keep workspaces? An older one without the route has none. */
const askForWorkspaces = (call: Call): Effect.Effect<boolean, Unavailable> =>
  Effect.flatMap(call("serverInfo", { method: "GET", path: "/api/3.0/mlflow/server-info" }), (answer) => {
    if (answer.status === 200)
      return Effect.succeed(isObject(answer.json) && answer.json["workspaces_enabled"] === true)
    return answer.status === 404 ? Effect.succeed(false) : Effect.fail(refused("serverInfo", answer))
  })

/** finds, restores or creates an experiment: its id */
const makeIdentify = (call: Call) => {
  const byName = (workspace: string | undefined, name: string): Effect.Effect<Found | undefined, Unavailable> =>
    Effect.flatMap(
      call("getExperiment", {
        method: "GET",
        path: `/api/2.0/mlflow/experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`,
        workspace
      }),
      (answer) => {
        const id = text(answer.json, "experiment", "experiment_id")
        if (answer.status === 200 && id !== undefined)
          return Effect.succeed({ id, deleted: text(answer.json, "experiment", "lifecycle_stage") === "deleted" })
        return answer.status === 404 && code(answer) === "RESOURCE_DOES_NOT_EXIST"
          ? Effect.succeed(undefined)
          : Effect.fail(refused("getExperiment", answer))
      }
    )

  const restore = (workspace: string | undefined, id: string) =>
    Effect.flatMap(
      call("restoreExperiment", {
        method: "POST",
        path: "/api/2.0/mlflow/experiments/restore",
        body: { experiment_id: id },
        workspace
      }),
      (answer) => (answer.status === 200 ? Effect.succeed(id) : Effect.fail(refused("restoreExperiment", answer)))
    )

  /** undefined: somebody else made it at the same moment */
  const create = (
    workspace: string | undefined,
    { name, tags, artifactLocation }: Experiment
  ): Effect.Effect<string | undefined, Unavailable> =>
    Effect.flatMap(
      call("createExperiment", {
        method: "POST",
        path: "/api/2.0/mlflow/experiments/create",
        body: {
          name,
          ...defined({ artifact_location: artifactLocation, tags })
        },
        workspace
      }),
      (answer) => {
        const id = text(answer.json, "experiment_id")
        if (answer.status === 200 && id !== undefined) return Effect.succeed(id)
        return code(answer) === "RESOURCE_ALREADY_EXISTS"
          ? Effect.succeed(undefined)
          : Effect.fail(refused("createExperiment", answer))
      }
    )

  const identify = (
    workspace: string | undefined,
    experiment: Experiment,
    mayCreate: boolean
  ): Effect.Effect<string, Unavailable> =>
    Effect.gen(function* () {
      const found = yield* byName(workspace, experiment.name)
      if (found !== undefined) return found.deleted ? yield* restore(workspace, found.id) : found.id
      if (!mayCreate)
        return yield* new Unavailable({
          peer: "tracker",
          operation: "createExperiment",
          cause: "exists and cannot be found"
        })
      return (yield* create(workspace, experiment)) ?? (yield* identify(workspace, experiment, false))
    })
  return (workspace: string | undefined, experiment: Experiment) => identify(workspace, experiment, true)
}

const make = (options: TrackerOptions) =>
  Effect.gen(function* () {
    const call = yield* makeExchange(options)
    const identify = makeIdentify(call)

    /** asked once and kept; a failure is asked again */
    const hasWorkspaces = yield* Effect.cachedWithTTL(Effect.either(askForWorkspaces(call)), "60 seconds")
    const workspaceOf = (tenant: string) =>
      Effect.flatMap(hasWorkspaces, (known) =>
        Effect.map(known, (enabled) => (enabled ? (options.workspace ?? tenant) : undefined))
      )

    const pageOf = (id: string, workspace: string | undefined) =>
      `${options.uri.replace(/\/$/, "")}/#/experiments/${encodeURIComponent(id)}${workspace === undefined ? "" : `?workspace=${encodeURIComponent(workspace)}`}`

    const ensure = Effect.fn("tracker.ensure")(function* (tenant: string, experiment: Experiment) {
      const workspace = yield* workspaceOf(tenant)
      if (workspace !== undefined && experiment.artifactLocation !== undefined) {
        const message = say`${member(["artifactLocation"])} cannot be chosen because the tracking server keeps artifacts per workspace; leave it out`
        return yield* new Invalid({ violations: [violation(["experiment", "artifactLocation"], message)] })
      }
      const id = yield* identify(workspace, experiment)
      const tracked: TrackedExperiment = {
        id,
        url: pageOf(id, workspace),
        ...defined({ workspace })
      }
      return tracked
    })
    return { ensure, workspaceOf, ping: Effect.asVoid(call("ping", { method: "GET", path: "/health" })) }
  })

export const layer = (options: TrackerOptions): Layer.Layer<ExperimentTracker> =>
  Layer.scoped(ExperimentTracker, make(options))
