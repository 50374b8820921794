/**
 * Connections to PostgreSQL under an address that may be another one tomorrow: a mounted secret is written anew when its password is
 * changed. The file is looked at from time to time, and at once when the database refuses who we are; statements under way end where they began.
 * Reference: operator.md, "Deployment".
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlConnection, SqlError } from "@effect/sql"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Deferred, Duration, Effect, Exit, Option, Redacted, Schedule, Scope, Stream } from "effect"

/** a file is read again so often, as certificates are */
const lookEvery = Duration.seconds(30)

export interface RotatingClient {
  readonly reserve: Effect.Effect<SqlConnection.Connection, SqlError.SqlError, Scope.Scope>
  /** goes on by the new address when it changes */
  readonly listen: (channel: string) => Stream.Stream<string, SqlError.SqlError>
  /** in force now */
  readonly url: () => Redacted.Redacted
}

export interface RotatingOptions {
  readonly url: Redacted.Redacted
  /** what the address is now; none: it can not be told, and the last one stays. Absent: it never changes */
  readonly reread?: Effect.Effect<Option.Option<Redacted.Redacted>>
  readonly connect: (
    url: Redacted.Redacted
  ) => Effect.Effect<PgClient.PgClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity>
  /** how long a statement may take */
  readonly statementMillis: number
}

interface Held {
  readonly url: Redacted.Redacted
  readonly client: PgClient.PgClient
  readonly scope: Scope.CloseableScope
  readonly replaced: Deferred.Deferred<void>
}

/** class 28 of the database's codes: who asks is not who may */
const isRefused = ({ cause }: SqlError.SqlError): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && String(cause.code).startsWith("28")

export const makeRotatingClient = ({ url: first, reread, connect, statementMillis }: RotatingOptions) =>
  Effect.gen(function* () {
    const open = (url: Redacted.Redacted) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const client = yield* Scope.extend(connect(url), scope).pipe(
          Effect.provide(Reactivity.layer),
          Effect.onError(() => Scope.close(scope, Exit.void))
        )
        return { url, client, scope, replaced: yield* Deferred.make<void>() } satisfies Held
      })
    let held: Held = yield* open(first)
    yield* Effect.addFinalizer(() => Effect.suspend(() => Scope.close(held.scope, Exit.void)))
    const turn = yield* Effect.makeSemaphore(1)
    const leaving = yield* Effect.scope

    /** follows the file; an address under which nobody can connect is not taken */
    const look = turn.withPermits(1)(
      Effect.gen(function* () {
        const now = Option.getOrUndefined(yield* reread ?? Effect.succeed(Option.none<Redacted.Redacted>()))
        if (now === undefined || Redacted.value(now) === Redacted.value(held.url)) return
        const next = yield* Effect.either(open(now))
        if (next._tag === "Left")
          return yield* Effect.logWarning(
            "the database's address has changed, and nobody can connect by the new one: the old one is kept"
          )
        const before = held
        held = next.right
        yield* Deferred.succeed(before.replaced, undefined)
        yield* Effect.logInfo("the database's address has changed: new connections go by the new one")
        yield* Effect.sleep(statementMillis).pipe(
          Effect.ensuring(Scope.close(before.scope, Exit.void)),
          Effect.forkIn(leaving)
        )
      })
    )
    if (reread !== undefined) yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
    const reserve: RotatingClient["reserve"] = Effect.suspend(() => held.client.reserve)
    return {
      reserve: Effect.catchIf(reserve, isRefused, () => Effect.zipRight(look, reserve)),
      listen: (channel) =>
        Stream.forever(
          Stream.suspend(() => Stream.interruptWhen(held.client.listen(channel), Deferred.await(held.replaced)))
        ),
      url: () => held.url
    } satisfies RotatingClient
  })
