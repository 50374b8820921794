import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { providerFile, writeDefinitions } from "../../support/definition-folder.ts"
import { listen, type Running, until } from "../../support/evald-process.ts"

let folder = ""
let model: Running
let server: Running

const read = async (path: string) =>
  (await fetch(`${server.url}/api/v1/evaluations${path}`)).json() as Promise<Record<string, unknown>>
const status = async (path: string) => (await fetch(`${server.url}/api/v1/evaluations${path}`)).status
const metrics = async () => (await fetch(`${server.url}/metrics`)).text()
const loadedAt = (text: string) => Number(/evald_catalog_loaded_timestamp_seconds ([\d.]+)/.exec(text)?.[1])
const stateOf = async (id: string) => (await read(`/jobs/${id}`))["status"] as { readonly state: string }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-e2e-"))
  const shipped = readFileSync("config/providers/evald.yaml", "utf8")
  writeDefinitions(folder, {
    "config/config.yaml": "catalog: {shipped: false}\n",
    "config/providers/evald.yaml": shipped,
    "config/providers/p.yaml": providerFile("p")
  })
  model = await listen(["demo-model", "--port", "0", "--ttft-ms", "50"])
  server = await listen(["server", "-local", "-configdir", join(folder, "config")], { PORT: "0", TMPDIR: folder })
})
afterAll(async () => {
  await server.stop("SIGKILL")
  await model.stop("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

describe("definition files of a running server", () => {
  it("are followed without a restart, on SIGHUP at once, while a job of a removed provider runs to its end", async () => {
    const submitted = await fetch(`${server.url}/api/v1/evaluations/jobs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        name: "during a reload",
        model: { url: model.url, name: "evald-demo" },
        benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 60, num_concurrent: 1 } }]
      })
    })
    const { resource } = (await submitted.json()) as { readonly resource: { readonly id: string } }
    await until(
      () => stateOf(resource.id),
      ({ state }) => state === "running"
    )
    writeDefinitions(folder, {
      "config/providers/p.yaml": providerFile("p", { title: "edited" }),
      "config/providers/evald.yaml": undefined
    })
    await until(
      () => status("/providers/evald"),
      (code) => code === 404,
      15_000
    )
    assert.strictEqual((await read("/providers/p"))["title"], "edited")
    assert.strictEqual((await stateOf(resource.id)).state, "running")

    writeDefinitions(folder, { "config/providers/p.yaml": "id: p\nname: [" })
    process.kill(server.pid, "SIGHUP")
    await until(metrics, (text) => text.includes('evald_catalog_reload_total{result="refused"} 1'), 15_000)
    assert.strictEqual((await read("/providers/p"))["title"], "edited")
    const before = loadedAt(await metrics())

    writeDefinitions(folder, { "config/providers/p.yaml": providerFile("p", { title: "repaired" }) })
    process.kill(server.pid, "SIGHUP")
    await until(
      () => read("/providers/p"),
      ({ title }) => title === "repaired",
      15_000
    )
    await until(metrics, (text) => loadedAt(text) > before, 15_000)

    const job = await until(
      () => stateOf(resource.id),
      ({ state }) => state !== "pending" && state !== "running"
    )
    assert.strictEqual(job.state, "completed")
  })
})
