/** The budget of a pod's benchmark: requests beyond it are refused, and the sidecar itself ends the benchmark. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import type { SidecarConfig } from "../../../../providers/contract/sidecar-config.ts"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import { configOf, eventsPath, makeScope, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const body = JSON.stringify({ messages: [{ role: "user", content: "?" }], max_tokens: 10 })

const setup = async (budget?: SidecarConfig["budget"]) => {
  const place = scope.place()
  const events: Array<Record<string, unknown>> = []
  const server = await scope.keep(
    serve(async (request, response) => {
      events.push(JSON.parse((await bodyOf(request)).toString()) as Record<string, unknown>)
      response.writeHead(204).end()
    })
  )
  const model = await scope.keep(
    serve(async (request, response) => {
      await bodyOf(request)
      const answer = { choices: [{ message: { content: "yes" }, finish_reason: "stop" }], usage: { prompt_tokens: 3 } }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  )
  let starts = 0
  const start = () =>
    scope.keep(
      startedSidecar(
        configOf(place, {
          server: { base_url: server.url },
          model: { url: `${model.url}/v1` },
          ...(budget === undefined ? {} : { budget }),
          price: { input: 1, output: 2 }
        }),
        { newId: () => `start-${++starts}` }
      )
    )
  return { start, events }
}

const spentIn = (event: Record<string, unknown> | undefined) =>
  event?.["wire_spent"] as Record<string, unknown> | null | undefined

const ask = async (url: string) => (await fetch(`${url}/v1/chat/completions`, { method: "POST", body })).status

describe("a sidecar with a budget", () => {
  it("refuses what is beyond it and reports the failure with what it saw", async () => {
    const { start, events } = await setup({ requests: 2 })
    const { url } = await start()
    assert.deepStrictEqual([await ask(url), await ask(url), await ask(url)], [200, 200, 429])
    await vi.waitFor(() => assert.strictEqual(events.length, 1))
    const [event] = events
    assert.nestedInclude(event, {
      "benchmark_status_event.status": "failed",
      "benchmark_status_event.error_message.message_code": "budget_exhausted",
      "wire_counts.sent": 2,
      "wire_counts.overBudget": 1,
      "wire_counts.inputTokens": 6
    })
    assert.strictEqual(await ask(url), 429)
    assert.strictEqual(events.length, 1)
  })
  it("that was started again in its pod lets nothing leave, because what was used went with the first", async () => {
    const { start, events } = await setup({ requests: 2 })
    const first = await start()
    assert.strictEqual(await ask(first.url), 200)
    const again = await start()
    assert.strictEqual(await ask(again.url), 429)
    await vi.waitFor(() => assert.strictEqual(events.length, 1))
  })
})

describe("what a pod's benchmark used", () => {
  const say = (url: string, status: string, beside: object = {}) =>
    fetch(`${url}${eventsPath}`, {
      method: "POST",
      body: JSON.stringify({ benchmark_status_event: { id: "b", provider_id: "p", status }, ...beside })
    })
  it("goes along with the events of its adapter, and what a killed sidecar told last is known", async () => {
    const { start, events } = await setup()
    const { url } = await start()
    await say(url, "running")
    await ask(url)
    await ask(url)
    await say(url, "running")
    await say(url, "running")
    assert.deepStrictEqual(
      events.map((event) => spentIn(event)?.["sent"]),
      [undefined, 2, undefined]
    )
    const again = await start()
    await ask(again.url)
    await say(again.url, "running")
    const [, first, , second] = events.map(spentIn)
    assert.strictEqual(second?.["sent"], 1)
    assert.notStrictEqual(second?.["by"], first?.["by"], "both are added up")
  })
  it("is told at the end of a pod whose adapter reported nothing (a crash used nothing)", async () => {
    const { start, events } = await setup()
    const running = await start()
    await ask(running.url)
    await running.stop({ serveMillis: 0, flushMillis: 1_000 })
    assert.strictEqual(events.length, 1)
    assert.nestedInclude(events[0], { "benchmark_status_event.status": "pending", "wire_spent.sent": 1 })
  })
  it("is not told again when the last event told it", async () => {
    const { start, events } = await setup()
    const running = await start()
    await ask(running.url)
    await say(running.url, "failed")
    await running.stop({ serveMillis: 0, flushMillis: 1_000 })
    assert.strictEqual(events.length, 1)
    assert.strictEqual(spentIn(events[0])?.["sent"], 1)
  })
  it("is the sidecar's to say: an adapter's own figures do not pass", async () => {
    const { start, events } = await setup()
    const { url } = await start()
    const forged = { wire_spent: { by: "1", sent: 9e9 } }
    await say(url, "pending", forged)
    await say(url, "running", forged)
    assert.deepStrictEqual(events.map(spentIn), [null, null])
  })
})
