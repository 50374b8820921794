/** The budget of a pod's benchmark: requests beyond it are refused, and the sidecar itself ends the benchmark. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { bodyOf, serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, startedSidecar } from "../../../support/running-sidecar.ts"

const scope = makeScope()
afterEach(scope.end)

const body = JSON.stringify({ messages: [{ role: "user", content: "?" }], max_tokens: 10 })

const setup = async () => {
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
  const start = () =>
    scope.keep(
      startedSidecar(
        configOf(place, {
          server: { base_url: server.url },
          model: { url: `${model.url}/v1` },
          budget: { requests: 2 },
          price: { input: 1, output: 2 }
        })
      )
    )
  return { start, events }
}

const ask = async (url: string) => (await fetch(`${url}/v1/chat/completions`, { method: "POST", body })).status

describe("a sidecar with a budget", () => {
  it("refuses what is beyond it and reports the failure with what it saw", async () => {
    const { start, events } = await setup()
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
    const { start, events } = await setup()
    const first = await start()
    assert.strictEqual(await ask(first.url), 200)
    const again = await start()
    assert.strictEqual(await ask(again.url), 429)
    await vi.waitFor(() => assert.strictEqual(events.length, 1))
  })
})
