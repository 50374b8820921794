/** The public Python package of the API, unmodified: an adapter written on it, its client, its command line. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ForeignHost, foreignHost, sumsProvider } from "../../support/foreign-adapter.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"

const venv = await peerVenv(peerEnvironments.pythonSdk)
const bin = venv._tag === "Ready" ? venv.bin : ""
const provider = "sdk_sums"

let host: ForeignHost

/** a program of the package, with a home of its own so that nobody's profile is read; throws with both outputs when it fails */
const python = async (program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const home = join(host.folder, "home")
  mkdirSync(home, { recursive: true })
  const { stdout } = await promisify(execFile)(join(bin, program), args, {
    env: { PATH: process.env["PATH"], HOME: home, EVALHUB_BASE_URL: host.url, NO_COLOR: "1" },
    timeout: 120_000,
    encoding: "utf8"
  })
  return stdout
}
const evalhub = (...args: ReadonlyArray<string>) => python("evalhub", ...args)

/** a body in a file, as the command line wants it */
const file = (name: string, body: object): string => {
  const path = join(host.folder, name)
  writeFileSync(path, JSON.stringify(body))
  return path
}

beforeAll(async () => {
  if (venv._tag !== "Ready") return
  host = await foreignHost()
  await host.defineByFile(
    provider,
    sumsProvider(`${join(bin, "python")} ${resolve("docs/examples/adapters/sdk_adapter.py")}`)
  )
})
afterAll(() => host?.stop())

describe.runIf(venv._tag === "Ready")("eval-hub-sdk 1.0.6 from PyPI", { timeout: 300_000 }, () => {
  it("an adapter on it reports its results, its environment and its failure", async () => {
    const job = await host.evaluate(provider)
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    assert.strictEqual(result?.metrics["exact_match"], 1)
    assert.strictEqual(result?.additional_info?.["sums"], 4)
    assert.property(result?.artifacts, "evalhub.env_card")
    const [refused] = (await host.evaluate(provider, {}, false)).status.benchmarks
    assert.deepInclude(refused, { status: "failed" })
    assert.strictEqual(refused?.error_message?.message_code, "evaluation_failed")
    assert.include(refused?.error_message?.message, "401")
  })
  it("its client lists, submits, waits, reads, cancels and manages definitions", async () => {
    const seen = JSON.parse(
      await python("python", resolve("test/peers/python-sdk/client_session.py"), host.url, host.modelUrl, provider)
    )
    assert.deepStrictEqual(seen, {
      health: "healthy",
      providers: [provider],
      title: "Sums by an adapter of one file",
      math: ["sums"],
      patched: "Mine",
      replaced: ["mine again", ""],
      deleted: true,
      "first answer": ["pending", ["pending", "pending"]],
      done: ["completed", ["completed", "completed"], [{ exact_match: 1 }, { exact_match: 1 }]],
      log: seen.log,
      listed: true,
      "cancel of a finished job": true,
      "hard delete": true,
      "get of a deleted job": 404,
      "cancel of a deleted job": "JobNotFoundError",
      collection: ["two sums", [2]],
      "collection patched": "renamed",
      "collection replaced": "replaced",
      "by collection": "completed",
      collections: [],
      cancelled: [true, "cancelled", ["cancelled"]]
    })
    assert.match(seen.log, /3\/3: \d+ \+ \d+, answered \d+/)
  })
  it("its command line does the same", async () => {
    assert.include(await evalhub("health"), "healthy")
    assert.include(await evalhub("providers", "list"), provider)
    const body = {
      name: "from the command line",
      model: { url: host.modelUrl, name: "evald-demo", auth: { secret_ref: "model-key" } },
      benchmarks: [{ id: "sums", provider_id: provider, parameters: { num_examples: 3 } }]
    }
    await evalhub(
      "eval",
      "run",
      "--config",
      file("job.json", body),
      "--wait",
      "--poll-interval",
      "0.2",
      "--timeout",
      "60"
    )
    const jobs = JSON.parse(await evalhub("eval", "status", "--format", "json"))
    const { id } = jobs.find((job: { readonly name: string }) => job.name === body.name) ?? {}
    assert.isString(id, JSON.stringify(jobs))
    assert.include(await evalhub("eval", "results", id), "exact_match")
    assert.match(await evalhub("eval", "logs", id, "--benchmark-index", "0", "--timestamps"), /3\/3: /)
    assert.match(
      await evalhub(
        "eval",
        "run",
        "--config",
        file("job.json", body),
        "--watch",
        "--poll-interval",
        "0.2",
        "--timeout",
        "60"
      ),
      /3\/3: /
    )

    const slow = {
      ...body,
      name: "slow",
      benchmarks: [{ id: "sums", provider_id: provider, parameters: { num_examples: 100_000 } }]
    }
    await evalhub("eval", "run", "--config", file("slow.json", slow))
    const running = JSON.parse(await evalhub("eval", "status", "--format", "json")).find(
      (job: { readonly name: string }) => job.name === "slow"
    )
    await evalhub("eval", "cancel", running.id, "--yes")
    assert.include(await evalhub("eval", "status", running.id), "cancelled")
    await evalhub("eval", "cancel", running.id, "--hard-delete", "--yes")

    const collection = { name: "cli collection", category: "math", benchmarks: [{ id: "sums", provider_id: provider }] }
    await evalhub("collections", "create", "--file", file("collection.json", collection))
    const list = JSON.parse(await evalhub("collections", "list", "--format", "json"))
    const own = list.find((one: { readonly name: string }) => one.name === collection.name)
    const collectionId = own?.id ?? own?.resource?.id
    assert.isString(collectionId, JSON.stringify(list))
    await evalhub("collections", "patch", collectionId, "--file", file("patch.json", { name: "patched collection" }))
    assert.include(await evalhub("collections", "describe", collectionId), "patched collection")
    await evalhub(
      "collections",
      "update",
      collectionId,
      "--file",
      file("update.json", { ...collection, name: "updated collection" })
    )
    assert.include(await evalhub("collections", "list"), "updated collection")
    await evalhub("collections", "delete", collectionId, "--yes")
    assert.notInclude(await evalhub("collections", "list"), collectionId)
  })
  it("its command line shows the server's sentence when something is refused", async () => {
    const refused = await evalhub("eval", "status", "00000000-0000-7000-8000-000000000000").then(
      (stdout) => ({ stdout, stderr: "", code: 0 }),
      (error: { readonly stdout: string; readonly stderr: string; readonly code: number }) => error
    )
    assert.strictEqual(refused.code, 1)
    assert.match(`${refused.stdout}${refused.stderr}`, /not found|was not found|does not exist/i)
    assert.notInclude(`${refused.stdout}${refused.stderr}`, "Traceback")
  })
})
