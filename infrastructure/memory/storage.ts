/** Every storage port without a database, for tests. */
import { Layer } from "effect"
import * as ChangeHub from "../in-process/change-hub.ts"
import * as Identifiers from "../in-process/identifiers.ts"
import * as TaskSignals from "../in-process/task-signals.ts"
import type { WireOptions } from "../sql/rows/benchmark-wire.ts"
import * as AuditLog from "./audit-log.ts"
import * as ChangeFeed from "./change-feed.ts"
import * as DecisionStore from "./decision-store.ts"
import * as DefinitionStores from "./definition-stores.ts"
import * as FinishedJobs from "./finished-jobs.ts"
import * as Idempotency from "./idempotency.ts"
import * as JobStore from "./job-store.ts"
import * as Leases from "./leases.ts"
import * as NotificationStore from "./notification-store.ts"
import * as PlanSeals from "./plan-seals.ts"
import * as SampleStore from "./sample-store.ts"
import * as Statistics from "./statistics.ts"
import * as StoredBytes from "./stored-bytes.ts"
import * as Tables from "./tables.ts"
import * as TaskQueue from "./task-queue.ts"
import * as UnitRecords from "./unit-records.ts"
import * as UnitSecrets from "./unit-secrets.ts"
import * as UsageStore from "./usage-store.ts"

/** empty each time it is built; provides every storage port and `Identifiers` */
export const layer = (options: WireOptions) =>
  Layer.mergeAll(
    JobStore.layer(options),
    TaskQueue.layer,
    ChangeFeed.layer,
    UnitSecrets.layer,
    DefinitionStores.layer,
    Idempotency.layer,
    PlanSeals.layer,
    Leases.layer,
    UnitRecords.layer,
    Statistics.layer,
    FinishedJobs.layer,
    StoredBytes.layer,
    SampleStore.layer,
    DecisionStore.layer,
    NotificationStore.layer,
    AuditLog.layer,
    UsageStore.layer
  ).pipe(Layer.provideMerge(Identifiers.layer), Layer.provide([Tables.layer, ChangeHub.layer, TaskSignals.layer]))
