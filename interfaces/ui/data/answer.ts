/** What an operation answers, for components: loaded when they are shown, and again when the request, the token or the tenant change. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Client, Outcome, RequestOf } from "../../client/client.ts"
import type { EndpointName, Operation } from "../../http/api.ts"
import { client, missing } from "../session/session.ts"
import { type Problem, refusalOf, unreachable } from "./problem.ts"

/** what an operation answers that has a body of JSON */
export type RecordOf<Name extends EndpointName> = Extract<Operation<Name>["success"], object>

export interface Answer<A> {
  /** the last one that came, while another is waited for too */
  readonly value: A | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
}

export interface Loaded<A> extends Answer<A> {
  /** asks again; what is shown stays until the answer comes */
  readonly reload: () => void
  /** puts a newer record, such as one from a stream, in the place of what is shown */
  readonly replace: (change: (value: A) => A) => void
}

export type Asked<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly problem: Problem }

/** asks for a token or a tenant where that is what is missing */
export const askFor = ({ status, code }: Problem): void => {
  if (status === 401) missing.value = "token"
  else if (code === "missing_tenant_header") missing.value = "tenant"
}

/** one call; never rejected, except when it is aborted */
export const ask = async <Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  by: Client = client.peek()
): Promise<Asked<RecordOf<Name>>> => {
  // a name and its request belong together, which the compiler does not see of a name that it does not know
  const call = by[name] as (given: RequestOf<Name>) => Promise<Outcome<Name>>
  try {
    const outcome = await call(request)
    const problem = refusalOf(outcome)
    if (problem === undefined && outcome.ok) return { ok: true, value: outcome.value as RecordOf<Name> }
    const said = problem ?? unreachable
    askFor(said)
    return { ok: false, problem: said }
  } catch (error) {
    if (request.signal?.aborted === true) throw error
    return { ok: false, problem: unreachable }
  }
}

/** `request` undefined: nothing is asked for yet */
export const useAnswer = <Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name> | undefined
): Loaded<RecordOf<Name>> => {
  const state = useSignal<Answer<RecordOf<Name>>>({ value: undefined, problem: undefined, isLoading: true })
  const round = useSignal(0)
  const key = request === undefined ? undefined : JSON.stringify(request)
  const by = client.value
  // the text of the request says when it is another one
  useEffect(() => {
    if (request === undefined) return undefined
    const stop = new AbortController()
    state.value = { ...state.peek(), isLoading: true }
    ask(name, { ...request, signal: stop.signal }, by).then(
      (asked) => {
        if (stop.signal.aborted) return
        state.value = asked.ok
          ? { value: asked.value, problem: undefined, isLoading: false }
          : { value: state.peek().value, problem: asked.problem, isLoading: false }
      },
      () => {}
    )
    return () => stop.abort()
  }, [name, key, by, round.value])
  return {
    ...state.value,
    reload: () => {
      round.value = round.peek() + 1
    },
    replace: (change) => {
      const { value } = state.peek()
      if (value !== undefined) state.value = { ...state.peek(), value: change(value) }
    }
  }
}
