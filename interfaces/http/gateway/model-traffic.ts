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
import type { JobHead } from "../../../domain/job/job.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import type { Exchange } from "../exchange.ts"
import { type KnownCallers, makeKnownCallers } from "./known-callers.ts"
import { type ModelContext, makeModelGateway } from "./model-gateway.ts"
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

/** jobs whose model is remembered */
const maxModels = 1_000

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
      // a job's model never changes
      const models = new LRUCache<string, JobHead["model"]>({ max: maxModels })
      const modelOf = ({ jobId, index }: UnitId) => {
        const known = models.get(jobId)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(store.loadBenchmark(jobId, index), ({ head }) => {
          models.set(jobId, head.model)
          return head.model
        })
      }
      return {
        identify: makeKnownCallers().identify,
        handle: ({ exchange, unit, base, path }: ModelRequest) =>
          Effect.gen(function* () {
            const model = yield* modelOf(unit)
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
              witness: witnesses.of(unit)
            })
            yield* untilClosed(sink)
            return "answered" as const
          })
      }
    })
  )
