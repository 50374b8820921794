/**
 * A server and a sidecar under load for an hour (`EVALD_SOAK_MINUTES` scales it): every request is answered as it should be, every job
 * ends in its true state, and memory is flat. Reference: gateway.md, "Streams and limits"; case 53.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running } from "../support/evald-process.ts"
import { configOf } from "../support/running-sidecar.ts"
import { type Answer, type Client, clientOf, steady } from "./load.ts"
import { memoryOf } from "./memory.ts"

const minutes = Number(process.env["EVALD_SOAK_MINUTES"] ?? "60")
const runMillis = minutes * 60_000
/** growth that a collector may leave between two quarters of the run */
const flatMegabytes = 20
const sidecarMegabytes = 100

const jobs = "/api/v1/evaluations/jobs"
const words = 40
const reply = JSON.stringify({ choices: [{ message: { content: "x".repeat(500) } }] })
const question = { model: "m", messages: [{ role: "user", content: "y".repeat(300) }] }

/** ends at once, or lives longer than the run: events come from the test */
const provider = (id: string, command: string) =>
  `id: ${id}\nname: ${id}\nruntime: {local: {command: "${command}"}}\nbenchmarks: [{id: b, name: b}]\n`

interface Places {
  readonly root: string
  readonly model: Server
  readonly server: Running
  readonly sidecar: Running
  readonly toServer: Client
  readonly toSidecar: Client
  readonly longJob: string
}

let places: Places

const idOf = ({ body }: Answer): string =>
  (JSON.parse(body.toString("utf8")) as { readonly resource: { readonly id: string } }).resource.id
const stateOf = ({ body }: Answer): string =>
  (JSON.parse(body.toString("utf8")) as { readonly status: { readonly state: string } }).status.state
const expect = (answer: Answer, status: number, what: string): Answer => {
  if (answer.status !== status)
    throw new Error(`${what}: ${answer.status} instead of ${status}: ${answer.body.toString("utf8").slice(0, 300)}`)
  return answer
}
const jobOf = (providerId: string, model: string) => ({
  name: "soak",
  model: { url: model, name: "m" },
  benchmarks: [{ id: "b", provider_id: providerId }]
})
const event = (providerId: string, more: { readonly [member: string]: unknown }) => ({
  benchmark_status_event: { id: "b", provider_id: providerId, benchmark_index: 0, ...more }
})

/** answers at once, or word by word */
const modelServer = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((asked, answer) => {
      asked.resume()
      asked.once("end", () => {
        if (asked.url?.endsWith("stream") !== true) {
          answer.writeHead(200, { "content-type": "application/json" }).end(reply)
          return
        }
        answer.writeHead(200, { "content-type": "text/event-stream" })
        let sent = 0
        const timer = setInterval(() => {
          sent += 1
          answer.write(`data: ${sent}\n\n`)
          if (sent < words) return
          clearInterval(timer)
          answer.end()
        }, 100)
        answer.once("close", () => clearInterval(timer))
      })
    }).listen(0, "127.0.0.1", () => resolve(server))
  })

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "evald-soak-"))
  const configDir = join(root, "config")
  mkdirSync(join(configDir, "providers"), { recursive: true })
  cpSync("config/auth.yaml", join(configDir, "auth.yaml"))
  writeFileSync(
    join(configDir, "config.yaml"),
    `database: {url: "${join(root, "soak.db")}"}\nlocal: {base_dir: "${join(root, "units")}"}\n`
  )
  writeFileSync(join(configDir, "providers", "short.yaml"), provider("short", "true"))
  writeFileSync(join(configDir, "providers", "long.yaml"), provider("long", "exec sleep 100000"))
  const model = await modelServer()
  const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
  const server = await listen(["server", "-local", "-configdir", configDir], { PORT: "0" })
  const toServer = clientOf(server.url)
  const longJob = idOf(expect(await toServer.send("POST", jobs, jobOf("long", modelUrl)), 202, "POST job"))
  const path = (name: string) => join(root, name)
  for (const name of ["token", "model-token"]) writeFileSync(path(name), "token-of-the-pod")
  mkdirSync(path("data"))
  const place = { root, path, file: path, remove: () => {} }
  const config = configOf(place, {
    identity: { job_id: longJob, provider_id: "long", tenant: "default" },
    server: { base_url: server.url },
    model: { url: modelUrl },
    timeouts: { event_wait_ms: 5000 }
  })
  writeFileSync(path("sidecar.json"), JSON.stringify(config))
  const sidecar = await listen(["sidecar", "--config", path("sidecar.json"), "--termination-log", path("last-words")])
  places = { root, model, server, sidecar, toServer, toSidecar: clientOf(sidecar.url), longJob }
}, 60_000)

afterAll(async () => {
  const { root, model, server, sidecar, toServer, toSidecar } = places
  toSidecar.close()
  await sidecar.stop()
  toServer.close()
  await server.stop()
  await new Promise((resolve) => {
    model.close(resolve)
    model.closeAllConnections()
  })
  rmSync(root, { recursive: true, force: true })
})

describe(`under load for ${minutes} minutes`, () => {
  it("every answer is right, every job ends as reported, and memory is flat", async () => {
    const { server, sidecar, toServer, toSidecar, longJob } = places
    const endsAt = performance.now() + runMillis
    const memory = { server: memoryOf(server.pid), sidecar: memoryOf(sidecar.pid) }
    const sampling = setInterval(() => {
      memory.server.sample()
      memory.sidecar.sample()
    }, runMillis / 120)

    const modelCalls = steady({ perSecond: 150, atOnce: 16, endsAt }, async () => {
      const { body } = expect(await toSidecar.send("POST", "/v1/chat/completions", question), 200, "model call")
      if (body.toString("utf8") !== reply) throw new Error("model call: another answer than the model gave")
    })
    const streams = steady({ perSecond: 5, atOnce: 24, endsAt }, async () => {
      const { body } = expect(await toSidecar.send("POST", "/v1/stream", question), 200, "stream")
      const got = body.toString("utf8").split("data: ").length - 1
      if (got !== words) throw new Error(`stream: ${got} of ${words} words`)
    })
    const progress = steady({ perSecond: 10, atOnce: 1, endsAt }, async (number) => {
      const told = event("long", {
        status: "running",
        phase: "running_evaluation",
        progress: { completed: number, total: 1_000_000 }
      })
      expect(await toSidecar.send("POST", `${jobs}/${longJob}/events`, told), 200, "progress event")
    })
    const evaluations = steady({ perSecond: 4, atOnce: 4, endsAt }, async () => {
      const id = idOf(
        expect(await toServer.send("POST", jobs, jobOf("short", "http://127.0.0.1:9/v1")), 202, "POST job")
      )
      const job = `${jobs}/${id}`
      expect(await toServer.send("POST", `${job}/events`, event("short", { status: "running" })), 200, "running event")
      expect(await toServer.send("GET", `${jobs}?limit=50`), 200, "GET jobs")
      expect(
        await toServer.send(
          "POST",
          `${job}/events`,
          event("short", { status: "completed", metrics: { accuracy: 0.5 } })
        ),
        200,
        "completed event"
      )
      const state = stateOf(expect(await toServer.send("GET", job), 200, "GET job"))
      if (state !== "completed") throw new Error(`job ${id} is ${state}`)
      expect(await toServer.send("DELETE", `${job}?hard_delete=true`), 204, "DELETE job")
    })

    const loads = { modelCalls, streams, progress, evaluations }
    const results = Object.entries(loads).map(async ([name, load]) => ({ name, ...(await load) }))
    const ended = await Promise.all(results)
    clearInterval(sampling)
    const figures = Object.entries(memory).map(([name, series]) => ({ name, ...series.quarters() }))
    process.stdout.write(
      `${ended.map(({ name, done, problems }) => `soak: ${name} ${done} done, ${problems.length} problems`).join("\n")}\n${figures
        .map(
          ({ name, early, late, most }) =>
            `soak: ${name} memory ${early.toFixed(1)} MB early, ${late.toFixed(1)} MB late, ${most.toFixed(1)} MB at most`
        )
        .join("\n")}\n`
    )
    for (const { name, done, problems } of ended) {
      assert.deepStrictEqual(problems.slice(0, 5), [], name)
      assert.isAbove(done, minutes, name)
    }
    for (const { name, early, late } of figures)
      assert.isAtMost(late - early, flatMegabytes, `memory of the ${name} grows`)
    assert.isAtMost(memory.sidecar.quarters().most, sidecarMegabytes, "memory of the sidecar")
    expect(
      await toSidecar.send(
        "POST",
        `${jobs}/${longJob}/events`,
        event("long", { status: "completed", metrics: { accuracy: 1 } })
      ),
      200,
      "the last event"
    )
    assert.strictEqual(stateOf(expect(await toServer.send("GET", `${jobs}/${longJob}`), 200, "GET job")), "completed")
  })
})
