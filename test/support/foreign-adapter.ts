/** Adapters of others as custom providers of a real server: defined by file or over the API, submitted, waited for. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stringify } from "yaml"
import { listen, type Running, until } from "./evald-process.ts"

interface BenchmarkResult {
  readonly metrics: { readonly [name: string]: unknown }
  readonly artifacts?: { readonly [name: string]: unknown }
  readonly additional_info?: { readonly [name: string]: unknown }
}
export interface ForeignJob {
  readonly resource: { readonly id: string }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{ readonly status: string; readonly error_message?: { readonly message: string; readonly message_code: string } }>
  }
  readonly results: { readonly benchmarks: ReadonlyArray<BenchmarkResult> }
}

/** a provider with one benchmark of sums, run by `command` */
export const sumsProvider = (command: string): object => ({
  name: "sums",
  title: "Sums by an adapter of one file",
  description: "",
  runtime: { local: { command } },
  benchmarks: [{ id: "sums", name: "Sums", category: "math", metrics: ["exact_match"], primary_score: { metric: "exact_match", lower_is_better: false } }]
})

const secretName = "model-key"

export interface ForeignHost {
  readonly folder: string
  /** the server */
  readonly url: string
  /** a demo model that is always right and knows only callers with the key of `secretName` */
  readonly modelUrl: string
  readonly call: (method: string, path: string, body?: object) => Promise<{ readonly status: number; readonly json: unknown; readonly text: string }>
  /** writes the file of a provider into the configuration of the running server and waits until it is served */
  readonly defineByFile: (id: string, provider: object) => Promise<string>
  /** answers the id that the server gave it */
  readonly defineByApi: (provider: object) => Promise<string>
  /** to the terminal state; the model's key comes from a secret unless `withKey` is false */
  readonly evaluate: (provider: string, parameters?: object, withKey?: boolean) => Promise<ForeignJob>
  readonly logs: (job: ForeignJob) => Promise<string>
  readonly stop: () => Promise<void>
}

/** a server in local mode on a configuration of its own; `env` is what its children may inherit */
export const foreignHost = async (env: Readonly<Record<string, string>> = {}): Promise<ForeignHost> => {
  const folder = mkdtempSync(join(tmpdir(), "evald-foreign-"))
  const started: Array<Running> = []
  const key = "sk-known-to-the-gateway-alone"
  const config = join(folder, "config")
  const secret = join(config, "secrets", secretName)
  mkdirSync(join(config, "providers"), { recursive: true })
  mkdirSync(secret, { recursive: true, mode: 0o700 })
  writeFileSync(join(secret, "api-key"), key, { mode: 0o600 })
  const model = await listen(["demo-model", "--port", "0", "--skill", "1", "--require-key", key])
  started.push(model)
  const server = await listen(["server", "-local", `-configdir=${config}`], { PORT: "0", TMPDIR: folder, ...env })
  started.push(server)

  const call: ForeignHost["call"] = async (method, path, body) => {
    const response = await fetch(`${server.url}/api/v1/evaluations/${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    const text = await response.text()
    const json: unknown = response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : undefined
    return { status: response.status, json, text }
  }
  const expected = async (status: number, method: string, path: string, body?: object) => {
    const answer = await call(method, path, body)
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  return {
    folder,
    url: server.url,
    modelUrl: model.url,
    call,
    defineByFile: async (id, provider) => {
      writeFileSync(join(config, "providers", `${id}.yaml`), stringify({ id, ...provider }))
      await until(
        () => call("GET", `providers/${id}`),
        ({ status }) => status === 200
      )
      return id
    },
    defineByApi: async (provider) => {
      const { json } = await expected(201, "POST", "providers", provider)
      return (json as ForeignJob).resource.id
    },
    evaluate: async (provider, parameters = { num_examples: 4 }, withKey = true) => {
      const { json } = await expected(202, "POST", "jobs", {
        name: "foreign",
        model: { url: model.url, name: "evald-demo", ...(withKey ? { auth: { secret_ref: secretName } } : {}) },
        benchmarks: [{ id: "sums", provider_id: provider, parameters }]
      })
      const { id } = (json as ForeignJob).resource
      const read = async () => (await expected(200, "GET", `jobs/${id}`)).json as ForeignJob
      return until(read, ({ status }) => status.state !== "pending" && status.state !== "running", 60_000)
    },
    logs: async ({ resource }) => (await expected(200, "GET", `jobs/${resource.id}/logs`)).text,
    stop: async () => {
      for (const { stop } of started) await stop("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
