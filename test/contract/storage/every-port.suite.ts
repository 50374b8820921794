/** All storage suites on one backend. */
import { Layer } from "effect"
import { type StorageLayer, type TimedStorage, timeOfTest } from "../../support/storage.ts"
import { changeFeedSuite } from "./change-feed.suite.ts"
import { decisionsSuite } from "./decisions.suite.ts"
import { jobStoreSuite } from "./job-store.suite.ts"
import { nameSearchSuite } from "./name-search.suite.ts"
import { notificationsSuite } from "./notifications.suite.ts"
import { auditSuite } from "./records/audit.suite.ts"
import { planSealsSuite } from "./records/plan-seals.suite.ts"
import { retentionSuite } from "./retention.suite.ts"
import { runtimeRecordsSuite } from "./runtime-records.suite.ts"
import { samplesSuite } from "./samples.suite.ts"
import { taskQueueSuite } from "./task-queue.suite.ts"
import { tenantLimitsSuite } from "./tenant-limits.suite.ts"
import { tenantRecordsSuite } from "./tenant-records.suite.ts"
import { usageSuite } from "./tenants/usage.suite.ts"
import { unitSecretsSuite } from "./unit-secrets.suite.ts"

/** `timed`: the storage with how time passes in it; absent: the backend tells the time by the clock of the test */
export const everyStoragePort = (name: string, storage: StorageLayer, timed?: TimedStorage): void => {
  jobStoreSuite(name, storage)
  nameSearchSuite(name, storage)
  taskQueueSuite(name, timed ?? Layer.merge(storage, timeOfTest))
  changeFeedSuite(name, storage)
  unitSecretsSuite(name, storage)
  planSealsSuite(name, storage)
  tenantRecordsSuite(name, storage)
  samplesSuite(name, storage)
  decisionsSuite(name, storage)
  notificationsSuite(name, storage)
  auditSuite(name, storage)
  usageSuite(name, storage)
  retentionSuite(name, storage)
  tenantLimitsSuite(name, storage)
  runtimeRecordsSuite(name, storage, timed === undefined)
}
