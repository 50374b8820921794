/**
 * Reads the keys of a secret by its name. Values are `Redacted` from the moment they are read and never logged. Reading again sees
 * what changed in between.
 */
import { Context, Data, type Effect, type Redacted } from "effect"

/** the secret cannot be used; the message says why and how to fix it, without any value */
export class SecretUnusable extends Data.TaggedError("SecretUnusable")<{
  /** `absent`: no such secret; `unsafe`: others can read or change it; `unreadable`: it exists and cannot be read */
  readonly reason: "absent" | "unsafe" | "unreadable"
  readonly message: string
}> {}

export class SecretReader extends Context.Tag("evald/application/ports/SecretReader")<
  SecretReader,
  { readonly read: (name: string) => Effect.Effect<ReadonlyMap<string, Redacted.Redacted>, SecretUnusable> }
>() {}
