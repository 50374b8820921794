/** The part of a tracking server that adapters use, with its measured answers, and faults on demand. */
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
  status: string
  endTime: number | undefined
  readonly metrics: Map<string, number>
  readonly params: Map<string, string>
}

export interface TrackerOptions {
  /** required as `Bearer <token>` */
  readonly token?: string
  /** prefix of `artifact_uri` */
  readonly artifactRoot?: string
  /** names of experiments that exist, with their state */
  readonly experiments?: Readonly<Record<string, "active" | "deleted">>
  /** called with the step's name before it is done: `runs/create`, `artifacts`, …; answers itself when it returns true */
  readonly intercept?: (step: string, response: http.ServerResponse, tracker: FakeTracker) => boolean
}

export interface FakeTracker {
  readonly url: string
  readonly experiments: Map<string, { readonly id: string; stage: "active" | "deleted" }>
  readonly runs: Map<string, TrackedRun>
  readonly artifacts: Map<string, Buffer>
  readonly steps: Array<string>
  readonly headers: Array<http.IncomingHttpHeaders>
}

const reply = (response: http.ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
const refuse = (response: http.ServerResponse, status: number, code: string, message = code) => reply(response, status, { error_code: code, message })

const keyShape = /^[\w\-. :/]{1,250}$/
const sized = (entries: ReadonlyArray<Entry>, most: number) => entries.length <= most && entries.every(({ key }) => keyShape.test(key))

export const fakeTracker = (options: TrackerOptions = {}): Effect.Effect<FakeTracker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly tracker: FakeTracker }>((resume) => {
      const tracker: FakeTracker = { url: "", experiments: new Map(), runs: new Map(), artifacts: new Map(), steps: [], headers: [] }
      let last = 0
      for (const [name, stage] of Object.entries(options.experiments ?? {})) tracker.experiments.set(name, { id: String(++last), stage })
      const byId = (id: unknown) => [...tracker.experiments.values()].find((experiment) => experiment.id === id)

      const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const url = new URL(request.url ?? "", "http://fake")
        const bytes = await bodyOf(request)
        const artifact = /^\/api\/2\.0\/mlflow-artifacts\/artifacts\/(.+)$/.exec(url.pathname)?.[1]
        const step = artifact === undefined ? url.pathname.replace("/api/2.0/mlflow/", "") : "artifacts"
        tracker.steps.push(step)
        tracker.headers.push(request.headers)
        if (options.intercept?.(step, response, tracker) === true) return
        if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`)
          return void response.writeHead(401, { "content-type": "text/html" }).end("<h1>no</h1>")
        if (artifact !== undefined) {
          tracker.artifacts.set(decodeURIComponent(artifact), bytes)
          return void response.writeHead(200).end()
        }
        const body = request.method === "POST" ? JSON.parse(bytes.toString()) : {}
        const run = tracker.runs.get(body.run_id ?? url.searchParams.get("run_id") ?? "")
        switch (step) {
          case "experiments/get-by-name": {
            const name = url.searchParams.get("experiment_name") ?? ""
            const found = tracker.experiments.get(name)
            return found === undefined
              ? refuse(response, 404, "RESOURCE_DOES_NOT_EXIST")
              : reply(response, 200, { experiment: { experiment_id: found.id, name, lifecycle_stage: found.stage } })
          }
          case "experiments/create": {
            if (tracker.experiments.has(body.name)) return refuse(response, 400, "RESOURCE_ALREADY_EXISTS", "(sqlite3.IntegrityError) [SQL: INSERT]")
            tracker.experiments.set(body.name, { id: String(++last), stage: "active" })
            return reply(response, 200, { experiment_id: String(last) })
          }
          case "experiments/restore": {
            const found = byId(body.experiment_id)
            if (found !== undefined) found.stage = "active"
            return reply(response, 200, {})
          }
          case "runs/create": {
            if (byId(body.experiment_id)?.stage !== "active") return refuse(response, 400, "INVALID_PARAMETER_VALUE")
            const id = `run${tracker.runs.size + 1}`
            tracker.runs.set(id, {
              experiment: body.experiment_id,
              name: body.run_name,
              tags: body.tags,
              status: "RUNNING",
              endTime: undefined,
              metrics: new Map(),
              params: new Map()
            })
            return reply(response, 200, { run: { info: { run_id: id } } })
          }
          case "runs/log-batch": {
            const { metrics, params } = body
            if (run === undefined || bytes.length > 1_000_000 || !sized(metrics, 1000) || !sized(params, 100))
              return refuse(response, 400, "INVALID_PARAMETER_VALUE")
            for (const { key, value } of metrics) run.metrics.set(key, value)
            for (const { key, value } of params) {
              if (run.params.has(key)) return refuse(response, 400, "INVALID_PARAMETER_VALUE", "changed param")
              run.params.set(key, value)
            }
            return reply(response, 200, {})
          }
          case "runs/get":
            return reply(response, 200, {
              run: { info: { artifact_uri: `${options.artifactRoot ?? "mlflow-artifacts:/1"}/${url.searchParams.get("run_id")}/artifacts` } }
            })
          case "runs/update":
            if (run === undefined) return refuse(response, 404, "RESOURCE_DOES_NOT_EXIST")
            run.status = body.status
            run.endTime = body.end_time
            return reply(response, 200, { run_info: {} })
          default:
            return void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>")
        }
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
