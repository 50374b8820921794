/**
 * A plan as something that can be submitted: a token that holds for its caller, for the very body that was planned, for ten minutes and for one job.
 * Reference: api.md, "Plan tokens".
 */

import { DateTime, Effect, Encoding } from "effect"
import type { Allowance } from "../../values/allowance.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Conflict } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import type { OnceKey } from "../once.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { PlanSeals } from "../ports/stores/plan-seals.ts"
import type { Plan } from "./plan-job.ts"

const holdsFor = "10 minutes"

export interface PlanToken {
  readonly value: string
  /** ISO time */
  readonly expiresAt: string
}

/** what stands in a token for everybody to read */
interface Content {
  /** of this token alone */
  readonly id: string
  readonly expires_at: string
  readonly estimate: Allowance
}

/** a kind that one of the benchmarks does not tell is not known of all */
const estimateOf = (benchmarks: Plan["benchmarks"]): Allowance => {
  const sum = (of: (one: NonNullable<Plan["benchmarks"][number]["estimate"]>) => number | undefined) => {
    const parts = benchmarks.flatMap(({ estimate }) => (estimate === undefined ? [] : (of(estimate) ?? [])))
    return parts.length === benchmarks.length ? parts.reduce((all, part) => all + part, 0) : undefined
  }
  return defined({
    requests: sum(({ requests }) => requests),
    tokens: sum(({ tokens }) => (tokens === undefined ? undefined : tokens.input + tokens.output)),
    cost: sum(({ cost }) => cost)
  })
}

const sealed = ({ tenant, owner }: Caller, bodyDigest: string, content: string): string =>
  JSON.stringify([tenant, owner, bodyDigest, content])

/** `bodyDigest`: of the body that was planned */
export const issuePlanToken = (caller: Caller, bodyDigest: string, { benchmarks }: Plan) =>
  Effect.gen(function* () {
    const { seal } = yield* PlanSeals
    const expiresAt = DateTime.formatIso(DateTime.addDuration(yield* DateTime.now, holdsFor))
    const id = yield* (yield* Identifiers).next
    const content: Content = { id, expires_at: expiresAt, estimate: estimateOf(benchmarks) }
    const text = Encoding.encodeBase64Url(JSON.stringify(content))
    const token: PlanToken = { value: `${text}.${seal(sealed(caller, bodyDigest, text))}`, expiresAt }
    return token
  })

const refused = (message: string) => new Conflict({ code: "plan_token_invalid", message })

/** the key under which the token's only job is stored; no header can name it, because of its blank */
export const planKey = (caller: Caller, bodyDigest: string, token: string) =>
  Effect.gen(function* () {
    const { isSealOf } = yield* PlanSeals
    const [text = "", seal = ""] = token.split(".", 2)
    if (token !== `${text}.${seal}` || !isSealOf(seal, sealed(caller, bodyDigest, text)))
      return yield* refused(
        "the Plan-Token is not of a plan that this caller made in this tenant, of this very body; plan the job again, and submit what was planned"
      )
    // it is sealed, so it is what was written above
    const { expires_at } = JSON.parse(yield* Effect.orDie(Encoding.decodeBase64UrlString(text))) as Content
    if (expires_at <= (yield* isoNow))
      return yield* refused(`the Plan-Token has expired at ${expires_at}; plan the job again`)
    const key: OnceKey = { key: `plan ${seal}`, bodyDigest }
    return key
  })
