/** What a person waits for before a command says its first word. */
import { spawn, spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { freePort } from "../support/free-port.ts"

const millis = (args: ReadonlyArray<string>): number => {
  const started = performance.now()
  spawnSync(process.execPath, args, { stdio: "ignore" })
  return performance.now() - started
}
/** milliseconds to the first byte on standard output */
const firstByte = (args: ReadonlyArray<string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    let first = Number.NaN
    const child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "ignore"] })
    child.stdout.once("data", () => {
      first = performance.now() - started
    })
    child.once("error", reject)
    child.once("close", () => resolve(first))
  })
const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const turns = 20
/** milliseconds, on two quiet cores */
const most = 60
const bareNode = ["-e", "process.stdout.write('x')"]

describe("a client command", () => {
  it("ends at most 60 ms after bare node would, in the median of 20 turns", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const [bare, version, refused]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    for (let turn = 0; turn < turns; turn++) {
      bare.push(millis(bareNode))
      version.push(millis(["dist/evald.mjs", "version", "--client"]))
      // the whole way of a request: nobody listens on the port
      refused.push(millis(["dist/evald.mjs", "get", "jobs", "--server", nobody]))
    }
    const shown = `node ${median(bare).toFixed(0)} ms, version ${median(version).toFixed(0)} ms, get ${median(refused).toFixed(0)} ms`
    assert.isAtMost(median(version) - median(bare), most, shown)
    assert.isAtMost(median(refused) - median(bare), most, shown)
  })

  it("has the first byte of a list of jobs at most 60 ms after bare node has one, names of wide signs in it", async () => {
    const job = (at: number) => ({
      resource: { id: `0193e5b0-7c1e-7d5a-9f0a-${String(at).padStart(12, "0")}`, created_at: "2026-01-01T00:00:00Z" },
      ...{ name: "模型评测", model: { url: "http://m.example/v1", name: "m" } },
      ...{ status: { state: "completed", benchmarks: [] }, results: { benchmarks: [] } }
    })
    const body = JSON.stringify({ items: Array.from({ length: 50 }, (_, at) => job(at)), total_count: 50 })
    const server = createServer((_, answer) => {
      answer.writeHead(200, { "content-type": "application/json" }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const [bare, listed]: [Array<number>, Array<number>] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      bare.push(await firstByte(bareNode))
      listed.push(await firstByte(["dist/evald.mjs", "get", "jobs", "--server", url]))
    }
    server.close()
    const shown = `node ${median(bare).toFixed(0)} ms, get ${median(listed).toFixed(0)} ms`
    assert.isAtMost(median(listed) - median(bare), most, shown)
  })
})
