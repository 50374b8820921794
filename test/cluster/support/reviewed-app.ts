/** The HTTP interface with callers reviewed by the real control plane, as the given account. */
import { Effect, Layer } from "effect"
import type { PodBinding } from "../../../domain/access/reporting.ts"
import * as AccessReview from "../../../infrastructure/kubernetes/access/access-review.ts"
import * as Client from "../../../infrastructure/kubernetes/client/client.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import * as App from "../../support/http-app.ts"
import { type Account, Cluster } from "./cluster.ts"

export interface ReviewedOptions {
  readonly api: Account
  readonly audiences?: ReadonlyArray<string>
  /** 0, so that tests see every change at once */
  readonly allowSeconds?: number
  readonly podBinding?: PodBinding
  /** one that starts nothing, unless it is given */
  readonly runtime?: App.AppOptions["runtime"]
}

const groups = { service: "evald.internal", tracker: "mlflow.kubeflow.org" }

export const reviewedApp = ({ api, audiences = [], allowSeconds = 0, podBinding, runtime }: ReviewedOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const cluster = yield* Cluster
      const connection = cluster.connectionAs(yield* cluster.tokenOf(api))
      const reviews = AccessReview.layer({
        audiences,
        refusedTokens: { perSource: 1000, total: 10_000 },
        allowSeconds
      }).pipe(Layer.provide(Client.layer({ connection, qps: 50, burst: 100 })))
      return App.layer({
        authentication: Authentication.layerReviewed({ groups, allowSeconds }).pipe(Layer.provide(reviews)),
        server: { local: false, pages: "dist/ui" },
        ...(runtime === undefined ? {} : { runtime }),
        ...(podBinding === undefined ? {} : { settings: { reporting: { secretOnly: false, podBinding } } })
      })
    })
  )
