/** What goes wrong, and when: rules that the fake asks about every request. */
import type { IncomingHttpHeaders } from "node:http"
import type { Refused } from "./status.ts"

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "log" | "other"

export interface FakeRequest {
  readonly verb: Verb
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** plural of the kind; "" for requests about none */
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly token: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export type Fault =
  /** this answer instead of doing anything; no JSON when `text` is given */
  | { readonly type: "status"; readonly refused: Refused }
  /** the connection is cut before anything was done, or after it was done */
  | { readonly type: "drop"; readonly moment: "before" | "after" }
  /** never answered, and nothing is done */
  | { readonly type: "hang" }
  /** waits before doing anything */
  | { readonly type: "wait"; readonly until: Promise<void> }

export interface FaultRule {
  readonly when: (request: FakeRequest) => boolean
  /** requests it applies to; default 1 */
  readonly times?: number
  readonly fault: Fault
}

/** a moment of a request that a test hooks into: before it has an effect, or between its effect and the answer */
export type Hook = (request: FakeRequest, moment: "before" | "after") => void | Promise<void>

export interface Faults {
  readonly add: (rule: FaultRule) => void
  readonly clear: () => void
  readonly take: (request: FakeRequest) => Fault | undefined
  readonly hook: (hook: Hook | undefined) => void
  readonly reached: Hook
}

export const makeFaults = (): Faults => {
  let rules: Array<{ rule: FaultRule; left: number }> = []
  let current: Hook | undefined
  return {
    add: (rule) => {
      rules.push({ rule, left: rule.times ?? 1 })
    },
    clear: () => {
      rules = []
    },
    take: (request) => {
      const found = rules.find(({ rule, left }) => left > 0 && rule.when(request))
      if (found === undefined) return undefined
      found.left -= 1
      return found.rule.fault
    },
    hook: (hook) => {
      current = hook
    },
    reached: (request, moment) => current?.(request, moment)
  }
}

/** a refusal with this status; reason and text as the real server words them where it matters */
export const answers = (status: number, more: Partial<Refused> = {}): Fault => ({
  type: "status",
  refused: { status, reason: more.reason ?? "", message: more.message ?? `status ${status}`, ...more }
})
export const dropBefore: Fault = { type: "drop", moment: "before" }
export const dropAfter: Fault = { type: "drop", moment: "after" }

export const verbIs =
  (verb: Verb, plural: string, name?: string) =>
  (request: FakeRequest): boolean =>
    request.verb === verb && request.plural === plural && (name === undefined || request.name === name)
