/**
 * Roles that one of several servers on the same database holds at a time. A lease that is not renewed runs out; time is the database's
 * own where servers could disagree about it. Whoever holds a role twice over does no harm: its work is idempotent.
 *
 * A holder is `<process>`, or `<place>/<process>` where a place runs one process at a time, as a pod does: what a place holds its next
 * process takes at once, without waiting for the lease of the one before to run out.
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors.ts"

/** the place of a holder, with the slash; undefined: it has none */
export const placeOf = (holder: string): string | undefined => {
  const slash = holder.indexOf("/")
  return slash < 1 ? undefined : holder.slice(0, slash + 1)
}

export class Leases extends Context.Tag("evald/application/ports/Leases")<
  Leases,
  {
    /**
     * Takes the role when it is free or held by the same place, or renews it for its holder, for so many milliseconds. Answers with the
     * term, which rises with every change of the holder, or with undefined while somebody else has it.
     */
    readonly hold: (role: string, holder: string, leaseMillis: number) => Effect.Effect<number | undefined, Unavailable>
    /** lets go, so that the next server need not wait for the lease to run out; a no-op for others */
    readonly release: (role: string, holder: string) => Effect.Effect<void, Unavailable>
  }
>() {}
