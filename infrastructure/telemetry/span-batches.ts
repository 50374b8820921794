/** Batches of spans as bytes, by the library's encodings; how many spans are in each is remembered for whoever must drop one. */
import { layerJson, layerProtobuf, OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import type { HttpBody } from "@effect/platform/HttpBody"
import { Effect } from "effect"

/** media type of the bodies */
export type Encoding = "json" | "protobuf"

interface LibrarySpan {
  readonly attributes: ReadonlyArray<{ readonly key: string }>
  readonly status: { readonly code: number; readonly message?: string }
}
interface TraceData {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<LibrarySpan> }>
  }>
}

/** the pinned version marks every failure as an interruption, and says "ok" where only who runs a service may say so; 0 is unset, 2 an error */
const untrue = new Set(["span.label", "status.interrupted"])
const corrected = (span: LibrarySpan): LibrarySpan => ({
  ...span,
  attributes: span.attributes.filter(({ key }) => !untrue.has(key)),
  status: span.status.code === 2 ? span.status : { code: 0 }
})

export interface SpanBatches {
  readonly serialization: OtlpSerialization["Type"]
  /** 0 for what is no batch of this encoding */
  readonly spansIn: (body: HttpBody) => number
}

export const make = (encoding: Encoding): Effect.Effect<SpanBatches> =>
  Effect.gen(function* () {
    const library = yield* OtlpSerialization
    const counts = new WeakMap<HttpBody, number>()
    return {
      serialization: OtlpSerialization.of({
        ...library,
        traces: (data) => {
          let count = 0
          const body = library.traces({
            resourceSpans: (data as TraceData).resourceSpans.map((resource) => ({
              ...resource,
              scopeSpans: resource.scopeSpans.map((scope) => {
                count += scope.spans.length
                return { ...scope, spans: scope.spans.map(corrected) }
              })
            }))
          })
          counts.set(body, count)
          return body
        }
      }),
      spansIn: (body: HttpBody) => counts.get(body) ?? 0
    }
  }).pipe(Effect.provide(encoding === "json" ? layerJson : layerProtobuf))
