/**
 * Model traffic of local units: which job's endpoint and which secret a request below `/cb/<secret>/model` belongs to. The streaming
 * itself is `model-gateway.ts`. Reference: adapter-contract.md, "Addresses"; gateway.md, "Routes".
 */
import { Context, Effect, Either, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { NotFound, Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { SecretReader } from "../../../application/ports/secret-reader.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { Budget } from "../../../domain/budget/budget.ts"
import type { Benchmark, JobHead } from "../../../domain/job/job.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import type { Exchange } from "../exchange.ts"
import { type KnownCallers, makeKnownCallers } from "./known-callers.ts"
import { type ModelContext, makeModelGateway } from "./model-gateway.ts"
import { type Held, makeUnitBudgets } from "./unit-budgets.ts"
import { UnitRequestLogs } from "./unit-request-logs.ts"
import { UnitWitnesses } from "./unit-witnesses.ts"
import { untilClosed } from "./until-closed.ts"

export interface ModelRequest {
  readonly exchange: Exchange
  readonly unit: UnitId
  /** path of the gateway: `/cb/<secret>/model` */
  readonly base: string
  /** undecoded path and query below it */
  readonly path: string
}

/** the default serves no model traffic: clusters have a sidecar per pod */
export class ModelTraffic extends Context.Reference<ModelTraffic>()("evald/interfaces/http/ModelTraffic", {
  defaultValue: (): {
    /** answers on the raw streams; undefined: not served here, like an unknown route */
    readonly handle: (request: ModelRequest) => Effect.Effect<"answered" | undefined, NotFound | Unavailable>
    /** the unit that a secret belongs to, from memory where it was looked up lately */
    readonly identify: KnownCallers["identify"]
  } => ({ handle: () => Effect.sync(() => undefined), identify: (_, lookUp) => lookUp })
}) {}

interface UnitTarget {
  readonly model: JobHead["model"]
  /** where its answers are kept; undefined: nowhere */
  readonly place: { readonly job: string; readonly index: number } | undefined
  readonly held: Held
}

const heldOf = ({ budget }: { readonly budget?: Budget }, { snapshot }: Benchmark): Held => ({
  own: snapshot.budget,
  job: budget,
  price: snapshot.price
})

/** benchmarks whose model is remembered */
const maxTargets = 1_000

/** `way`: how models are reached */
export const layer = (way: WayOut): Layer.Layer<ModelTraffic, never, JobStore | SecretReader> =>
  Layer.scoped(
    ModelTraffic,
    Effect.gen(function* () {
      const store = yield* JobStore
      const secrets = yield* SecretReader
      const witnesses = yield* UnitWitnesses
      const gateway = yield* Effect.acquireRelease(
        Effect.sync(() => makeModelGateway({ way })),
        ({ close }) => Effect.sync(close)
      )
      const secretOf = (name: string | undefined): Effect.Effect<ModelContext["secret"]> =>
        name === undefined
          ? Effect.succeed(Either.right(undefined))
          : Effect.either(secrets.read(name)).pipe(Effect.map(Either.mapLeft(({ message }) => ({ message }))))
      const logs = yield* UnitRequestLogs
      const budgets = yield* makeUnitBudgets
      // what was asked of a benchmark never changes
      const targets = new LRUCache<string, UnitTarget>({ max: maxTargets })
      const targetOf = ({ jobId, index }: UnitId) => {
        const known = targets.get(`${jobId}/${index}`)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(store.loadBenchmark(jobId, index), ({ head: { model }, benchmark, job }) => {
          const place = benchmark.resumes ?? { job: jobId, index }
          const target: UnitTarget = {
            model,
            place: job.resume === true ? place : undefined,
            held: heldOf(job, benchmark)
          }
          targets.set(`${jobId}/${index}`, target)
          return target
        })
      }
      return {
        identify: makeKnownCallers().identify,
        handle: ({ exchange, unit, base, path }: ModelRequest) =>
          Effect.gen(function* () {
            const { model, place, held } = yield* targetOf(unit)
            const witness = witnesses.of(unit)
            // of a unit that an earlier server launched nobody knows which answers it was given already
            const log = place === undefined || witness === undefined ? undefined : yield* logs.of(unit, place)
            const budget = yield* budgets.of(unit, held, witness)
            const { source, sink, trace, expectsContinue } = exchange
            const secret = yield* secretOf(model.auth?.secretRef)
            const publicBase = `http://127.0.0.1:${source.socket.localPort ?? 0}${base}`
            gateway.handle(source, sink, {
              modelUrl: model.url,
              secret,
              path,
              publicBase,
              trace,
              expectsContinue,
              witness,
              log,
              budget
            })
            yield* untilClosed(sink)
            return "answered" as const
          })
      }
    })
  )
