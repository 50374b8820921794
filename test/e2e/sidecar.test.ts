import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer as createHttpServer, request as openRequest } from "node:http"
import { promisify } from "node:util"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { afterEach, assert, describe, it } from "vitest"
import { backingObjects } from "../../infrastructure/kubernetes/unit/backing-objects.ts"
import { readMailbox } from "../../providers/contract/mailbox.ts"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { clusterOptions, clusterUnit } from "../support/cluster-units.ts"
import { listen, run } from "../support/evald-process.ts"
import { freePort } from "../support/free-port.ts"
import { bodyOf, serve } from "../support/loopback-server.ts"
import { configOf, eventsPath, makeScope, type Overrides, type Place } from "../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const writeConfig = (place: Place, overrides: Overrides, rest: Partial<SidecarConfig> = {}) =>
  place.file("sidecar.json", JSON.stringify({ ...configOf(place, overrides), ...rest }))
const args = (place: Place) => [
  "sidecar",
  "--config",
  place.path("sidecar.json"),
  "--termination-log",
  place.path("termination-log")
]
const started = async (place: Place, overrides: Overrides, rest: Partial<SidecarConfig> = {}) => {
  writeConfig(place, overrides, rest)
  const running = await listen(args(place))
  await scope.keep({ close: () => running.stop("SIGKILL") })
  return running
}
const event = (status: string, extra: object = {}) =>
  JSON.stringify({ benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status, ...extra } })
/** the event of a body that the server received; the sidecar must have written beside it what it saw of the model's traffic */
const eventOf = (body: string): string => {
  const {
    wire_counts: counts,
    wire_spent: spent,
    ...event
  } = JSON.parse(body) as {
    readonly wire_counts?: { readonly requests?: unknown }
    readonly wire_spent?: { readonly sent?: unknown }
  }
  assert.deepStrictEqual([counts?.requests, spent?.sent], [0, 0], body)
  return JSON.stringify(event)
}
const post = (url: string, body: string) => fetch(`${url}${eventsPath}`, { method: "POST", body })
const last = (place: Place) => readMailbox(readFileSync(place.path("termination-log"), "utf8"))

/** every file of the build that the entry reaches by a static import */
const reached = (entry: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(entry)) return seen
  seen.add(entry)
  for (const [, next] of readFileSync(`dist/${entry}`, "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
    if (next !== undefined) reached(next, seen)
  return seen
}

describe("the sidecar's bundle", () => {
  it("carries no database driver, no Kubernetes client and no framework runtime, and stays small: one runs in every pod", () => {
    const texts = [...reached("sidecar.mjs")].map((name) => readFileSync(`dist/${name}`, "utf8"))
    for (const foreign of ["better-sqlite3", "pg-pool", "kubeconfig", "SqlClient"])
      assert.isFalse(
        texts.some((text) => text.includes(foreign)),
        foreign
      )
    assert.isBelow(
      texts.reduce((sum, text) => sum + text.length, 0),
      400_000
    )
  })
})

describe("evald sidecar", () => {
  it("delivers, and ends with 0", async () => {
    const place = scope.place()
    const received: Array<string> = []
    const server = await scope.keep(
      serve(async (request, response) => {
        received.push((await bodyOf(request)).toString())
        response.end("{}")
      })
    )
    const running = await started(place, { server: { base_url: server.url } })
    assert.strictEqual((await post(running.url, event("completed"))).status, 200)
    assert.strictEqual(await running.stop("SIGTERM"), 0)
    assert.deepStrictEqual(received.map(eventOf), [event("completed")])
  })

  it("case 48: a kill between writing and sending loses nothing: the next process sends it", async () => {
    const place = scope.place()
    let arrived: (text: string) => void = () => {}
    let hold = true
    const next = () =>
      new Promise<string>((resolve) => {
        arrived = resolve
      })
    const server = await scope.keep(
      serve(async (request, response) => {
        const text = (await bodyOf(request)).toString()
        if (!hold) response.end("{}")
        arrived(text)
      })
    )
    const first = await started(place, { server: { base_url: server.url } })
    const sent = next()
    const answer = post(first.url, event("completed", { metrics: { acc: 1 } })).catch(() => undefined)
    await sent
    await first.stop("SIGKILL")
    await answer
    hold = false
    const again = next()
    const second = await started(place, { server: { base_url: server.url } })
    assert.strictEqual(eventOf(await again), event("completed", { metrics: { acc: 1 } }))
    assert.strictEqual(await second.stop("SIGTERM"), 0)
  })

  it("a foreign adapter asks the model at /health, where the settings move it below a path", async () => {
    const place = scope.place()
    const asked: Array<string> = []
    const model = await scope.keep(
      serve(async (request, response) => {
        await bodyOf(request)
        asked.push(`${request.method} ${request.url}`)
        const answer = { status: "warm", choices: [{ message: { content: "51" }, finish_reason: "stop" }] }
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      })
    )
    const events: Array<string> = []
    const server = await scope.keep(
      serve(async (request, response) => {
        events.push((await bodyOf(request)).toString())
        response.end("{}")
      })
    )
    const settings = clusterOptions({ model: { ...clusterOptions().model, prefix: "/m" } })
    const unit = clusterUnit({ request: { model: { url: model.url, name: "m" } } })
    const { documents } = backingObjects(unit, settings, undefined)
    const { identity, model: pod } = JSON.parse(documents["sidecar.json"]) as SidecarConfig
    const { sa_token_path: _, ...told } = pod
    const running = await started(place, { server: { base_url: server.url }, identity, model: told })
    place.file("job.json", documents["job.json"].replaceAll("http://localhost:8080", running.url))
    const adapter = `
import { readFileSync } from "node:fs"
const job = JSON.parse(readFileSync(process.argv[2], "utf8"))
const { provider_id, benchmark_id: id, benchmark_index } = job
const { status } = await (await fetch(job.model.url + "/health")).json()
const headers = { "content-type": "application/json" }
const question = JSON.stringify({ model: job.model.name, messages: [{ role: "user", content: "?" }] })
const answer = await fetch(job.model.url + "/v1/chat/completions", { method: "POST", headers, body: question })
const metrics = { exact_match: (await answer.json()).choices[0].message.content === "51" && status === "warm" ? 1 : 0 }
const event = { provider_id, id, benchmark_index, status: "completed", metrics }
const path = "/api/v1/evaluations/jobs/" + job.id + "/events"
await fetch(job.callback_url + path, { method: "POST", headers, body: JSON.stringify({ benchmark_status_event: event }) })
`
    const ended = await promisify(execFile)(process.execPath, [
      place.file("adapter.mjs", adapter),
      place.path("job.json")
    ])
    assert.strictEqual(ended.stderr, "")
    assert.deepStrictEqual(asked, ["GET /health", "POST /v1/chat/completions"])
    assert.strictEqual(await running.stop("SIGTERM"), 0)
    assert.nestedInclude(JSON.parse(events[0] ?? "{}"), {
      "benchmark_status_event.metrics.exact_match": 1,
      "wire_counts.questions": 1
    })
  })

  it("reads packed answers, with what it loads for the first of them", async () => {
    const place = scope.place()
    const text = JSON.stringify({
      model: "m-1",
      choices: [{ message: { content: "" }, finish_reason: "length" }],
      usage: { prompt_tokens: 12, completion_tokens: 34 }
    })
    const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
    const model = await scope.keep(
      serve(async (request, response) => {
        const { encoding } = JSON.parse((await bodyOf(request)).toString()) as {
          readonly encoding: keyof typeof packers
        }
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": encoding })
          .end(packers[encoding](text))
      })
    )
    const events: Array<string> = []
    const server = await scope.keep(
      serve(async (request, response) => {
        events.push((await bodyOf(request)).toString())
        response.end("{}")
      })
    )
    const running = await started(place, { server: { base_url: server.url }, model: { url: model.url } })
    for (const encoding of Object.keys(packers)) {
      const body = JSON.stringify({ model: "m", encoding, messages: [{ role: "user", content: `in ${encoding}` }] })
      const headers = { "content-type": "application/json" }
      const answer = await fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers, body })
      assert.strictEqual(await answer.text(), text, encoding)
    }
    assert.strictEqual((await post(running.url, event("completed"))).status, 200)
    assert.strictEqual(await running.stop("SIGTERM"), 0)
    const { wire_counts: counts, wire_spent: spent } = JSON.parse(events[0] ?? "") as Record<
      string,
      Readonly<Record<string, unknown>>
    >
    assert.deepStrictEqual(
      [counts?.["questions"], counts?.["answers"], counts?.["unread"], counts?.["cut"], spent?.["outputTokens"]],
      [3, 3, 0, 3, 102],
      events[0]
    )
  })

  it("a signal that comes while it starts ends it in order (it was killed by it, and told nobody what was left)", async () => {
    const place = scope.place()
    writeConfig(place, {})
    const early = `const write = process.stdout.write
process.stdout.write = (text, ...rest) => {
  if (String(text).includes("the sidecar listens")) process.kill(process.pid, "SIGTERM")
  return write.call(process.stdout, text, ...rest)
}`
    const { code, stdout } = await run(args(place), {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(early)}`
    })
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /"the sidecar stops","reason":"SIGTERM"/)
  })

  it("case 49: a terminal event that cannot be delivered is mailed in the termination message", async () => {
    const place = scope.place()
    const running = await started(place, { timeouts: { event_wait_ms: 20 } }, { grace_seconds: 10 })
    assert.strictEqual((await post(running.url, event("running"))).status, 202)
    assert.strictEqual(
      (await post(running.url, event("failed", { error_message: { message: "m", message_code: "c" } }))).status,
      202
    )
    assert.strictEqual(await running.stop("SIGTERM"), 0)
    assert.deepStrictEqual(last(place), {
      unsent: 2,
      cut: false,
      terminal: {
        id: "b",
        provider_id: "p",
        benchmark_index: 0,
        status: "failed",
        error_message: { message: "m", message_code: "c" }
      }
    })
  })

  it("case 49: lost progress ends with 2", async () => {
    const place = scope.place()
    const running = await started(place, { timeouts: { event_wait_ms: 20 } }, { grace_seconds: 10 })
    assert.strictEqual((await post(running.url, event("running"))).status, 202)
    assert.strictEqual(await running.stop("SIGTERM"), 2)
    assert.deepStrictEqual(last(place), { unsent: 1, cut: false })
  })

  it("names what is wrong with its configuration, on standard error and in the termination message", async () => {
    const place = scope.place()
    const missing = await run(args(place))
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr, /cannot be read: ENOENT/)
    writeConfig(place, {}, { version: 2 as 1 })
    const wrong = await run(args(place))
    assert.strictEqual(wrong.code, 1)
    assert.match(readFileSync(place.path("termination-log"), "utf8"), /version: must be one of 1/)
    writeConfig(place, { egress: { deny_cidrs: ["10/8"] } })
    const unusable = await run(args(place))
    assert.strictEqual(unusable.code, 1)
    assert.match(unusable.stderr, /egress\.deny_cidrs '10\/8'/)
    assert.strictEqual((await run(["sidecar", "--nonsense"])).code, 64)
  })

  it("a port that is taken ends the start", async () => {
    const place = scope.place()
    const other = await scope.keep(serve(() => {}))
    writeConfig(place, {}, { listen: { port: other.port, health_port: 0 } })
    const ended = await run(args(place))
    assert.strictEqual(ended.code, 1)
    assert.match(ended.stderr, /EADDRINUSE/)
  })

  it("--wait returns once the sidecar is ready, and gives up when it is not", async () => {
    const place = scope.place()
    const health_port = await freePort()
    writeConfig(place, {}, { listen: { port: 0, health_port } })
    assert.strictEqual((await run([...args(place), "--wait", "1"])).code, 1)
    const waiting = run([...args(place), "--wait", "30"])
    await started(place, {}, { listen: { port: 0, health_port } })
    assert.strictEqual((await waiting).code, 0)
  })

  it("case 39: 256 MB through it and back (for the contract's 1 GB): its memory grows by less than 20 MB", async () => {
    const place = scope.place()
    const model = await scope.keep(serve((request, response) => void request.pipe(response)))
    const running = await started(place, { model: { url: model.url } })
    const megabytes = () =>
      (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, "utf8"))?.[1]) * 1024) / 1e6
    const block = Buffer.alloc(65_536, "x")
    const through = (blocks: number) =>
      new Promise<number>((resolve, reject) => {
        let came = 0
        const request = openRequest(`${running.url}/v1`, { method: "POST", agent: false }, (response) => {
          response.on("data", (chunk: Buffer) => {
            came += chunk.length
          })
          response.once("end", () => resolve(came))
        })
        request.once("error", reject)
        let left = blocks
        const pump = () => {
          while (left > 0) {
            left -= 1
            if (!request.write(block)) return void request.once("drain", pump)
          }
          request.end()
        }
        pump()
      })
    await through(1_000)
    const before = megabytes()
    assert.strictEqual(await through(4_000), 4_000 * block.length)
    assert.isBelow(megabytes() - before, 20)
  })

  it.each<readonly [what: string, samples: number, code: number, cut: boolean]>([
    ["3 KB", 60, 0, false],
    ["30 KB, packed", 600, 0, false],
    ["300 KB, without its metrics: the result is lost, and said so", 20_000, 2, true]
  ])("case 49: a result of %s that never gets through", async (what, samples, code, cut) => {
    const place = scope.place()
    const running = await started(place, { timeouts: { event_wait_ms: 20 } }, { grace_seconds: 10 })
    const value = (index: number) => (what.startsWith("300") ? Math.sin(index) : 0.25)
    const metrics = Object.fromEntries(
      Array.from({ length: samples }, (_, index) => [
        `suite/subject_of_the_task_number_${index}/accuracy`,
        value(index)
      ])
    )
    assert.strictEqual((await post(running.url, event("completed", { metrics }))).status, 202)
    assert.strictEqual(await running.stop("SIGTERM"), code)
    const mailed = last(place)
    assert.strictEqual(mailed?.cut, cut)
    assert.include(mailed?.terminal, { status: "completed", benchmark_index: 0 })
    assert.deepStrictEqual((mailed?.terminal as { metrics?: object } | undefined)?.metrics, cut ? undefined : metrics)
  })

  it("case 49: a server that comes back while the sidecar ends gets the result (1 s for 60)", async () => {
    const place = scope.place()
    const port = await freePort()
    const running = await started(
      place,
      { server: { base_url: `http://127.0.0.1:${port}` }, timeouts: { event_wait_ms: 20 } },
      { grace_seconds: 40 }
    )
    assert.strictEqual((await post(running.url, event("completed"))).status, 202)
    const stopped = running.stop("SIGTERM")
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const received: Array<string> = []
    const server = createHttpServer(async (request, response) => {
      received.push((await bodyOf(request)).toString())
      response.end("{}")
    })
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    assert.strictEqual(await stopped, 0)
    server.close()
    assert.deepStrictEqual(received.map(eventOf), [event("completed")])
  })
})
