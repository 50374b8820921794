/** Callers that ask for large pages of samples and do not read them: the server keeps next to nothing of what they asked for, and serves others. */
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, it } from "vitest"
import { type ServiceHost, serviceHost } from "../support/service-host.ts"

let host: ServiceHost

beforeAll(async () => {
  // with a small heap garbage is not mistaken for what is kept
  host = await serviceHost({ env: { NODE_OPTIONS: "--max-old-space-size=128 --max-semi-space-size=4" } })
})
afterAll(() => host.stop())

const megabytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) / 1024

const count = 60
/** three texts as long as they may be: 45 MB of records in all */
const text = "The quick brown fox. ".repeat(12_000)
const record = (index: number) => ({
  ...{ v: 1, sample_id: `t:${index}`, task: "t", index, repeat: 0, verdict: "correct", score: 1 },
  ...{ prompt: text, response: text, reasoning: `${text}${index}` }
})

const uploaded = async (): Promise<string> => {
  const provider = await host.defineByApi({
    name: "idle",
    runtime: { local: { command: "exec sleep 600" } },
    benchmarks: [{ id: "idle", name: "Idle", category: "general", metrics: ["acc"], primary_score: { metric: "acc" } }]
  })
  const { json } = await host.expected(202, "POST", "jobs", {
    name: "unread",
    model: { url: "http://127.0.0.1:9/v1", name: "m" },
    benchmarks: [{ id: "idle", provider_id: provider }]
  })
  const path = `jobs/${(json as { readonly resource: { readonly id: string } }).resource.id}`
  for (let start = 0; start < count; start += 4) {
    const lines = [0, 1, 2, 3].map((at) => JSON.stringify(record(start + at)))
    const answer = await fetch(`${host.url}/api/v1/evaluations/${path}/benchmarks/0/samples`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines.join("\n")
    })
    assert.strictEqual(answer.status, 200, await answer.text())
  }
  return path
}

/** asks three times in a row and takes what fits into its buffers, until it is destroyed; resolves with the first bytes of the answer */
const unread = (target: string, accept: string) =>
  new Promise<Socket>((resolve, reject) => {
    const { hostname, port } = new URL(host.url)
    const socket = connect(Number(port), hostname)
    const request = `GET /api/v1/evaluations/${target} HTTP/1.1\r\nhost: ${hostname}\r\naccept: ${accept}\r\n\r\n`
    socket.once("connect", () => socket.write(request.repeat(3)))
    socket.once("readable", () => resolve(socket))
    socket.once("error", reject)
  })

it("pages and streams of 45 MB that forty callers do not read stay where they are stored, and others are served meanwhile", async () => {
  const path = await uploaded()
  const before = megabytes()
  const callers = await Promise.all(
    Array.from({ length: 40 }, (_, caller) =>
      caller % 2 === 0
        ? unread(`${path}/samples?content=true&limit=100`, "application/json")
        : unread(`${path}/samples`, "application/x-ndjson")
    )
  )
  let most = 0
  for (let turn = 0; turn < 40; turn++) {
    const { json } = await host.expected(200, "GET", `${path}/benchmarks/0/samples/t:${turn}`)
    assert.strictEqual((json as { readonly index: number }).index, turn)
    most = Math.max(most, megabytes())
  }
  for (const caller of callers) caller.destroy()
  // a few records each at most, where what they asked for is 45 MB three times
  assert.isBelow(most - before, 300, `${before} MB before`)
  assert.strictEqual((await host.expected(200, "GET", `${path}/samples`)).status, 200)
})
