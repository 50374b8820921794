/**
 * An exchange with a model whose question is read before it is sent: answered out of the log, held to a budget, or both. Reference: reruns.md,
 * "Resuming"; budgets.md, "How it is held".
 */
import { defined } from "../../values/defined.ts"
import { isObject, parseJson } from "../../values/json.ts"
import { mostOf, type OverBudget, type UnitBudget } from "./budget/unit-budget.ts"
import { Fault } from "./fault.ts"
import { type Caller, forward, type ProxySettings, refuse, type Target } from "./proxy.ts"
import { readAhead } from "./read-body.ts"
import { isLogged, keeper, replay } from "./request-log/logged-exchange.ts"
import type { RequestLog } from "./request-log/request-log.ts"
import type { ExchangeWitness, Witness } from "./witness/witness.ts"

/** longer questions are not kept, and are counted by their length */
const maxAskedBytes = 4 * 1024 * 1024

export interface Metering {
  /** undefined: there is none after all */
  readonly log: RequestLog | Promise<RequestLog | undefined> | undefined
  readonly budget: UnitBudget | undefined
  readonly witness: Witness | undefined
  /** what the request is for */
  readonly role: string | undefined
}

const all = (witnesses: ReadonlyArray<ExchangeWitness | undefined>): ExchangeWitness => ({
  asked: (chunk) => {
    for (const witness of witnesses) witness?.asked(chunk)
  },
  head: (status, form, fromLog) => {
    for (const witness of witnesses) witness?.head(status, form, fromLog)
  },
  answered: (chunk) => {
    for (const witness of witnesses) witness?.answered(chunk)
  },
  ended: (complete) => {
    for (const witness of witnesses) witness?.ended(complete)
  }
})

const refusal = (over: OverBudget): Fault =>
  new Fault(
    429,
    "budget_exhausted",
    over === "unknown"
      ? "what was used of the budget before a restart is not known, so that nothing more may be"
      : `the budget of ${over} is used up; nothing more is sent to the model, and the benchmark fails`
  )

const send = async (caller: Caller, target: Target, metering: Metering, settings: ProxySettings): Promise<void> => {
  const { request, response } = caller
  const { budget, witness, role } = metering
  const method = request.method ?? "GET"
  const log = isLogged(caller, target.path, role) ? await metering.log : undefined
  if (log === undefined && budget === undefined)
    return forward(caller, { ...target, witness: witness?.open(method, target.path, role) }, settings)
  const length = Number(request.headers["content-length"] ?? 0)
  const isRead = !(length > maxAskedBytes)
  if (isRead && caller.expectsContinue) response.writeContinue()
  const body = isRead ? await readAhead(request, maxAskedBytes) : undefined
  const question = body === undefined ? undefined : parseJson(body.toString("utf8"))
  const { rawHeaders: headers } = request
  const logged = isObject(question)
    ? log?.open({ upstream: target.upstream, path: target.path, headers, question })
    : undefined
  const kept = await logged?.kept()
  if (body !== undefined && kept !== undefined)
    return replay(caller, { ...target, witness: witness?.open(method, target.path, role) }, settings, body, kept)

  const held = await budget?.hold(mostOf(body?.length ?? length, question), () => response.destroyed)
  if (held !== undefined && "over" in held) {
    witness?.refused()
    logged?.failed()
    return refuse(caller, target.route, refusal(held.over), settings)
  }
  const keep = logged === undefined ? undefined : keeper(logged)
  let isOver = false
  const ending: ExchangeWitness = {
    asked: () => {},
    head: () => {},
    answered: () => {},
    ended: () => {
      isOver = true
    }
  }
  // refused before it was sent: there is no exchange that could end
  const abandon = () => {
    keep?.abandon()
    if (!isOver) held?.settle(undefined)
  }
  response.once("close", () => setImmediate(abandon))
  const looking = all([witness?.open(method, target.path, role, held?.settle), keep, ending])
  const whole = isRead ? { ...caller, expectsContinue: false } : caller
  forward(whole, { ...target, ...defined({ body }), witness: looking }, settings)
  if (isRead && body === undefined) request.resume()
  if (response.destroyed) abandon()
}

/** every outcome ends in an answer or a cut connection */
export const forwardMetered = (caller: Caller, target: Target, metering: Metering, settings: ProxySettings): void => {
  send(caller, target, metering, settings).catch((error: unknown) => {
    if (caller.response.destroyed) return
    const fault = error instanceof Fault ? error : new Fault(400, "request_invalid", "the request cannot be read")
    refuse(caller, target.route, fault, settings)
  })
}
