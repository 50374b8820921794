/**
 * What every operation on the database leaves behind for operators: a count, its time, and a span when somebody traces. Operations that
 * no traced work asked for, such as polling for tasks, get no span.
 */
import { Context, Effect, Exit, FiberRef, Layer, Predicate, Tracer } from "effect"
import type { DatabaseActivity, OperationFigures } from "../../application/ports/store-statistics.ts"
import { Database } from "./client.ts"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

export class Activity extends Context.Tag("evald/infrastructure/sql/Activity")<Activity, { readonly current: Effect.Effect<DatabaseActivity> }>() {}

/** what a caller did wrong, such as naming a record that does not exist, is an answer of a working database */
const isBroken = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && (exit.cause._tag !== "Fail" || Predicate.isTagged(exit.cause.error, "Unavailable"))

const isTraced = Effect.zipWith(
  FiberRef.get(FiberRef.currentTracerEnabled),
  Effect.contextWith((context: Context.Context<never>) => Context.getOption(context, Tracer.ParentSpan)._tag === "Some"),
  (enabled, within) => enabled && within
)

const spanned =
  (operation: string, system: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(isTraced, (traced) =>
      traced
        ? Effect.withSpan(effect, `sql ${operation}`, {
            kind: "client",
            captureStackTrace: false,
            attributes: { "db.system.name": system, "db.operation.name": operation }
          })
        : effect
    )

const make = (connections: number) =>
  Effect.map(Database, (database) => {
    const figures = new Map<string, Mutable<OperationFigures>>()
    let inFlight = 0
    const system = database.dialect === "pg" ? "postgresql" : "sqlite"
    const figuresOf = (operation: string) => {
      const known = figures.get(operation) ?? { operation, succeeded: 0, failed: 0, seconds: 0 }
      figures.set(operation, known)
      return known
    }
    const observed = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const started = performance.now()
        inFlight++
        return Effect.onExit(spanned(operation, system)(effect), (exit) =>
          Effect.sync(() => {
            inFlight--
            const of = figuresOf(operation)
            of.seconds += (performance.now() - started) / 1000
            if (isBroken(exit)) of.failed++
            else of.succeeded++
          })
        )
      })
    return Context.make(
      Database,
      Database.of({
        ...database,
        read: (operation, body) => observed(operation, database.read(operation, body)),
        write: (operation, body, line) => observed(operation, database.write(operation, body, line))
      })
    ).pipe(
      Context.add(Activity, {
        current: Effect.sync(() => ({
          inFlight,
          connections: database.dialect === "pg" ? connections : 1,
          operations: [...figures.values()].map((one) => ({ ...one }))
        }))
      })
    )
  })

/** the database, observed; `connections` is the size of the pool of a server */
export const layer = (connections: number): Layer.Layer<Database | Activity, never, Database> => Layer.effectContext(make(connections))
