/**
 * Test data of a local unit, fetched by the same code as in a pod's init container, with the keys of a local secret. The directory is
 * read-only afterwards. Contract: adapter 7.2.
 */
import { chmodSync, mkdirSync } from "node:fs"
import { Effect } from "effect"
import type { LaunchRefused } from "../../application/ports/runtime.ts"
import type { SecretReader } from "../../application/ports/secret-reader.ts"
import type { FetchTestData, TestDataFailed } from "../../application/ports/test-data.ts"
import type { StageTestData } from "./local-options.ts"

export interface TestDataLimits {
  /** setting `test_data.max_bytes` */
  readonly maxBytes: number
  /** setting `test_data.timeout_seconds` */
  readonly timeoutSeconds: number
}

const maxObjects = 100_000
const parallel = 4

const refused = (code: string, message: string): LaunchRefused => ({ _tag: "LaunchRefused", code, message })

const ofFailure = ({ reason, message }: TestDataFailed): LaunchRefused => refused(reason === "not_found" ? "test_data_not_found" : "init_failed", message)

const ofSystem = (cause: unknown): LaunchRefused =>
  refused("init_failed", `the test data directory cannot be prepared: ${cause instanceof Error ? cause.message : String(cause)}`)

/** the local runtime's `testData`; `fetch` is the downloader */
export const stageTestData =
  (fetch: FetchTestData, secrets: SecretReader["Type"], limits: TestDataLimits): StageTestData =>
  (unit, directory) =>
    Effect.gen(function* () {
      const { testData } = unit.benchmark.entry
      if (testData === undefined) return
      const { bucket, key, secretRef } = testData.s3
      const secret = yield* Effect.mapError(secrets.read(secretRef), ({ reason, message }) =>
        reason === "absent"
          ? refused("secret_not_found", `${message}; create it as a directory with one file per key (mode 600) below local.secrets_dir`)
          : refused("init_failed", message)
      )
      yield* Effect.try({
        try: () => {
          mkdirSync(directory, { recursive: true, mode: 0o755 })
          // an earlier attempt left it read-only
          chmodSync(directory, 0o755)
        },
        catch: ofSystem
      })
      // the user's own machine asks, so that any address is allowed; the staging folder beside the target keeps what a restart needs
      yield* Effect.mapError(
        fetch({
          bucket,
          key,
          secret,
          target: directory,
          staging: `${directory}.part`,
          ...limits,
          maxObjects,
          parallel,
          egress: undefined,
          requireTls: false
        }),
        ofFailure
      )
      yield* Effect.try({ try: () => chmodSync(directory, 0o555), catch: ofSystem })
    })
