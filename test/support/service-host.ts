/** A real server in local mode on a configuration of its own, with demo models beside it: what suites around adapters run jobs on. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { stringify } from "yaml"
import { listen, type Running, until } from "./evald-process.ts"

export interface BenchmarkResult {
  readonly metrics: { readonly [name: string]: unknown }
  readonly artifacts?: { readonly [name: string]: unknown }
  readonly additional_info?: { readonly [name: string]: unknown }
}
export interface HostedJob {
  readonly resource: { readonly id: string; readonly [name: string]: unknown }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{
      readonly status: string
      readonly error_message?: { readonly message: string; readonly message_code: string }
    }>
  }
  readonly results: { readonly benchmarks: ReadonlyArray<BenchmarkResult>; readonly [name: string]: unknown }
}

export interface HostedModel {
  readonly url: string
  readonly name: string
  readonly auth?: { readonly secret_ref: string }
}

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly text: string
}

const key = "sk-known-to-the-gateway-alone"
const secretName = "model-key"

export interface ServiceHost {
  /** removed with everything in it at the end; units and their results lie below it */
  readonly folder: string
  readonly url: string
  /** of the server's process */
  readonly pid: number
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>
  /** fails the test on another status */
  readonly expected: (status: number, method: string, path: string, body?: object) => Promise<Answer>
  /** a demo model that is always right, with further arguments */
  readonly demoModel: (...args: ReadonlyArray<string>) => Promise<HostedModel>
  /** one that knows only callers with a key, which the gateway has from a secret */
  readonly guardedModel: () => Promise<HostedModel>
  /** writes the file of a provider into the configuration of the running server and waits until it is served */
  readonly defineByFile: (id: string, provider: object) => Promise<string>
  /** answers the id that the server gave it */
  readonly defineByApi: (provider: object) => Promise<string>
  /** to the terminal state; `more`: further members of the job */
  readonly evaluate: (model: HostedModel, benchmarks: ReadonlyArray<object>, more?: object) => Promise<HostedJob>
  /** the same of a collection, with parameters for those of its benchmarks that declare them */
  readonly evaluateCollection: (model: HostedModel, id: string, parameters: object) => Promise<HostedJob>
  readonly logs: (job: HostedJob) => Promise<string>
  /** the files that a job's adapters left, by their path below `results` */
  readonly resultFiles: (job: HostedJob) => ReadonlyMap<string, string>
  readonly stop: () => Promise<void>
}

/** code or status of each benchmark, for comparisons that say everything at once */
export const outcomes = ({ status }: HostedJob) =>
  status.benchmarks.map((one) => one.error_message?.message_code ?? one.status)

/** the verdicts of a sample file, in its order */
export const verdictsOf = (host: ServiceHost, job: HostedJob, name: string): ReadonlyArray<unknown> => {
  const path = host.resultFiles(job).get(name)
  assert.isDefined(path, `${name} is among ${[...host.resultFiles(job).keys()].join(", ")}`)
  const lines = readFileSync(path ?? "", "utf8")
    .trim()
    .split("\n")
  return lines.map((line) => (JSON.parse(line) as { readonly verdict: unknown }).verdict)
}

/** neither the model's key nor the secret of a gateway address is in what is kept */
export const assertNoSecrets = (host: ServiceHost, job: HostedJob): void => {
  const files = host.resultFiles(job)
  assert.isAbove(files.size, 0)
  for (const path of files.values()) {
    const text = readFileSync(path, "utf8")
    assert.notInclude(text, key, path)
    assert.notMatch(text, /\/cb\/[A-Za-z0-9_-]{20,}/, path)
  }
}

export interface HostOptions {
  /** what the server's children may inherit */
  readonly env?: Readonly<Record<string, string>>
  /** a folder of programs in front of the PATH */
  readonly bin?: string
  /** with the shipped providers and collections; without them only what is defined */
  readonly shipped?: boolean
  /** further settings: content of the configuration file */
  readonly config?: object
}

export const serviceHost = async ({
  env = {},
  bin,
  shipped = false,
  config: settings
}: HostOptions = {}): Promise<ServiceHost> => {
  const folder = mkdtempSync(join(tmpdir(), "evald-host-"))
  const started: Array<Running> = []
  const config = join(folder, "config")
  const secret = join(config, "secrets", secretName)
  mkdirSync(secret, { recursive: true })
  for (const path of [join(config, "secrets"), secret]) chmodSync(path, 0o700)
  writeFileSync(join(secret, "api-key"), key, { mode: 0o600 })
  mkdirSync(join(config, "providers"))
  writeFileSync(join(config, "config.yaml"), stringify({ catalog: { shipped }, ...settings }))
  const path = `${bin === undefined ? "" : `${bin}:`}${process.env["PATH"]}`
  const server = await listen(["server", "-local", `-configdir=${config}`], {
    PORT: "0",
    TMPDIR: folder,
    PATH: path,
    HF_HOME: join(folder, "hf"),
    ...env
  })
  started.push(server)

  const call: ServiceHost["call"] = async (method, route, body) => {
    const response = await fetch(`${server.url}/api/v1/evaluations/${route}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    const text = await response.text()
    const json: unknown = response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : undefined
    return { status: response.status, json, text }
  }
  const expected: ServiceHost["expected"] = async (status, method, route, body) => {
    const answer = await call(method, route, body)
    if (answer.status !== status) throw new Error(`${method} ${route}: ${answer.status} ${answer.text}`)
    return answer
  }
  const demoModel: ServiceHost["demoModel"] = async (...args) => {
    const model = await listen(["demo-model", "--port", "0", "--skill", "1", ...args])
    started.push(model)
    return { url: model.url, name: "evald-demo" }
  }
  const ended = async (body: object): Promise<HostedJob> => {
    const { json } = await expected(202, "POST", "jobs", { name: "hosted", ...body })
    const { id } = (json as HostedJob).resource
    const read = async () => (await expected(200, "GET", `jobs/${id}`)).json as HostedJob
    return until(read, ({ status }) => status.state !== "pending" && status.state !== "running", 300_000)
  }
  return {
    ...{ folder, url: server.url, pid: server.pid, call, expected, demoModel },
    guardedModel: async () => ({ ...(await demoModel("--require-key", key)), auth: { secret_ref: secretName } }),
    defineByFile: async (id, provider) => {
      writeFileSync(join(config, "providers", `${id}.yaml`), stringify({ id, ...provider }))
      await until(
        () => call("GET", `providers/${id}`),
        ({ status }) => status === 200
      )
      return id
    },
    defineByApi: async (provider) =>
      ((await expected(201, "POST", "providers", provider)).json as HostedJob).resource.id,
    evaluate: (model, benchmarks, more = {}) => ended({ model, benchmarks, ...more }),
    evaluateCollection: (model, id, parameters) => ended({ model, collection: { id, parameters } }),
    logs: async ({ resource }) => (await expected(200, "GET", `jobs/${resource.id}/logs`)).text,
    resultFiles: ({ resource }) => {
      const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      const own = files.filter((file) => file.includes(resource.id) && file.includes("/results/"))
      return new Map(
        own.map((file) => [file.replace(/^.*\/results\//, "").replace(/_\d{4}-[^/]*\./, "_<time>."), file])
      )
    },
    stop: async () => {
      for (const { stop } of started) await stop("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
