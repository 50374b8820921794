/** The time as records have it: ISO 8601 in UTC with milliseconds. */
import { DateTime, Effect } from "effect"

export const isoNow: Effect.Effect<string> = Effect.map(DateTime.now, DateTime.formatIso)
