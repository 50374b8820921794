/**
 * What every operation on the database leaves behind for operators: a count, its time, and a span when somebody traces. Operations that
 * no traced work asked for, such as polling for tasks, get no span.
 */
import { type Cause, Context, Effect, type Fiber, FiberRef, Layer, Predicate, Tracer } from "effect"
import type { DatabaseActivity, OperationFigures } from "../../../application/ports/stores/store-statistics.ts"
import { Database } from "./client.ts"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

export class Activity extends Context.Tag("evald/infrastructure/sql/Activity")<
  Activity,
  { readonly current: Effect.Effect<DatabaseActivity> }
>() {}

/** what a caller did wrong, such as naming a record that does not exist, is an answer of a working database */
const isBroken = (cause: Cause.Cause<unknown>): boolean =>
  cause._tag !== "Fail" || Predicate.isTagged(cause.error, "Unavailable")

/** somebody traces, and this is part of what is traced */
const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.getFiberRef(FiberRef.currentTracerEnabled) &&
  Context.getOption(fiber.currentContext, Tracer.ParentSpan)._tag === "Some"

const spanned = <A, E, R>(operation: string, system: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withSpan(effect, `sql ${operation}`, {
    kind: "client",
    captureStackTrace: false,
    attributes: { "db.system.name": system, "db.operation.name": operation }
  })

const make = (connections: number) =>
  Effect.map(Database, (database) => {
    const figures = new Map<string, Mutable<OperationFigures>>()
    let inFlight = 0
    const system = database.dialect === "pg" ? "postgresql" : "sqlite"
    const figuresOf = (operation: string) => {
      const known = figures.get(operation)
      if (known !== undefined) return known
      const fresh = { operation, succeeded: 0, failed: 0, seconds: 0 }
      figures.set(operation, fresh)
      return fresh
    }
    const ended = (operation: string, started: number, broken: boolean): void => {
      inFlight--
      const of = figuresOf(operation)
      of.seconds += (performance.now() - started) / 1000
      if (broken) of.failed++
      else of.succeeded++
    }
    /** an operation cannot be interrupted, so that each ends in one of the two ways */
    const observed = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.uninterruptible(
        Effect.withFiberRuntime((fiber) => {
          const started = performance.now()
          inFlight++
          return Effect.matchCauseEffect(isTraced(fiber) ? spanned(operation, system, effect) : effect, {
            onFailure: (cause) => {
              ended(operation, started, isBroken(cause))
              return Effect.failCause(cause)
            },
            onSuccess: (value) => {
              ended(operation, started, false)
              return Effect.succeed(value)
            }
          })
        })
      )
    return Context.make(
      Database,
      Database.of({
        ...database,
        read: (operation, body) => observed(operation, database.read(operation, body)),
        readLong: (operation, body) => observed(operation, database.readLong(operation, body)),
        write: (operation, body, line) => observed(operation, database.write(operation, body, line)),
        writeLong: (operation, body, line) => observed(operation, database.writeLong(operation, body, line)),
        writeTogether: (operation, line, together, body) =>
          observed(operation, database.writeTogether(operation, line, together, body)),
        writeOne: (operation, body) => observed(operation, database.writeOne(operation, body)),
        writeUnflushed: (operation, body) => observed(operation, database.writeUnflushed(operation, body))
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
export const layer = (connections: number): Layer.Layer<Database | Activity, never, Database> =>
  Layer.effectContext(make(connections))
