/**
 * Fetching the test data of one benchmark from object storage into a directory. The init container of a pod and the local runtime call
 * the same code with different limits. Calling it again after an interruption keeps what is complete. Reference: gateway.md, "Test data".
 */
import { Data, type Effect, type Redacted } from "effect"
import type { EgressPolicy } from "../../domain/egress.ts"
import type { WayOut } from "../../domain/proxies.ts"

export interface TestDataRequest {
  readonly bucket: string
  /** a folder: the object of this key and everything below `<key>/`; "" is the whole bucket */
  readonly key: string
  /** keys of the user's secret: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_DEFAULT_REGION`, `AWS_S3_ENDPOINT`; see the contract */
  readonly secret: ReadonlyMap<string, Redacted.Redacted>
  /** exists; relative paths of the objects are kept below it */
  readonly target: string
  /** for unfinished files and the list of finished ones, on the same file system; below `target` it is removed at the end */
  readonly staging: string
  readonly maxBytes: number
  readonly maxObjects: number
  /** objects at the same time */
  readonly parallel: number
  /** of the whole run */
  readonly timeoutSeconds: number
  /** undefined: any address, because the user's own machine asks */
  readonly egress: EgressPolicy | undefined
  /** default: no proxy */
  readonly way?: WayOut
  /** plain http endpoints are refused */
  readonly requireTls: boolean
}

export interface TestDataSummary {
  readonly objects: number
  readonly bytes: number
}

/**
 * `configuration`: a secret key is missing or unusable; `not_found`: no object or no such bucket; `denied`: access or signature refused;
 * `unreachable`: endpoint, TLS, attempts or time used up; `too_large`: a limit; `unsafe_key`: a key that is no safe path; `volume_full`.
 */
export type TestDataReason =
  | "configuration"
  | "not_found"
  | "denied"
  | "unreachable"
  | "too_large"
  | "unsafe_key"
  | "volume_full"

/** the message is for users: it names what to change and holds no credential and no signed address */
export class TestDataFailed extends Data.TaggedError("TestDataFailed")<{
  readonly reason: TestDataReason
  readonly message: string
  /** listed before the failure, when the listing was complete */
  readonly listed?: TestDataSummary
}> {}

export type FetchTestData = (request: TestDataRequest) => Effect.Effect<TestDataSummary, TestDataFailed>
