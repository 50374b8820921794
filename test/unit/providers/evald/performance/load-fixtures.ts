/** A model client and a clock on virtual time. */
import { Clock, Effect } from "effect"
import type { AskLoad } from "../../../../../providers/evald/performance/drive-load.ts"
import type { LoadClock } from "../../../../../providers/evald/performance/load-clock.ts"
import { AdapterError } from "../../../../../providers/sdk/adapter.ts"
import type { ModelClient, StreamedAnswer } from "../../../../../providers/sdk/model/model-exchange.ts"

export const virtualClock = (lags: ReadonlyArray<number> = [0]): LoadClock => ({
  now: Clock.currentTimeMillis,
  until: (atMs) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, Math.ceil(atMs - now)))),
  watchLag: Effect.succeed(Effect.succeed(lags))
})

/** streams `tokens` tokens: the first after `ttftMs`, the others `itlMs` apart */
export const streamedAfter = (ttftMs: number, itlMs: number, tokens: number): Effect.Effect<StreamedAnswer> =>
  Effect.gen(function* () {
    const startedAtMs = yield* Clock.currentTimeMillis
    yield* Effect.sleep(ttftMs + itlMs * (tokens - 1))
    const endedAtMs = yield* Clock.currentTimeMillis
    return {
      text: "x",
      toolCalls: [],
      finishReason: "stop",
      tokens: { prompt: 7, completion: tokens, estimated: false },
      latencyMs: endedAtMs - startedAtMs,
      retries: 0,
      startedAtMs,
      firstContentAtMs: startedAtMs + ttftMs,
      lastContentAtMs: endedAtMs,
      endedAtMs,
      chunks: tokens
    }
  })

export const serverError = new AdapterError({ code: "model_server_error", message: "answered 500", retryable: true })

const unused = Effect.die("not used")

export const clientOf = (ask: AskLoad): ModelClient => {
  let index = 0
  const chatStream = () => Effect.suspend(() => ask(index++, () => undefined))
  return {
    chat: () => unused,
    complete: () => unused,
    echo: () => unused,
    capabilities: unused,
    adaptations: Effect.succeed([]),
    chatStream
  }
}
