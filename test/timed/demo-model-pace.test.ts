import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type DemoModelOptions, startDemoModel } from "../../providers/demo-model/server.ts"
import { makeModelClient } from "../../providers/sdk/model/model-client.ts"
import type { GenerationRequest } from "../../providers/sdk/model/model-exchange.ts"

const load = (words: number): GenerationRequest => ({
  messages: [
    {
      role: "user",
      content: `Synthetic load, request 1 of run 1. Write running text of ${words} words about these words. Words: river.`
    }
  ],
  maxTokens: words,
  temperature: 0
})

const connect = (demo: DemoModelOptions) =>
  Effect.flatMap(startDemoModel(demo), ({ url }) => makeModelClient({ url, model: "evald-demo", timeoutMs: 10_000 }))

describe("the pace of the demo model", () => {
  /** whatever else the machine does only ever delays, so the lower quartile of a few runs is what the server does */
  const typical = (values: ReadonlyArray<number>) =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN
  /** within 2 ms or 5 %, whichever is more */
  const assertNear = (measured: number, asked: number) => assert.closeTo(measured, asked, Math.max(2, asked * 0.05))

  for (const [ttftMs, tokensPerSecond] of [
    [0, 200],
    [40, 100],
    [15, 1000]
  ] as const)
    it.scopedLive(`first token after ${ttftMs} ms, then ${tokensPerSecond} a second`, () =>
      Effect.gen(function* () {
        const client = yield* connect({ ttftMs, tokensPerSecond })
        yield* client.chatStream(load(2))
        const runs = yield* Effect.replicateEffect(client.chatStream(load(30)), 8)
        assertNear(typical(runs.map((run) => (run.firstContentAtMs ?? Number.NaN) - run.startedAtMs)), ttftMs)
        assertNear(
          typical(runs.map((run) => ((run.lastContentAtMs ?? Number.NaN) - (run.firstContentAtMs ?? Number.NaN)) / 29)),
          1000 / tokensPerSecond
        )
        for (const run of runs) assert.strictEqual(run.tokens.completion, 30)
      })
    )

  it.scopedLive("a plain answer comes when its last token is due", () =>
    Effect.gen(function* () {
      const client = yield* connect({ ttftMs: 20, tokensPerSecond: 500 })
      const runs = yield* Effect.replicateEffect(client.chat(load(31)), 5)
      assertNear(typical(runs.map(({ latencyMs }) => latencyMs)), 80)
    })
  )
})
