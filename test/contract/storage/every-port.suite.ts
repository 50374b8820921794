/** All storage suites on one backend. */
import type { StorageLayer } from "../../support/storage.ts"
import { changeFeedSuite } from "./change-feed.suite.ts"
import { jobStoreSuite } from "./job-store.suite.ts"
import { taskQueueSuite } from "./task-queue.suite.ts"
import { tenantRecordsSuite } from "./tenant-records.suite.ts"
import { unitSecretsSuite } from "./unit-secrets.suite.ts"

export const everyStoragePort = (name: string, storage: StorageLayer): void => {
  jobStoreSuite(name, storage)
  taskQueueSuite(name, storage)
  changeFeedSuite(name, storage)
  unitSecretsSuite(name, storage)
  tenantRecordsSuite(name, storage)
}
