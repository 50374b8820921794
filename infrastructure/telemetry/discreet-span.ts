/** What of a span leaves the process: texts of errors stay here, a collector learns kinds of failures and never their words. */
import { Cause, Exit, FiberId, Option, Predicate, type Tracer } from "effect"

const longestText = 1000

/** positions in the sources are for the log of whoever debugs */
const isShown = (name: string): boolean => name !== "code.stacktrace"

const shortened = (value: unknown): unknown => {
  if (typeof value === "string") return value.slice(0, longestText)
  // the exporter writes any whole number as one, and a collector refuses one that JSON cannot hold exactly
  if (typeof value === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return String(value)
  return typeof value === "object" ? String(value).slice(0, longestText) : value
}

const failureOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  if (Cause.isInterruptedOnly(exit.cause)) return "interrupted"
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure === undefined) return "defect"
  return Predicate.hasProperty(failure, "_tag") ? String(failure._tag) : "failure"
}

/** an error that has a name and nothing else */
const named = (kind: string): Error => Object.assign(new Error(kind), { name: kind, stack: kind })

const toldExit = (failure: string | undefined, errorType: unknown): Exit.Exit<void, Error> => {
  if (failure === "interrupted") return Exit.interrupt(FiberId.none)
  const kind = errorType ?? failure
  return kind === undefined ? Exit.void : Exit.fail(named(String(kind)))
}

/** changes the span in place, because children find their parent by identity; `sampled`: whether it is exported when it ends */
export const discreet = (span: Tracer.Span, sampled: boolean): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const event = span.event.bind(span)
  const end = span.end.bind(span)
  let isEnded = false
  return Object.assign(span, {
    sampled,
    attribute: (name: string, value: unknown) => {
      if (sampled && value !== undefined && isShown(name)) attribute(name, shortened(value))
    },
    event: (name: string, time: bigint, attributes: Record<string, unknown> = {}) => {
      if (sampled)
        event(name, time, Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, shortened(value)])))
    },
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => {
      if (isEnded || !sampled) return
      isEnded = true
      const failure = failureOf(exit)
      const errorType = span.attributes.get("error.type")
      if (failure !== undefined && errorType === undefined) attribute("error.type", failure)
      end(time, toldExit(failure, errorType))
    }
  })
}
