/** Where ids come from, so that tests are deterministic. */
import { Context, type Effect } from "effect"

export class Identifiers extends Context.Tag("evald/application/ports/Identifiers")<
  Identifiers,
  {
    /** UUIDv7, lower case: sorts by creation time */
    readonly next: Effect.Effect<string>
    /** 32 random bytes, base64url without padding (43 characters) */
    readonly secret: Effect.Effect<string>
  }
>() {}
