/**
 * Callback secrets of launched units: 32 random bytes in the callback URL name tenant, job, index and attempt, so that an adapter
 * needs no header. Only a keyed hash is kept. Reference: gateway.md, "Routes".
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../../errors.ts"
import type { UnitId } from "../runtime.ts"

export class UnitSecrets extends Context.Tag("evald/application/ports/UnitSecrets")<
  UnitSecrets,
  {
    /** a new secret for the unit; an older one of the same unit stops working */
    readonly issue: (unit: UnitId) => Effect.Effect<Redacted.Redacted, Unavailable>
    /** the unit the secret belongs to; undefined when unknown or expired. Constant-time comparison. */
    readonly identify: (secret: Redacted.Redacted) => Effect.Effect<UnitId | undefined, Unavailable>
    /** keeps the secret valid for `graceMillis` more (replays must still get their answer), then it is unknown */
    readonly retire: (unit: UnitId, graceMillis: number) => Effect.Effect<void, Unavailable>
    /** the same for all units of a job at once, however many they are */
    readonly retireJob: (jobId: string, graceMillis: number) => Effect.Effect<void, Unavailable>
  }
>() {}
