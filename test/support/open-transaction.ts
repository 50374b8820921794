/** A transaction of somebody else on the PostgreSQL of the run, which stays open until the test ends it. */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Redacted, Schedule } from "effect"

const stranger = (url: string) =>
  PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "somebody" })

/** one statement on a connection of its own */
export const statement = (url: string, text: string) =>
  Effect.provide(
    Effect.flatMap(PgClient.PgClient, (client) => client.unsafe<Record<string, unknown>>(text)),
    stranger(url)
  )

/** has run `texts`; `finish` runs further ones and commits */
export const openTransaction = (url: string, ...texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const end = yield* Deferred.make<ReadonlyArray<string>>()
    const fiber = yield* Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const all = (some: ReadonlyArray<string>) =>
        Effect.forEach(some, (text) => client.unsafe(text), { discard: true })
      yield* client.withTransaction(
        Effect.all([all(texts), Deferred.succeed(begun, undefined), Effect.flatMap(Deferred.await(end), all)], {
          discard: true
        })
      )
    }).pipe(Effect.provide(stranger(url)), Effect.fork)
    yield* Effect.raceFirst(Deferred.await(begun), Fiber.join(fiber))
    return {
      finish: (...more: ReadonlyArray<string>) => Effect.zipRight(Deferred.succeed(end, more), Fiber.join(fiber))
    }
  })

/** until a server waits for a row that somebody has locked */
export const rowAwaited = (url: string) =>
  statement(
    url,
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'evald' AND wait_event_type = 'Lock' AND query LIKE '%providers%'"
  ).pipe(
    Effect.filterOrFail((waiting) => waiting.length > 0),
    Effect.retry({ times: 400, schedule: Schedule.spaced("25 millis") })
  )
