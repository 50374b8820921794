/** What happens when a provider goes while a definition that names it is being stored. */
import { Effect } from "effect"
import type { ProviderGone } from "../errors.ts"

/** each time another provider went in the very moment between check and storing; more often than that is no accident */
const mostTimes = 5

/** runs the whole use case again, whose check then says that the provider does not exist */
export const checkedAgain = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, ProviderGone>, R> =>
  effect.pipe(
    Effect.retry({ times: mostTimes, while: isGone }),
    Effect.catchAll((error) => (isGone(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, ProviderGone>)))
  )

const isGone = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ProviderGone"
