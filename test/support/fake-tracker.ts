/** The part of a tracking server that server and adapters use, with its measured answers, and faults on demand. Held against a real one by `tracker-suite.ts`. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { bodyOf } from "./loopback-server.ts"

interface Entry {
  readonly key: string
  readonly value: string | number
}

export interface TrackedRun {
  readonly experiment: string
  readonly name: string
  readonly tags: ReadonlyArray<Entry>
  readonly startTime: number
  status: string
  endTime: number | undefined
  readonly metrics: Map<string, number>
  readonly params: Map<string, string>
}

interface TrackedExperiment {
  readonly id: string
  stage: "active" | "deleted"
  readonly name?: string
  readonly workspace?: string | undefined
  readonly tags?: ReadonlyArray<Entry>
  readonly artifactLocation?: string
}

export interface TrackerOptions {
  /** required as `Bearer <token>` */
  readonly token?: string
  /** prefix of `artifact_uri` */
  readonly artifactRoot?: string
  /** names of experiments that exist, with their state */
  readonly experiments?: Readonly<Record<string, "active" | "deleted">>
  /** names of the workspaces; `off`: the server could have them; absent: a server of the time before them, without the probe */
  readonly workspaces?: ReadonlyArray<string> | "off"
  /** called with the step's name before it is done: `runs/create`, `artifacts`, …; answers itself when it returns true */
  readonly intercept?: (step: string, response: http.ServerResponse, tracker: FakeTracker) => boolean
}

export interface FakeTracker {
  readonly url: string
  /** by name, within a workspace `<workspace>/<name>` */
  readonly experiments: Map<string, TrackedExperiment>
  readonly runs: Map<string, TrackedRun>
  readonly artifacts: Map<string, Buffer>
  readonly steps: Array<string>
  readonly headers: Array<http.IncomingHttpHeaders>
}

const probe = "/api/3.0/mlflow/server-info"

/** status and body: an object becomes JSON, a text HTML */
type Answer = readonly [status: number, body: unknown]
const refused = (status: number, code: string, message = code): Answer => [status, { error_code: code, message }]
const unknown = refused(404, "RESOURCE_DOES_NOT_EXIST")
const invalid = (message: string) => refused(400, "INVALID_PARAMETER_VALUE", message)

const send = (response: http.ServerResponse, [status, body]: Answer) =>
  typeof body === "string"
    ? void response.writeHead(status, { "content-type": "text/html" }).end(body)
    : void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const keyShape = /^[\w\-. :/]{1,250}$/
const sized = (entries: ReadonlyArray<Entry>, most: number) =>
  entries.length <= most && entries.every(({ key }) => keyShape.test(key))

interface Call {
  readonly step: string
  readonly query: URLSearchParams
  /** the double trusts its callers as far as the cases of the suite go */
  readonly body: object
  readonly bytes: number
  readonly workspace: string | undefined
}

const fakeAnswers = (tracker: FakeTracker, options: TrackerOptions) => {
  let last = tracker.experiments.size
  const placed = (workspace: string | undefined, name: string) =>
    workspace === undefined ? name : `${workspace}/${name}`
  const rootOf = ({ id, workspace, artifactLocation }: TrackedExperiment) =>
    options.artifactRoot ??
    artifactLocation ??
    `mlflow-artifacts:${workspace === undefined ? "" : `/workspaces/${workspace}`}/${id}`
  const shown = (name: string, experiment: TrackedExperiment) => ({
    experiment: {
      ...{
        experiment_id: experiment.id,
        name: experiment.name ?? name,
        lifecycle_stage: experiment.stage,
        tags: experiment.tags ?? []
      },
      artifact_location: rootOf(experiment)
    }
  })
  const byId = (id: unknown, workspace: string | undefined) =>
    [...tracker.experiments.values()].find((one) => one.id === id && one.workspace === workspace)
  const listed = (values: Map<string, string | number>) => [...values].map(([key, value]) => ({ key, value }))

  const logBatch = (run: TrackedRun | undefined, { body, bytes }: Call): Answer => {
    const { metrics, params }: { readonly metrics: ReadonlyArray<Entry>; readonly params: ReadonlyArray<Entry> } = {
      metrics: [],
      params: [],
      ...body
    }
    if (run === undefined) return unknown
    if (bytes > 1_000_000 || !sized(metrics, 1000 - params.length) || !sized(params, 100))
      return invalid("too many, or a key that is none")
    if (params.some(({ key, value }) => run.params.has(key) && run.params.get(key) !== value))
      return invalid("changed param")
    for (const { key, value } of metrics) run.metrics.set(key, Number(value))
    for (const { key, value } of params) run.params.set(key, String(value))
    return [200, {}]
  }
  const createExperiment = ({ body, workspace }: Call): Answer => {
    const {
      name,
      tags,
      artifact_location: artifactLocation
    } = body as { name?: string; tags?: ReadonlyArray<Entry>; artifact_location?: string }
    if (name === undefined) return invalid("Missing value for required parameter 'name'.")
    if (workspace !== undefined && artifactLocation !== undefined)
      return invalid("artifact_location cannot be specified when workspaces are enabled")
    if (tracker.experiments.has(placed(workspace, name)))
      return refused(400, "RESOURCE_ALREADY_EXISTS", "(sqlite3.IntegrityError) [SQL: INSERT]")
    const id = String(++last)
    tracker.experiments.set(placed(workspace, name), {
      ...{ id, name, workspace, stage: "active", tags: tags ?? [] },
      ...(artifactLocation === undefined ? {} : { artifactLocation })
    })
    return [200, { experiment_id: id }]
  }
  const createRun = ({ body, workspace }: Call): Answer => {
    const given = body as { experiment_id: string; run_name: string; start_time: number; tags?: ReadonlyArray<Entry> }
    const experiment = byId(given.experiment_id, workspace)
    if (experiment === undefined) return unknown
    if (experiment.stage !== "active") return invalid("The experiment must be in the 'active' state")
    const id = `run${tracker.runs.size + 1}`
    tracker.runs.set(id, {
      ...{ experiment: experiment.id, name: given.run_name, tags: given.tags ?? [], startTime: given.start_time },
      ...{ status: "RUNNING", endTime: undefined, metrics: new Map(), params: new Map() }
    })
    return [200, { run: { info: { run_id: id } } }]
  }
  const runAt = (id: string, run: TrackedRun): Answer => {
    const experiment = [...tracker.experiments.values()].find((one) => one.id === run.experiment)
    const root = experiment === undefined ? "mlflow-artifacts:/1" : rootOf(experiment)
    const info = {
      ...{
        run_id: id,
        run_name: run.name,
        experiment_id: run.experiment,
        status: run.status,
        start_time: run.startTime,
        end_time: run.endTime
      },
      artifact_uri: `${root}/${id}/artifacts`
    }
    return [200, { run: { info, data: { metrics: listed(run.metrics), params: listed(run.params), tags: run.tags } } }]
  }

  return (call: Call): Answer => {
    const { step, query, body, workspace } = call
    const byName = tracker.experiments.get(placed(workspace, query.get("experiment_name") ?? ""))
    const experiment = byId((body as { experiment_id?: string }).experiment_id ?? query.get("experiment_id"), workspace)
    const runId = (body as { run_id?: string }).run_id ?? query.get("run_id") ?? ""
    const run = tracker.runs.get(runId)
    const setStage = (stage: TrackedExperiment["stage"]): Answer => {
      if (experiment === undefined) return unknown
      experiment.stage = stage
      return [200, {}]
    }
    switch (step) {
      case "experiments/get-by-name":
        return byName === undefined ? unknown : [200, shown(query.get("experiment_name") ?? "", byName)]
      case "experiments/get":
        return experiment === undefined ? unknown : [200, shown("", experiment)]
      case "experiments/create":
        return createExperiment(call)
      case "experiments/restore":
        return setStage("active")
      case "experiments/delete":
        return setStage("deleted")
      case "runs/create":
        return createRun(call)
      case "runs/log-batch":
        return logBatch(run, call)
      case "runs/get":
        return run === undefined ? unknown : runAt(runId, run)
      case "runs/update": {
        const { status, end_time: endTime } = body as { status?: string; end_time?: number }
        if (run === undefined) return unknown
        run.status = status ?? run.status
        run.endTime = endTime
        return [200, { run_info: {} }]
      }
      default:
        return [404, "<h1>Not found</h1>"]
    }
  }
}

export const fakeTracker = (options: TrackerOptions = {}): Effect.Effect<FakeTracker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly tracker: FakeTracker }>((resume) => {
      const tracker: FakeTracker = {
        url: "",
        experiments: new Map(),
        runs: new Map(),
        artifacts: new Map(),
        steps: [],
        headers: []
      }
      for (const [name, stage] of Object.entries(options.experiments ?? {}))
        tracker.experiments.set(name, { id: String(tracker.experiments.size + 1), stage })
      const answer = fakeAnswers(tracker, options)

      /** undefined: the header is fine; `default` stands for none, as everywhere with workspaces */
      const workspaceProblem = (name: string | undefined): Answer | undefined => {
        if (options.workspaces === undefined || name === undefined) return undefined
        if (options.workspaces === "off") return refused(500, "FEATURE_DISABLED")
        return options.workspaces.includes(name)
          ? undefined
          : refused(404, "RESOURCE_DOES_NOT_EXIST", `Workspace '${name}' not found`)
      }

      const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const url = new URL(request.url ?? "", "http://fake")
        const bytes = await bodyOf(request)
        const artifact = /^\/api\/2\.0\/mlflow-artifacts\/artifacts\/(.+)$/.exec(url.pathname)?.[1]
        const step = artifact === undefined ? url.pathname.replace("/api/2.0/mlflow/", "") : "artifacts"
        tracker.steps.push(step)
        tracker.headers.push(request.headers)
        if (options.intercept?.(step, response, tracker) === true) return
        if (step === probe && options.workspaces !== undefined)
          return send(response, [200, { store_type: "SqlStore", workspaces_enabled: options.workspaces !== "off" }])
        if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`)
          return send(response, [401, "<h1>no</h1>"])
        const header = request.headers["x-mlflow-workspace"]
        const workspace = typeof header === "string" ? header : undefined
        const problem = workspaceProblem(workspace)
        if (problem !== undefined) return send(response, problem)
        if (artifact !== undefined) {
          const place = decodeURIComponent(artifact)
          if (request.method === "PUT") tracker.artifacts.set(place, bytes)
          const content = tracker.artifacts.get(place)
          return void response
            .writeHead(content === undefined ? 404 : 200)
            .end(request.method === "PUT" ? undefined : content)
        }
        const body = request.method === "POST" ? JSON.parse(bytes.toString()) : {}
        const within = Array.isArray(options.workspaces) ? workspace : undefined
        send(response, answer({ step, query: url.searchParams, body, bytes: bytes.length, workspace: within }))
      }
      const server = http.createServer((request, response) => {
        handle(request, response).catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ server, tracker: Object.assign(tracker, { url }) }))
      })
    }),
    ({ server }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map(({ tracker }) => tracker))
