/** What a user may write into an `EvaluationService`; its parts are in `spec/`. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { isObject } from "../../values/json.ts"
import { always, byDefault, judged, optional, required, shown } from "./crd-field.ts"
import { Database } from "./spec/database.ts"
import { evaluation } from "./spec/evaluation.ts"
import { Expose, NetworkPolicy, Tls } from "./spec/network.ts"
import { Metrics, Otel, Tracker } from "./spec/peers.ts"
import { pods } from "./spec/pods.ts"

/** taken as it is; the server's own table of settings judges it */
const FreeForm = shown(
  Schema.declare(isObject).annotations({ identifier: "FreeForm" }) as Schema.Schema<{
    readonly [key: string]: unknown
  }>,
  { type: "object", maxProperties: 32, "x-kubernetes-preserve-unknown-fields": true }
)

export const InstanceSpec = judged(
  Schema.Struct({
    ...pods,
    database: required(Database, "where jobs and results are kept"),
    ...evaluation,
    tracker: optional(Tracker, "the tracking server; absent is none"),
    otel: optional(Otel, "presence sends traces to a collector"),
    metrics: always(Metrics, "metrics of the service"),
    tls: optional(Tls, "the certificate of the API; absent is the operator's default"),
    networkPolicy: always(NetworkPolicy, "who may reach whom"),
    expose: always(Expose, "access from outside the cluster"),
    config: byDefault(FreeForm, {}, "further settings of the server, as in its config.yaml")
  }),
  {
    rule: "self.database.type != 'sqlite' || self.replicas == 1",
    message: "sqlite is a file that one pod owns: set replicas to 1, or use database.type postgresql"
  }
)
export type InstanceSpec = typeof InstanceSpec.Type
