/** What handlers may ask for. The listener's runtime holds all of it, so that nothing is provided anew per request. */
import { Context, type Deferred } from "effect"
import type { RecentRecords } from "../../application/jobs/recent-records.ts"
import type { Catalog } from "../../application/ports/catalog.ts"
import type { ChangeFeed } from "../../application/ports/change-feed.ts"
import type { Identifiers } from "../../application/ports/identifiers.ts"
import type { Runtime } from "../../application/ports/runtime.ts"
import type { AuditLog } from "../../application/ports/stores/audit-log.ts"
import type { CollectionStore } from "../../application/ports/stores/collection-store.ts"
import type { DecisionStore } from "../../application/ports/stores/decision-store.ts"
import type { Idempotency } from "../../application/ports/stores/idempotency.ts"
import type { JobStore } from "../../application/ports/stores/job-store.ts"
import type { NotificationStore } from "../../application/ports/stores/notification-store.ts"
import type { PlanSeals } from "../../application/ports/stores/plan-seals.ts"
import type { ProviderStore } from "../../application/ports/stores/provider-store.ts"
import type { SampleStore } from "../../application/ports/stores/sample-store.ts"
import type { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import type { UsageStore } from "../../application/ports/stores/usage-store.ts"
import type { ReportingRule } from "../../domain/access/reporting.ts"
import type { Right } from "../../domain/access/review.ts"
import type { Writing } from "../mcp/writing.ts"
import type { Streams } from "./listener/streams.ts"
import type { Metrics } from "./metrics/metrics.ts"

/** settings that handlers look at */
export class HttpSettings extends Context.Tag("evald/interfaces/http/HttpSettings")<
  HttpSettings,
  {
    /** `service.max_body_bytes` */
    readonly maxBodyBytes: number
    /** `service.request_timeout_seconds`, in milliseconds */
    readonly stallMillis: number
    /** `compat.lenient_unknown_fields` */
    readonly lenient: boolean
    /** `local.require_callback_secret`, `auth.callbacks.pod_binding` */
    readonly reporting: ReportingRule
    /** `metrics.enabled` */
    readonly metricsEnabled: boolean
    readonly build: { readonly version: string; readonly gitHash: string }
    /** what callers are told of it */
    readonly about: {
      readonly mode: "local" | "cluster"
      /** `tenants.max_running`, `.max_queued`, `.max_stored_bytes` */
      readonly maxRunning?: number
      readonly maxQueued?: number
      readonly maxStoredBytes?: number
    }
    /** what agents may see and do at `/mcp`; absent: nobody is answered there */
    readonly mcp?: { readonly content: boolean; readonly writing?: Writing }
    /** every right that some route needs */
    readonly rights: ReadonlyArray<Right>
  }
>() {}

/** completes when the server begins to shut down, so that open streams end */
export class Draining extends Context.Tag("evald/interfaces/http/Draining")<Draining, Deferred.Deferred<void>>() {}

/** the ports that the HTTP interface needs from outside */
export type Ports =
  | JobStore
  | ProviderStore
  | CollectionStore
  | Idempotency
  | PlanSeals
  | Catalog
  | ChangeFeed
  | Runtime
  | SampleStore
  | DecisionStore
  | NotificationStore
  | AuditLog
  | UsageStore
  | UnitSecrets
  | Identifiers

export type Services = Ports | RecentRecords | Metrics | HttpSettings | Draining | Streams
