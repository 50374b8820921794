/** What the local runtime is told by its composition root: plain values and the few effects that only the whole server can give. */
import { Data, type Effect, type Redacted } from "effect"
import type { LaunchRefused, Unit } from "../../application/ports/runtime.ts"
import type { DocumentOptions } from "../unit/job-document.ts"
import type { EnvironmentOptions } from "./environment.ts"
import type { FrameworkProbe } from "./framework-probe.ts"
import type { Priority } from "./process/priority.ts"
import type { ProcessNamespace } from "./process/process-namespace.ts"
import type { ProcessLimits } from "./process/unit-process.ts"
import type { LingerLimit } from "./unit/linger.ts"

/**
 * Writes the model-credential files an adapter may see into `directory` (exists, 0700, empty). `gateway` is the address that stands in
 * for the model. Answers with every real value that was read, so that none of them can appear in a log.
 */
export type ModelAuth = (request: {
  readonly secretRef: string
  readonly gateway: string
  readonly directory: string
}) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, LaunchRefused>

/** fills `directory` with the test data of the unit before its process starts; interruptible */
export type StageTestData = (unit: Unit, directory: string) => Effect.Effect<void, LaunchRefused>

export interface LocalRuntimeOptions {
  /** made with mode 0700; must belong to the user */
  readonly baseDir: string
  /** unique per set of servers that share a database */
  readonly instance: string
  /** units at once, 1..5 */
  readonly workers: number
  /** `http://127.0.0.1:<port>`, known once the server listens; launches wait for it */
  readonly callbackBase: Effect.Effect<string>
  readonly modelAuth: ModelAuth
  /** absent: benchmarks with test data are refused at submission */
  readonly testData?: StageTestData
  /** whether model traffic goes through the gateway; `auto`: when the job names credentials */
  readonly modelProxy: "auto" | "always" | "never"
  readonly document: DocumentOptions
  readonly environment: EnvironmentOptions
  /** finds what local adapters need on this machine; absent: nothing is checked at submission */
  readonly frameworks?: FrameworkProbe
  readonly limits: ProcessLimits
  /** of units; absent: that of the server */
  readonly priority?: Priority
  /** what holds everything a unit starts; launches wait for the answer. Absent or undefined: units run among the processes of the machine */
  readonly namespace?: Effect.Effect<ProcessNamespace | undefined>
  /** units go on when the server ends, and the next one takes them over (`local.adopt`); default false: they end with it */
  readonly adopt?: boolean
  /** ends units that outlive their benchmarks; absent: they go on until they end by themselves */
  readonly linger?: LingerLimit
  readonly logMaxBytes: number
  /** how long the files of an ended unit are kept */
  readonly retainSeconds: number
  /** bytes that files of units may take; absent: any number */
  readonly maxBytes?: number
  /** secrets of the server that must not appear in captured logs */
  readonly redact: ReadonlyArray<Redacted.Redacted>
  /** time between SIGTERM and SIGKILL; default 10,000 */
  readonly stopGraceMillis?: number
  /** how long an ended unit counts as alive, so that its end is told before anybody misses it; default 30,000 */
  readonly settleMillis?: number
}

/** the local runtime can not work on this machine as configured; the message says what to change */
export class LocalRuntimeUnusable extends Data.TaggedError("LocalRuntimeUnusable")<{ readonly message: string }> {}
