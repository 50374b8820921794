/** One span of a trace, and its form in OTLP/HTTP JSON. Texts of errors stay here: a collector learns kinds of failures, never their words. */
import { randomBytes } from "node:crypto"
import { Cause, type Context, Exit, Option, Predicate, type Tracer } from "effect"

interface SpanEvent {
  readonly name: string
  readonly time: bigint
  readonly attributes: { readonly [name: string]: unknown }
}

/** told when the span ends */
export type OnEnd = (span: RecordedSpan) => void

export class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly spanId = randomBytes(8).toString("hex")
  readonly traceId: string
  readonly sampled: boolean
  readonly attributes = new Map<string, unknown>()
  readonly events: Array<SpanEvent> = []
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly kind: Tracer.SpanKind
  links: ReadonlyArray<Tracer.SpanLink>
  status: Tracer.SpanStatus
  readonly #onEnd: OnEnd

  constructor(
    name: string,
    parent: Option.Option<Tracer.AnySpan>,
    context: Context.Context<never>,
    links: ReadonlyArray<Tracer.SpanLink>,
    startTime: bigint,
    kind: Tracer.SpanKind,
    onEnd: OnEnd
  ) {
    this.name = name
    this.parent = parent
    this.context = context
    this.links = links
    this.kind = kind
    this.status = { _tag: "Started", startTime }
    this.traceId = Option.isSome(parent) ? parent.value.traceId : randomBytes(16).toString("hex")
    this.sampled = Option.isNone(parent) || parent.value.sampled
    this.#onEnd = onEnd
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    if (this.sampled) this.#onEnd(this)
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }

  event(name: string, time: bigint, attributes: { readonly [name: string]: unknown } = {}): void {
    this.events.push({ name, time, attributes })
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links = [...this.links, ...links]
  }
}

export interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly boolValue: boolean } | { readonly intValue: string } | { readonly doubleValue: number }
}

const longestText = 1000

const otlpValue = (value: unknown): OtlpAttribute["value"] => {
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))) return { intValue: String(value) }
  if (typeof value === "number") return { doubleValue: value }
  return { stringValue: String(value).slice(0, longestText) }
}

/** positions in the sources are for the log of whoever debugs */
const isShown = (name: string): boolean => name !== "code.stacktrace"

export const otlpAttributes = (attributes: Iterable<readonly [string, unknown]>): ReadonlyArray<OtlpAttribute> =>
  [...attributes].filter(([name, value]) => value !== undefined && isShown(name)).map(([key, value]) => ({ key, value: otlpValue(value) }))

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

const failureOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  if (Cause.isInterruptedOnly(exit.cause)) return "interrupted"
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure === undefined) return "defect"
  return Predicate.hasProperty(failure, "_tag") ? String(failure._tag) : "failure"
}

/** 0 unset, 2 error: what the caller did wrong is no error of a server's span */
const statusOf = (kind: string | undefined) => (kind === undefined || kind === "interrupted" ? { code: 0 } : { code: 2, message: kind })

export const otlpSpan = (span: RecordedSpan) => {
  const ended = span.status._tag === "Ended" ? span.status : undefined
  const failure = ended === undefined ? undefined : failureOf(ended.exit)
  const errorType = span.attributes.get("error.type") ?? failure
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(Option.isSome(span.parent) ? { parentSpanId: span.parent.value.spanId } : {}),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.status.startTime),
    endTimeUnixNano: String(ended?.endTime ?? span.status.startTime),
    attributes: otlpAttributes([...span.attributes, ...(failure === undefined ? [] : [["error.type", failure] as const])]),
    events: span.events.map(({ name, time, attributes }) => ({ name, timeUnixNano: String(time), attributes: otlpAttributes(Object.entries(attributes)) })),
    links: span.links.map(({ span: { traceId, spanId }, attributes }) => ({ traceId, spanId, attributes: otlpAttributes(Object.entries(attributes)) })),
    status: statusOf(errorType === undefined ? undefined : String(errorType))
  }
}
