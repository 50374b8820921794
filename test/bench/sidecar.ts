/** P10 added latency, rate and memory of the sidecar, beside a direct connection and a bare node proxy; P12 its start. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, get } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Call, closedLoop, type Figures, makeClient, median, openLoop, wait } from "./load.ts"
import { atLeast, atMost, type Measure } from "./measure.ts"
import { newFolder, tied } from "./workspace.ts"

const rounds = 7
const rate = 200
const connections = 16
const answer = JSON.stringify({ choices: [{ message: { content: "x".repeat(500) } }] })
const call: Call = {
  method: "POST",
  path: "/v1/chat/completions",
  headers: { authorization: "Bearer api-key:ref" },
  body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "y".repeat(300) }] })
}

/** the least a proxy in node can do, for comparison */
const bareProxy = (target: number) => `
import { Agent, createServer, request } from "node:http"
const agent = new Agent({ keepAlive: true })
const server = createServer((ask, reply) => {
  const up = request({ host: "127.0.0.1", port: ${target}, path: ask.url, method: ask.method, headers: ask.headers, agent }, (got) => {
    reply.writeHead(got.statusCode, got.headers)
    got.pipe(reply)
  })
  ask.pipe(up)
}).listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

interface Peer {
  readonly child: ChildProcess
  readonly url: string
  readonly healthPort: number
}

const started = (args: ReadonlyArray<string>): Promise<Peer> =>
  new Promise((resolve, reject) => {
    const child = tied(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }))
    child.once("exit", (code) => reject(new Error(`${args.join(" ").slice(0, 80)} ended with ${code}`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
      if (url !== undefined) resolve({ child, url, healthPort: Number(/"health_port":(\d+)/.exec(line)?.[1] ?? 0) })
    })
  })

const ended = ({ child }: Peer): Promise<void> =>
  new Promise((resolve) => {
    child.removeAllListeners("exit")
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
  })

const rssMegabytes = ({ child }: Peer): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? Number.NaN) * 1024) / 1e6

/** processor seconds used so far; a clock tick is 10 ms on Linux */
const processorSeconds = ({ child }: Peer): number => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const healthy = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/health" }, (response) => {
      response.resume()
      response.once("end", () => resolve())
    }).once("error", reject)
  })

/** milliseconds by which the first chunk of a stream is later than through a direct connection */
const firstChunk = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begin = performance.now()
    get(`${url}/stream`, (response) => {
      response.once("data", () => {
        resolve(performance.now() - begin)
        response.destroy()
      })
    }).once("error", reject)
  })

export const sidecar = async (seconds: number): Promise<ReadonlyArray<Measure>> => {
  const folder = newFolder("sidecar")
  const model = createServer((request, response) => {
    if (request.url === "/stream") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("data: 1\n\n")
      return
    }
    request.resume()
    request.once("end", () => response.setHeader("content-type", "application/json").end(answer))
  })
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve))
  const { port } = model.address() as AddressInfo
  mkdirSync(join(folder, "secret"))
  writeFileSync(join(folder, "secret", "api-key"), "sk-bench\n")
  const config = join(folder, "sidecar.json")
  writeFileSync(
    config,
    JSON.stringify({
      version: 1,
      mode: "native",
      listen: { port: 0, health_port: 0 },
      grace_seconds: 10,
      log_level: "info",
      identity: { job_id: "j", benchmark_index: 0, attempt: 1, provider_id: "p", benchmark_id: "b", tenant: "t" },
      server: { base_url: "http://127.0.0.1:9", token_path: join(folder, "none"), ca_path: join(folder, "none") },
      model: {
        url: `http://127.0.0.1:${port}/v1`,
        secret_dir: join(folder, "secret"),
        sa_token_path: join(folder, "none"),
        sa_token_injection: "always",
        sa_token_hosts: [],
        ref_headers: []
      },
      egress: { deny_cidrs: [], allow_cidrs: ["127.0.0.1/32"], allow_hosts: [], require_tls_for_credentials: false },
      timeouts: { connect_ms: 10_000, idle_ms: 900_000, event_wait_ms: 5_000 },
      spool: { dir: join(folder, "data/spool"), max_files: 100, max_bytes: 1_000_000 }
    })
  )
  const args = ["dist/evald.mjs", "sidecar", "--config", config]

  const starts: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now()
    const peer = await started(args)
    await healthy(peer.healthPort)
    starts.push(performance.now() - begin)
    await ended(peer)
  }

  const subject = await started(args)
  const bare = await started(["--input-type=module", "-e", bareProxy(port)])
  await wait(1000)
  const idle = rssMegabytes(subject)
  const ways = [`http://127.0.0.1:${port}`, bare.url, subject.url]
  const measured = async (run: (url: string) => Promise<Figures>): Promise<ReadonlyArray<Figures>> => {
    const all: Array<Figures> = []
    for (const url of ways) all.push(await run(url))
    return all
  }
  const through = (run: (client: ReturnType<typeof makeClient>) => Promise<Figures>) => async (url: string) => {
    const client = makeClient(url, 64)
    const figures = await run(client)
    client.close()
    return figures
  }
  const closed = through((client) => closedLoop(client, connections, seconds, () => call))
  await measured(closed)
  // processor time, not wall time: the load and the model share the machine with what is measured
  const perProcessorSecond = async (peer: Peer): Promise<number> => {
    const before = processorSeconds(peer)
    const { perSecond } = await closed(peer.url)
    return (perSecond * seconds) / (processorSeconds(peer) - before)
  }
  const rates = [
    await perProcessorSecond(bare),
    await perProcessorSecond(subject),
    await perProcessorSecond(bare),
    await perProcessorSecond(subject)
  ] as const
  const subjectRate = (rates[1] + rates[3]) / 2
  const latencies: Array<ReadonlyArray<Figures>> = []
  for (let round = 0; round < 5; round++)
    latencies.push(await measured(through((client) => openLoop(client, rate, seconds, () => call))))
  const added = (quantile: "p50" | "p99") =>
    median(
      latencies.map(([direct, , proxied]) => (proxied?.[quantile] ?? Number.NaN) - (direct?.[quantile] ?? Number.NaN))
    )
  const held: Array<number> = []
  for (let round = 0; round < 15; round++)
    held.push((await firstChunk(subject.url)) - (await firstChunk(`http://127.0.0.1:${port}`)))
  const loaded = rssMegabytes(subject)

  await Promise.all([ended(subject), ended(bare)])
  model.closeAllConnections()
  await new Promise<void>((resolve) => model.close(() => resolve()))
  return [
    atMost("P10", "sidecar: added latency p50 at 200 req/s", added("p50"), "ms", 0.4),
    atMost("P10", "sidecar: added latency p99 at 200 req/s", added("p99"), "ms", 4),
    atMost("P10", "sidecar: first streamed byte later than direct, p50", median(held), "ms", 4),
    atLeast("P10", "sidecar: requests per second of processor time", subjectRate, "/s", 5_000),
    atLeast(
      "P10",
      "sidecar: the same as a share of a bare node proxy's",
      (2 * subjectRate) / (rates[0] + rates[2]),
      "",
      0.6
    ),
    atMost("P10", "sidecar: idle memory (RSS)", idle, "MB", 60),
    atMost("P10", "sidecar: memory after the load (RSS)", loaded, "MB", 100),
    atMost("P12", "start of `evald sidecar` to the first 200", median(starts), "ms", 150)
  ]
}
