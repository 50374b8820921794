/**
 * Test data of a local unit, fetched by the same code as in a pod's init container, with the keys of a local secret; or copied from a
 * folder of this machine that stands for the bucket. The directory is read-only afterwards. Reference: gateway.md, "Test data".
 */

import { chmodSync, mkdirSync } from "node:fs"
import { Effect, type Redacted } from "effect"
import type { LaunchRefused } from "../../../application/ports/runtime.ts"
import type { SecretReader } from "../../../application/ports/secret-reader.ts"
import type { FetchTestData, TestDataFailed } from "../../../application/ports/test-data.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import type { FolderStorage } from "../../objectstore/folder-storage.ts"
import { refused } from "../../unit/launch-refused.ts"
import type { StageTestData } from "../local-options.ts"

export interface TestDataLimits {
  /** setting `test_data.max_bytes` */
  readonly maxBytes: number
  /** setting `test_data.timeout_seconds` */
  readonly timeoutSeconds: number
}

const maxObjects = 100_000
const parallel = 4

const ofFailure = ({ reason, message }: TestDataFailed): LaunchRefused =>
  refused(reason === "not_found" ? "test_data_not_found" : "init_failed", message)

const ofSystem = (cause: unknown): LaunchRefused =>
  refused(
    "init_failed",
    `the test data directory cannot be prepared: ${cause instanceof Error ? cause.message : String(cause)}`
  )

export interface TestDataSources {
  /** the downloader */
  readonly fetch: FetchTestData
  readonly secrets: SecretReader["Type"]
  readonly way: WayOut
  /** folders that stand for buckets (`local.test_data_dir`); undefined: none do */
  readonly folders: FolderStorage | undefined
}

const secretNamed = (secrets: SecretReader["Type"], name: string | undefined) =>
  name === undefined
    ? Effect.fail(
        refused(
          "secret_not_found",
          "test_data_ref.s3 names no secret_ref, and no folder below local.test_data_dir stands for its bucket"
        )
      )
    : Effect.mapError(secrets.read(name), ({ reason, message }) =>
        reason === "absent"
          ? refused(
              "secret_not_found",
              `${message}; create it as a directory with one file per key (mode 600) below local.secrets_dir`
            )
          : refused("init_failed", message)
      )

/** the local runtime's `testData` */
export const stageTestData =
  ({ fetch, secrets, folders, way }: TestDataSources, limits: TestDataLimits): StageTestData =>
  (unit, directory) =>
    Effect.gen(function* () {
      const { testData } = unit.benchmark.entry
      if (testData === undefined) return
      const { bucket, key, secretRef } = testData.s3
      const local = folders?.holds(bucket) === true ? folders : undefined
      yield* Effect.try({
        try: () => {
          mkdirSync(directory, { recursive: true, mode: 0o755 })
          // an earlier attempt left it read-only
          chmodSync(directory, 0o755)
        },
        catch: ofSystem
      })
      // the staging folder beside the target keeps what a restart needs
      const wanted = { bucket, key, target: directory, staging: `${directory}.part`, ...limits, maxObjects }
      // the user's own machine asks, so that any address is allowed
      const download = (secret: ReadonlyMap<string, Redacted.Redacted>) =>
        fetch({ ...wanted, secret, parallel, egress: undefined, way, requireTls: false })
      yield* Effect.mapError(
        local === undefined ? download(yield* secretNamed(secrets, secretRef)) : local.copy(wanted),
        ofFailure
      )
      yield* Effect.try({ try: () => chmodSync(directory, 0o555), catch: ofSystem })
    })
