/**
 * P19 log and budget: what each adds to a request through the gateway. Three gateways before one model in this process, one request at a time,
 * in turn and with pauses, so that whatever the machine does meets all three.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, createServer, request as openRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Either } from "effect"
import { makeLedger } from "../../../interfaces/gateway/budget/ledger.ts"
import { makeUnitBudget } from "../../../interfaces/gateway/budget/unit-budget.ts"
import { openAnswerFiles } from "../../../interfaces/gateway/request-log/answer-files.ts"
import { makeRequestLog } from "../../../interfaces/gateway/request-log/request-log.ts"
import { makeWitness } from "../../../interfaces/gateway/witness/witness.ts"
import { type ModelContext, makeModelGateway } from "../../../interfaces/http/gateway/model-gateway.ts"
import { listening, serve } from "../../support/loopback-server.ts"
import { median } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"

const rounds = 1_000
const warmUp = 200

const answer = JSON.stringify({
  id: "a",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Answer: 42. ".repeat(20) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 200, completion_tokens: 60 }
})
const question = (number: number) =>
  JSON.stringify({
    model: "m",
    messages: [{ role: "user", content: `${number}: ${"What is the answer to this? ".repeat(30)}` }],
    max_tokens: 64
  })

const front = async (modelUrl: string, metering: Pick<ModelContext, "log" | "budget">) => {
  const gateway = makeModelGateway()
  const witness = makeWitness()
  const server = await listening(
    createServer((request, response) =>
      gateway.handle(request, response, {
        ...{ modelUrl, secret: Either.right(undefined), path: request.url ?? "", trace: "t", witness },
        ...{ publicBase: "http://127.0.0.1:1", ...metering }
      })
    )
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (body: string) =>
    new Promise<number>((resolve, reject) => {
      const begin = performance.now()
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      const outgoing = openRequest(`${server.url}/v1/chat/completions`, { method: "POST", agent, headers }, (reply) => {
        reply.resume()
        reply.on("end", () => resolve(performance.now() - begin))
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  const close = async () => {
    agent.destroy()
    await server.close()
    gateway.close()
  }
  return { ask, close }
}

export const metering = async (): Promise<ReadonlyArray<Measure>> => {
  const directory = mkdtempSync(join(tmpdir(), "evald-bench-log-"))
  const model = await serve((request, response) => {
    request.resume()
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(answer))
  })
  const log = makeRequestLog("t", await openAnswerFiles({ directory, maxBytes: 1e9, secret: "a key" }))
  const ledger = makeLedger({ requests: 1e9, tokens: 1e12 }, undefined, { clock: () => performance.now() })
  const url = `${model.url}/v1`
  const fronts = [
    await front(url, {}),
    await front(url, { log }),
    await front(url, { budget: makeUnitBudget([ledger], () => {}) })
  ]
  const times: ReadonlyArray<Array<number>> = fronts.map(() => [])
  for (let round = 0; round < rounds + warmUp; round++)
    for (const [at, { ask }] of fronts.entries()) {
      const took = await ask(question(round))
      if (round >= warmUp) times[at]?.push(took)
      // what is done with an answer after it was delivered must not be counted to the next request
      await new Promise((resolve) => setTimeout(resolve, 2))
      await log.flush()
    }
  for (const { close } of fronts) await close()
  await model.close()
  rmSync(directory, { recursive: true, force: true })
  const [plain = 0, logged = 0, held = 0] = times.map(median)
  const beside = `without: ${shown(plain)} ms`
  return [
    atMost("P19", "request log, encrypted: added to a request, p50", logged - plain, "ms", 0.1, { beside }),
    atMost("P19", "budget: added to a request, p50", held - plain, "ms", 0.1, { beside })
  ]
}
