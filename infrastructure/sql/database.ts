/** Everything that is stored, from one configuration: the composition roots need no other file of this folder. */
import { Layer } from "effect"
import * as ChangeHub from "../in-process/change-hub.ts"
import * as Identifiers from "../in-process/identifiers.ts"
import * as TaskSignals from "../in-process/task-signals.ts"
import * as Announcements from "./changes/announcements.ts"
import * as SqlChangeFeed from "./changes/change-feed.ts"
import * as Activity from "./connection/activity.ts"
import type { DatabaseConfig } from "./connection/location.ts"
import * as OpenDatabase from "./connection/open.ts"
import * as SqlJobStore from "./job-store.ts"
import * as Migrate from "./migrate.ts"
import * as NameIndex from "./name-index.ts"
import * as SqlAuditLog from "./records/audit-log.ts"
import * as SqlCollectionStore from "./records/collection-store.ts"
import * as SqlDecisionStore from "./records/decision-store.ts"
import * as SqlFinishedJobs from "./records/finished-jobs.ts"
import * as SqlIdempotency from "./records/idempotency.ts"
import * as SqlNotificationStore from "./records/notification-store.ts"
import * as SqlPlanSeals from "./records/plan-seals.ts"
import * as SqlProviderStore from "./records/provider-store.ts"
import * as SqlStoredBytes from "./records/stored-bytes.ts"
import * as SqlUnitRecords from "./records/unit-records.ts"
import * as SqlUnitSecrets from "./records/unit-secrets.ts"
import * as SqlUsageStore from "./records/usage-store.ts"
import type { WireOptions } from "./rows/benchmark-wire.ts"
import * as SqlSampleStore from "./sample-store.ts"
import * as SqlStatistics from "./statistics.ts"
import * as SqlLeases from "./tasks/leases.ts"
import * as SqlTaskQueue from "./tasks/task-queue.ts"

export type StorageConfig = DatabaseConfig & WireOptions

/** every storage port and `Identifiers` over an opened database, which is migrated first; `connections` is the size of a server's pool */
export const ports = (options: WireOptions, connections: number) =>
  Layer.mergeAll(
    SqlJobStore.layer({ vendorAliases: options.vendorAliases }),
    SqlTaskQueue.layer,
    SqlChangeFeed.layer,
    SqlUnitSecrets.layer,
    SqlProviderStore.layer,
    SqlCollectionStore.layer,
    SqlIdempotency.layer,
    SqlPlanSeals.layer,
    SqlStatistics.layer,
    SqlFinishedJobs.layer,
    SqlSampleStore.layer,
    SqlDecisionStore.layer,
    SqlAuditLog.layer,
    SqlUsageStore.layer,
    SqlStoredBytes.layer,
    SqlNotificationStore.layer,
    SqlLeases.layer,
    SqlUnitRecords.layer
  ).pipe(
    Layer.provideMerge(Identifiers.layer),
    Layer.provide([Announcements.layer, NameIndex.layer]),
    Layer.provide([ChangeHub.layer, TaskSignals.layer]),
    Layer.provide(Migrate.layer),
    Layer.provide(Activity.layer(connections))
  )

/** opens, locks (files), migrates, and provides every storage port and `Identifiers` */
export const layer = (config: StorageConfig) =>
  Layer.provide(ports(config, config.poolSize), OpenDatabase.layer(config))
