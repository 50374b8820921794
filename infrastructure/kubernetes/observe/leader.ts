/** Runs something on one of several servers: on the one that holds the role. Reference: cluster-objects.md, "Observing". */
import { Clock, Effect, Fiber } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { Identifiers } from "../../../application/ports/identifiers.ts"
import { Leases } from "../../../application/ports/leases.ts"

/** this process among all that share a database, named so that a container that restarts in its pod takes over from itself */
export const holderName = (
  { podUid }: { readonly podUid?: string },
  { next }: Identifiers["Type"]
): Effect.Effect<string> => Effect.map(next, (id) => (podUid === undefined ? id : `${podUid}/${id}`))

export interface LeaderOptions {
  readonly role: string
  /** name of this server among all */
  readonly holder: string
  readonly leaseMillis: number
  /** the role is renewed, or asked for, so often */
  readonly renewMillis: number
}

/**
 * Never ends: runs `work` while this server holds the role and interrupts it as soon as it does not, also when the database can not say
 * so before the lease runs out. The role is given back when the scope closes.
 */
export const whileLeading = <R>(
  options: LeaderOptions,
  work: Effect.Effect<never, never, R>
): Effect.Effect<never, never, R | Leases> =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const { role, holder, leaseMillis, renewMillis } = options
    const ask: Effect.Effect<"held" | "lost" | "unknown"> = leases.hold(role, holder, leaseMillis).pipe(
      Effect.map((term) => (term === undefined ? ("lost" as const) : ("held" as const))),
      Effect.catchAll((error: Unavailable) =>
        Effect.as(Effect.logWarning(`the role ${role} can not be asked for: ${error.operation}`), "unknown" as const)
      )
    )
    const hold = Effect.gen(function* () {
      let until = (yield* Clock.currentTimeMillis) + leaseMillis
      for (;;) {
        yield* Effect.sleep(renewMillis)
        const asked = yield* Clock.currentTimeMillis
        const answer = yield* ask
        if (answer === "lost") return
        if (answer === "held") until = asked + leaseMillis
        // one more renewal must fit in before somebody else may take the role
        else if (asked + renewMillis >= until) return
      }
    })
    const lead = Effect.gen(function* () {
      yield* Effect.logInfo(`this server now holds the role ${role}`)
      const working = yield* Effect.fork(work)
      yield* Effect.raceFirst(hold, Fiber.join(working))
      yield* Fiber.interrupt(working)
      yield* Effect.logWarning(`this server no longer holds the role ${role}`)
    })
    const turn = Effect.flatMap(ask, (answer) => (answer === "held" ? lead : Effect.sleep(renewMillis)))
    return yield* Effect.ensuring(Effect.forever(turn), Effect.ignore(leases.release(role, holder)))
  })
