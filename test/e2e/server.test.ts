import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run, until } from "../support/evald-process.ts"

let folder = ""
let model: Running | undefined
const started: Array<Running> = []

interface JobRecord {
  readonly resource: { readonly id: string }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{
      readonly status: string
      readonly error_message?: { readonly message_code: string }
    }>
  }
}

const serve = async (env: Readonly<Record<string, string>> = {}): Promise<Running> => {
  const server = await listen(["server", "-local"], { PORT: "0", TMPDIR: folder, EVALD_LOG_FORMAT: "json", ...env })
  started.push(server)
  return server
}
const submit = async (server: Running, benchmarks: ReadonlyArray<object>, extra: object = {}): Promise<JobRecord> => {
  const response = await fetch(`${server.url}/api/v1/evaluations/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "e2e", model: { url: model?.url, name: "evald-demo", ...extra }, benchmarks })
  })
  assert.strictEqual(response.status, 202, await response.clone().text())
  return (await response.json()) as JobRecord
}
const get = async (server: Running, id: string): Promise<JobRecord> =>
  (await (await fetch(`${server.url}/api/v1/evaluations/jobs/${id}`)).json()) as JobRecord
const finished = ({ status }: JobRecord) => status.state !== "pending" && status.state !== "running"

/** processes whose environment carries the marker of a unit of this job */
const alive = (jobId: string): number =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`EVALD_JOB_ID=${jobId}`)
    } catch {
      return false
    }
  }).length

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-e2e-"))
  model = await listen(["demo-model", "--port", "0", "--ttft-ms", "300"])
  started.push(model)
})
afterAll(async () => {
  for (const { stop } of started) await stop("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

describe("evald server", () => {
  it("reads lists of a database file in a thread of its own, which the bundle brings along", async () => {
    const server = await serve({ DB_URL: `file:${join(folder, "lists.db")}` })
    const list = await fetch(`${server.url}/api/v1/evaluations/jobs`)
    assert.strictEqual(list.status, 200)
    assert.strictEqual(((await list.json()) as { readonly total_count: number }).total_count, 0)
    assert.notInclude(server.output(), "the thread that reads lists")
    assert.strictEqual(await server.stop(), 0)
  })

  it("killed with -9 in the middle of a job, a new server on the same file brings every benchmark to a true state", async () => {
    const database = { DB_URL: `file:${join(folder, "crash.db")}` }
    const first = await serve(database)
    const slow = { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 100, num_concurrent: 1 } }
    const { resource } = await submit(first, [
      slow,
      slow,
      slow,
      slow,
      slow,
      { ...slow, parameters: { num_examples: 2 } }
    ])
    await until(
      () => get(first, resource.id),
      ({ status }) => status.benchmarks.filter((benchmark) => benchmark.status === "running").length === 5
    )
    await first.stop("SIGKILL")
    await until(
      async () => alive(resource.id),
      (count) => count === 0,
      5000
    )
    const second = await serve(database)
    const job = await until(() => get(second, resource.id), finished, 40_000)
    assert.strictEqual(job.status.state, "partially_failed")
    assert.deepStrictEqual(
      job.status.benchmarks.map(({ status, error_message }) => [status, error_message?.message_code]),
      [...Array.from({ length: 5 }, () => ["failed", "runtime_object_lost"]), ["completed", undefined]]
    )
    assert.strictEqual(await second.stop(), 0)
  })
  it("SIGTERM ends it with code 0 and takes its children along", async () => {
    const server = await serve()
    const { resource } = await submit(server, [
      { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 100, num_concurrent: 1 } }
    ])
    await until(
      async () => alive(resource.id),
      (count) => count > 0
    )
    assert.strictEqual(await server.stop("SIGTERM"), 0)
    assert.strictEqual(alive(resource.id), 0)
  })
  it("a key from the local secrets directory reaches the model and nobody else", async () => {
    const canary = "sk-canary-7f3a91"
    const guarded = await listen(["demo-model", "--port", "0", "--require-key", canary])
    started.push(guarded)
    const secrets = join(folder, "secrets")
    mkdirSync(join(secrets, "model-key"), { recursive: true, mode: 0o700 })
    chmodSync(secrets, 0o700)
    writeFileSync(join(secrets, "model-key", "api-key"), canary, { mode: 0o600 })
    const config = join(folder, "with-secrets")
    mkdirSync(config)
    writeFileSync(join(config, "config.yaml"), `local: {secrets_dir: ${secrets}, base_dir: ${join(folder, "units")}}\n`)
    mkdirSync(join(config, "providers"))
    writeFileSync(join(config, "providers", "evald.yaml"), readFileSync("config/providers/evald.yaml", "utf8"))
    const server = await listen(["server", "-local", "-configdir", config], { PORT: "0", TMPDIR: folder })
    started.push(server)
    const { resource } = await submit(
      server,
      [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 10 } }],
      {
        url: guarded.url,
        auth: { secret_ref: "model-key" }
      }
    )
    const job = await until(() => get(server, resource.id), finished)
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    // the server still writes there, and a file that is made under another name first may be gone when it is read: then all are read again
    const texts = await until(
      async () => {
        try {
          return readdirSync(join(folder, "units"), { recursive: true, withFileTypes: true }).flatMap((entry) => {
            const path = join(entry.parentPath, entry.name)
            return entry.isFile() ? [{ path, text: readFileSync(path, "utf8") }] : []
          })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
          throw error
        }
      },
      ({ length }) => length > 3
    )
    for (const { path, text } of texts) assert.notInclude(text, canary, path)
    const wrong = await submit(server, [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } }], {
      url: guarded.url
    })
    const refused = await until(() => get(server, wrong.resource.id), finished)
    assert.strictEqual(refused.status.benchmarks[0]?.error_message?.message_code, "model_authentication_failed")
  })
  it("a port in use, an unknown flag, a broken configuration: one message with the fix, and the right exit code", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const busy = await run(["server", "-local"], { PORT: String(port), TMPDIR: folder })
    taken.close()
    assert.strictEqual(busy.code, 1)
    assert.match(busy.stderr, new RegExp(`port ${port} is in use; choose another one with PORT`))
    const flag = await run(["server", "-lokal"])
    assert.strictEqual(flag.code, 64)
    assert.match(flag.stderr, /unknown flag '-lokal'/)
    const broken = join(folder, "broken")
    mkdirSync(broken)
    writeFileSync(join(broken, "config.yaml"), "service: {port: many}\nlog: {level: loud}\n")
    const config = await run(["server", "-local", "-configdir", broken])
    assert.strictEqual(config.code, 78)
    assert.match(config.stderr, /service\.port: .*\n.*log\.level: /)
    for (const command of ["server", "operator", "doctor", "images"]) {
      const absent = await run([command, "-configdir", join(folder, "absent")])
      assert.strictEqual(absent.code, 78, command)
      assert.match(absent.stderr, /does not exist/, command)
    }
  })
  it("a definition file that is not usable stops the start with file, line and reason", async () => {
    const config = join(folder, "bad-provider")
    mkdirSync(join(config, "providers"), { recursive: true })
    writeFileSync(
      join(config, "providers", "p.yaml"),
      "id: p\nname: p\nruntime: {local: {command: x}}\nbenchmarks:\n  - {name: no id}\n"
    )
    const { code, stderr } = await run(["server", "-local", "-configdir", config])
    assert.strictEqual(code, 78)
    assert.match(stderr, /p\.yaml:5:\d+: error L001 \/benchmarks\/0\/id/)
  })
  it("without a cluster it still listens; guarded routes answer 503 and the log names -local", async () => {
    const server = await listen(["server"], { PORT: "0", TMPDIR: folder, HOME: folder })
    started.push(server)
    const port = new URL(server.url).port
    assert.strictEqual((await fetch(`http://127.0.0.1:${port}/api/v1/health`)).status, 200)
    const refused = await fetch(`http://127.0.0.1:${port}/api/v1/evaluations/jobs`, {
      headers: { authorization: "Bearer t", "x-tenant": "t" }
    })
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(((await refused.json()) as { readonly message_code: string }).message_code, "review_unavailable")
    const named = await run(["server"], { PORT: "0", TMPDIR: folder, KUBECONFIG: join(folder, "none") })
    assert.strictEqual(named.code, 78)
    assert.match(named.stderr, /none/)
  })
})
