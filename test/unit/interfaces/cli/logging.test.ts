import { assert, it, vi } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import * as Logging from "../../../../interfaces/cli/logging.ts"

const span: Tracer.ExternalSpan = Tracer.externalSpan({ traceId: "t".repeat(32), spanId: "p".repeat(16) })

/** the JSON lines that the effect logs */
const linesOf = (work: Effect.Effect<void>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.spyOn(globalThis.console, "error").mockImplementation(() => {})),
    (spy) =>
      Effect.map(work.pipe(Effect.provide(Logging.layer({ level: "info", format: "json", terminal: false }))), () =>
        spy.mock.calls.map(
          ([line]): { readonly message: unknown; readonly annotations: { readonly [name: string]: unknown } } =>
            JSON.parse(String(line))
        )
      ),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

it.effect("a line of traced work names its trace and span, any other line none", () =>
  Effect.gen(function* () {
    const [plain] = yield* linesOf(Effect.withTracerEnabled(Effect.withSpan(Effect.logInfo("plain"), "off"), false))
    assert.deepStrictEqual([plain?.message, plain?.annotations], ["plain", {}])
    const seen = yield* linesOf(
      Effect.flatMap(Effect.orDie(Effect.currentSpan), (current) => Effect.logInfo(current.spanId)).pipe(
        Effect.withSpan("on", { parent: span })
      )
    )
    assert.deepStrictEqual(
      [seen[0]?.annotations["trace_id"], seen[0]?.annotations["span_id"]],
      [span.traceId, seen[0]?.message]
    )
  })
)

it.effect("keeps the annotations that are there", () =>
  Effect.gen(function* () {
    const [line] = yield* linesOf(
      Effect.logInfo("x").pipe(Effect.annotateLogs("worker", "launcher"), Effect.withSpan("on"))
    )
    assert.strictEqual(line?.annotations["worker"], "launcher")
    assert.isString(line?.annotations["trace_id"])
  })
)
