/**
 * What tenants may have at once, and how much is kept of them. The latter is measured by a worker, every minute or more slowly where it takes
 * long; until it was measured once nobody is refused because of it. Settings `tenants.*`.
 */
import { Clock, Context, Effect, Layer, Ref } from "effect"
import { roomForBytes, type TenantLimits } from "../../domain/tenant/limits.ts"
import { TenantFull } from "../errors.ts"
import { StoredBytes } from "../ports/stores/stored-bytes.ts"
import { supervised } from "../runtime/supervise.ts"
import { reasonOf } from "../runtime/task-worker.ts"

export class TenantRoom extends Context.Reference<TenantRoom>()("evald/application/jobs/TenantRoom", {
  defaultValue: (): {
    readonly limits: TenantLimits
    /** bytes kept of each tenant when they were measured last */
    readonly stored: Effect.Effect<ReadonlyMap<string, number>>
  } => ({ limits: {}, stored: Effect.succeed(new Map()) })
}) {}

/** a measurement takes at most a twentieth of the time */
const shortestPauseMillis = 60_000
const pauseFactor = 20

const measuring = (stored: Ref.Ref<ReadonlyMap<string, number>>) =>
  Effect.gen(function* () {
    const { measure } = yield* StoredBytes
    const began = yield* Clock.currentTimeMillis
    yield* measure.pipe(
      Effect.flatMap((found) => Ref.set(stored, found)),
      Effect.catchTag("Unavailable", (error) =>
        Effect.logWarning(`what tenants keep was not measured: ${reasonOf(error)}`)
      )
    )
    const took = (yield* Clock.currentTimeMillis) - began
    yield* Effect.sleep(Math.max(shortestPauseMillis, took * pauseFactor))
  })

/** measures only where there is a limit */
export const layer = (limits: TenantLimits): Layer.Layer<never, never, StoredBytes> =>
  limits.maxStoredBytes === undefined
    ? Layer.succeed(TenantRoom, TenantRoom.of({ limits, stored: Effect.succeed(new Map()) }))
    : Layer.scoped(
        TenantRoom,
        Effect.gen(function* () {
          const stored = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
          yield* Effect.forkScoped(supervised("stored bytes", Effect.forever(measuring(stored))))
          return { limits, stored: Ref.get(stored) }
        })
      )

/** fails when the tenant keeps as much as it may */
export const requireBytes = (tenant: string): Effect.Effect<void, TenantFull> =>
  Effect.gen(function* () {
    const { limits, stored } = yield* TenantRoom
    const over = roomForBytes(limits, (yield* stored).get(tenant) ?? 0)
    if (over !== undefined) return yield* new TenantFull({ tenant, over })
  })
