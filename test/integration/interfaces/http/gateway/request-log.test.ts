/** Answers that are given again by the gateway: adapter → gateway → model, everything on loopback, the log in a folder. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, request as openRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { openAnswerFiles } from "../../../../../interfaces/gateway/request-log/answer-files.ts"
import { makeRequestLog, type RequestLog } from "../../../../../interfaces/gateway/request-log/request-log.ts"
import { makeModelGateway } from "../../../../../interfaces/http/gateway/model-gateway.ts"
import { bodyOf, listening, serve } from "../../../../support/loopback-server.ts"

let directory = ""
const closing: Array<() => unknown> = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "evald-log-"))
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(directory, { recursive: true, force: true })
})

/** a log as a run of a benchmark opens it */
const openLog = async (tenant = "t"): Promise<RequestLog> =>
  makeRequestLog(tenant, await openAnswerFiles({ directory, maxBytes: 10_000_000 }))

interface Reply {
  readonly status?: number
  readonly finish?: string
  readonly type?: string
}

/** a model that numbers its answers, and a gateway before it; `reply`: of the nth answer, from 1 */
const setup = async (reply: (n: number, question: string) => Reply = () => ({})) => {
  const asked: Array<string> = []
  const model = await serve(async (request, response) => {
    const body = (await bodyOf(request)).toString()
    asked.push(body)
    const { status = 200, finish = "stop" } = reply(asked.length, body)
    response.writeHead(status, { "content-type": "application/json" })
    response.end(
      JSON.stringify({
        id: asked.length,
        choices: [{ index: 0, text: `answer ${asked.length}`, finish_reason: finish }]
      })
    )
  })
  const gateway = makeModelGateway()
  let log: RequestLog | undefined
  const front = await listening(
    createServer((request, response) =>
      gateway.handle(request, response, {
        modelUrl: `${model.url}/v1`,
        secret: Either.right(undefined),
        path: request.url ?? "",
        publicBase: "http://127.0.0.1:1",
        trace: "trace-1",
        log
      })
    )
  )
  closing.push(front.close, gateway.close, model.close)
  const ask = (question: object | string, headers: { readonly [name: string]: string } = {}) =>
    new Promise<{ readonly status: number; readonly text: string; readonly replayed: boolean }>((resolve, reject) => {
      const body = typeof question === "string" ? question : JSON.stringify(question)
      const sent = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...headers }
      const outgoing = openRequest(`${front.url}/v1/completions`, { method: "POST", headers: sent }, async (answer) => {
        const text = (await bodyOf(answer)).toString()
        resolve({ status: answer.statusCode ?? 0, text, replayed: answer.headers["x-evald-replayed"] === "true" })
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  const use = (next: RequestLog): void => {
    log = next
  }
  return { asked, ask, use, close: front.close }
}

/** until so many answers are on the disk: they are written after they were delivered */
const kept = async (count: number): Promise<void> => {
  while (readdirSync(directory).filter((name) => !name.includes(".")).length < count)
    await new Promise((resolve) => setImmediate(resolve))
}

const question = (n: number) => ({ model: "m", prompt: `question ${n}`, max_tokens: 100 })

describe("a run that goes on", () => {
  it("asks the model only for what an earlier run was not answered, and gets its answers byte by byte", async () => {
    const { asked, ask, use } = await setup()
    use(await openLog())
    const first: Array<string> = []
    for (let n = 0; n < 9; n++) first.push((await ask(question(n))).text)
    await kept(9)
    use(await openLog())
    const again: Array<boolean> = []
    const second: Array<string> = []
    for (let n = 0; n < 10; n++) {
      const { text, replayed } = await ask(question(n))
      second.push(text)
      again.push(replayed)
    }
    assert.deepStrictEqual(second.slice(0, 9), first)
    assert.deepStrictEqual(again, [...first.map(() => true), false])
    assert.strictEqual(asked.length, 10)
  })

  it("gets the nth answer for the nth time it asks the same, however the members are ordered", async () => {
    const { asked, ask, use } = await setup()
    use(await openLog())
    const first = [await ask(question(1)), await ask(question(1)), await ask(question(1))].map(({ text }) => text)
    await kept(3)
    use(await openLog())
    const turned = '{"max_tokens":100, "prompt":"question 1", "model":"m"}'
    const second = [await ask(turned), await ask(question(1)), await ask(turned)].map(({ text }) => text)
    assert.deepStrictEqual(second, first)
    assert.isFalse((await ask(question(1))).replayed)
    assert.strictEqual(asked.length, 4)
  })

  it("shares the answers of one moment out, each once", async () => {
    const { ask, use } = await setup()
    use(await openLog())
    const many = () => Promise.all([1, 2, 3, 4, 5].map(() => ask(question(1))))
    const first = (await many()).map(({ text }) => text)
    await kept(5)
    use(await openLog())
    const second = await many()
    assert.deepStrictEqual(second.map(({ text }) => text).sort(), first.sort())
    assert.isTrue(second.every(({ replayed }) => replayed))
  })

  it("is asked again where the answer was cut, filtered or an error, and the attempt that follows takes its place", async () => {
    const replies: ReadonlyArray<Reply> = [{ status: 500 }, { finish: "length" }, { finish: "content_filter" }, {}]
    const { asked, ask, use } = await setup((n) => replies[n - 1] ?? {})
    use(await openLog())
    for (const _ of replies) await ask(question(1))
    await kept(1)
    use(await openLog())
    const { text, replayed } = await ask(question(1))
    assert.deepStrictEqual([replayed, JSON.parse(text).id, asked.length], [true, 4, 4])
  })

  it("of another tenant, model, or header that changes answers gets none of them", async () => {
    const { ask, use } = await setup()
    use(await openLog())
    await ask(question(1))
    await kept(1)
    use(await openLog("other"))
    assert.isFalse((await ask(question(1))).replayed)
    use(await openLog())
    assert.isFalse((await ask({ ...question(1), model: "n" })).replayed)
    assert.isFalse((await ask(question(1), { "anthropic-version": "2" })).replayed)
    assert.isTrue((await ask(question(1), { authorization: "Bearer another", "x-request-id": "r" })).replayed)
  })

  it("is not asked again what the endpoint can do, also where the answer was cut (probes were never kept: with 200 items they were too many)", async () => {
    const { asked, ask, use } = await setup(() => ({ finish: "length" }))
    for (const replayed of [false, true]) {
      use(await openLog())
      assert.strictEqual((await ask(question(1), { "x-evald-role": "probe" })).replayed, replayed)
      await kept(1)
      assert.isFalse((await ask(question(1))).replayed, "no answer of a probe is one of an item")
    }
    assert.strictEqual(asked.length, 3)
  })

  it("has every answer that was given when it is closed (a process that ended within a millisecond lost the last ones)", async () => {
    for (let n = 0; n < 5; n++) {
      const { ask, use, close } = await setup()
      const log = await openLog()
      use(log)
      await ask(question(n))
      await close()
      await log.flush()
      assert.strictEqual(readdirSync(directory).length, n + 1)
    }
  })

  it("lets load and what is no JSON by as ever", async () => {
    const { asked, ask, use } = await setup()
    for (const _ of [1, 2]) {
      use(await openLog())
      await ask(question(1), { "x-evald-role": "load" })
      await ask("no json")
    }
    assert.strictEqual(asked.length, 4)
    assert.deepStrictEqual(readdirSync(directory), [])
  })
})
