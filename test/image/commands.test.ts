/** Every entry point of the image at its work, in the image's root file system: user 65532, no privilege, a root that cannot be written. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, describe, inject, it } from "vitest"
import { until } from "../support/evald-process.ts"
import { fakeS3, s3Keys } from "../support/fake-s3.ts"
import { type ImageProcess, type ImageRun, runInImage, startInImage } from "../support/image/image-process.ts"
import { bodyOf, serve } from "../support/loopback-server.ts"
import { configOf, eventsPath, makeScope } from "../support/running-sidecar.ts"

const image = inject("image")
const noNamespaces = inject("noNamespaces")

describe.skipIf("missing" in image || noNamespaces !== undefined)("the image's", () => {
  const { root, made } = "missing" in image ? { root: "", made: undefined } : image
  const scope = makeScope()
  const running: Array<ImageProcess> = []
  const folders: Array<string> = []
  afterEach(async () => {
    for (const { stop } of running.splice(0)) await stop("SIGKILL")
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
    await scope.end()
  })
  const start = (run: Omit<ImageRun, "root">): ImageProcess => {
    const started = startInImage({ root, ...run })
    running.push(started)
    return started
  }
  /** the address in what it says first */
  const listening = async (run: Omit<ImageRun, "root">): Promise<ImageProcess & { readonly url: string }> => {
    const started = start(run)
    const found = async () => /https?:\/\/[\w.[\]:]+\d/.exec(started.output())?.[0]
    const over = started.ended.then(() => "")
    const url = await Promise.race([until(found, (text) => text !== undefined), over])
    if (url === undefined || url === "") throw new Error(`${run.argv.join(" ")} does not listen:\n${started.output()}`)
    return { ...started, url: url.replace("localhost", "127.0.0.1") }
  }
  const demoModel = () => listening({ argv: ["evald", "demo-model", "--port", "0"] })
  /** a folder that the image's user can write, at the same place within */
  const shared = () => {
    const path = mkdtempSync(join(tmpdir(), "evald-shared-"))
    folders.push(path)
    execFileSync("chmod", ["a+rwx", path])
    return { path, mount: { source: path, target: path, readOnly: false } }
  }
  const open = (path: string) => execFileSync("chmod", ["-R", "a+rwX", path])

  it("server runs a job to its end by the image's own adapter, and says the build that the labels say", async () => {
    const model = await demoModel()
    const server = await listening({ argv: ["evald", "server", "-local"], env: { PORT: "0" } })
    const health = (await (await fetch(`${server.url}/api/v1/health`)).json()) as {
      readonly build: string
      readonly git_hash: string
    }
    assert.strictEqual(health.build, made?.version)
    assert.isTrue(made?.revision.startsWith(health.git_hash))
    const api = `${server.url}/api/v1/evaluations/jobs`
    const submitted = await fetch(api, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        name: "image",
        model: { url: `${model.url}/v1`, name: "evald-demo" },
        benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } }]
      })
    })
    assert.strictEqual(submitted.status, 202, await submitted.clone().text())
    const { resource } = (await submitted.json()) as { readonly resource: { readonly id: string } }
    const read = async () =>
      (await (await fetch(`${api}/${resource.id}`)).json()) as { readonly status: { readonly state: string } }
    const ended = await until(read, ({ status }) => !["pending", "running"].includes(status.state), 90_000)
    assert.strictEqual(ended.status.state, "completed", `${JSON.stringify(ended)}\n${server.output()}`)
    assert.strictEqual(await server.stop(), 0)
  })

  it("server keeps a SQLite database in a mounted folder, with the driver compiled for the image's Node.js", async () => {
    const { path, mount } = shared()
    const server = await listening({
      argv: ["evald", "server", "-local"],
      env: { PORT: "0", DB_URL: `file:${path}/evald.db` },
      mounts: [mount]
    })
    const list = await fetch(`${server.url}/api/v1/evaluations/jobs`)
    assert.strictEqual(((await list.json()) as { readonly total_count: number }).total_count, 0)
    assert.strictEqual(await server.stop(), 0)
    assert.strictEqual(
      (
        await runInImage({
          root,
          mounts: [mount],
          env: { DB_URL: `file:${path}/evald.db` },
          argv: ["evald", "db", "check"]
        })
      ).code,
      0
    )
  })

  it("sidecar and adapter evald are a pod together: the adapter's events and its result arrive at the server", async () => {
    const model = await demoModel()
    const events: Array<{ readonly benchmark_status_event: { readonly status: string; readonly metrics?: unknown } }> =
      []
    const server = await scope.keep(
      serve(async (request, response) => {
        const body = (await bodyOf(request)).toString()
        if (request.url === eventsPath) events.push(JSON.parse(body))
        response.setHeader("content-type", "application/json").end("{}")
      })
    )
    const place = scope.place()
    const jobId = eventsPath.split("/").at(-2) ?? ""
    const config = configOf(place, {
      server: { base_url: server.url },
      model: { url: `${model.url}/v1` },
      identity: { provider_id: "evald", benchmark_id: "arith_basic" }
    })
    place.file("sidecar.json", JSON.stringify(config))
    open(place.root)
    const mounts = [{ source: place.root, target: place.root, readOnly: false }]
    const sidecar = await listening({ argv: ["evald", "sidecar", "--config", place.path("sidecar.json")], mounts })
    mkdirSync(place.path("adapter/data"), { recursive: true })
    place.file(
      "adapter/meta/job.json",
      JSON.stringify({
        id: jobId,
        provider_id: "evald",
        benchmark_id: "arith_basic",
        benchmark_index: 0,
        model: { url: sidecar.url, name: "evald-demo" },
        parameters: {},
        num_examples: 4,
        callback_url: sidecar.url,
        output_dir: place.path("adapter/data")
      })
    )
    open(place.path("adapter"))
    const { code, output } = await runInImage({
      root,
      argv: ["evald", "adapter", "evald"],
      env: { EVALD_MODE: "k8s", EVALD_JOB_SPEC_PATH: place.path("adapter/meta/job.json") },
      mounts: [{ source: place.path("adapter"), target: place.path("adapter"), readOnly: false }]
    })
    assert.strictEqual(code, 0, output)
    assert.strictEqual(await sidecar.stop(), 0)
    const last = events.at(-1)?.benchmark_status_event
    assert.strictEqual(last?.status, "completed", JSON.stringify(events))
    assert.isDefined(last?.metrics)
  })

  it("init fetches test data and says how many", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const storage = yield* fakeS3({ bucket: "b", objects: new Map([["data/x", "12345"]]) })
          const { path, mount } = shared()
          mkdirSync(join(path, "secret"))
          mkdirSync(join(path, "test_data"))
          const keys = {
            AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
            AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
            AWS_DEFAULT_REGION: s3Keys.region,
            AWS_S3_ENDPOINT: storage.url
          }
          for (const [name, text] of Object.entries(keys)) writeFileSync(join(path, "secret", name), text)
          writeFileSync(
            join(path, "init.json"),
            JSON.stringify({
              version: 1,
              s3: { bucket: "b", key: "data" },
              secret_dir: join(path, "secret"),
              target: join(path, "test_data"),
              max_bytes: 1000,
              max_objects: 100,
              parallel: 4,
              timeout_seconds: 30,
              egress: {
                deny_cidrs: [],
                allow_cidrs: ["127.0.0.0/8"],
                allow_hosts: [],
                require_tls_for_credentials: false
              }
            })
          )
          open(path)
          const argv = ["evald", "init", "--config", join(path, "init.json"), "--termination-log", join(path, "last")]
          const { code, output } = yield* Effect.promise(() => runInImage({ root, argv, mounts: [mount] }))
          assert.strictEqual(code, 0, output)
          assert.strictEqual(readFileSync(join(path, "test_data", "x"), "utf8"), "12345")
          assert.include(readFileSync(join(path, "last"), "utf8"), '"objects":1')
        })
      )
    )
  })

  it("process is nobody: no capability, no group but the image's, no path to write but /tmp", async () => {
    const look = `const fs = require("node:fs")
      const kept = ["/", "/etc", "/opt/evald", "/usr", "/var/lib/evald", "/tmp"].filter((folder) => { try { fs.writeFileSync(folder + "/x", ""); return true } catch { return false } })
      const status = fs.readFileSync("/proc/self/status", "utf8")
      console.log(JSON.stringify({ kept, user: process.getuid(), group: process.getgid(), capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1], no: /NoNewPrivs:\\s*(\\d)/.exec(status)[1] }))`
    const { output } = await runInImage({ root, network: "own", argv: ["node", "-e", look] })
    assert.deepStrictEqual(JSON.parse(output), {
      kept: ["/tmp"],
      user: 65_532,
      group: 0,
      capabilities: "0000000000000000",
      no: "1"
    })
  })
})
