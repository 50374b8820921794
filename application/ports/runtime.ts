/**
 * Where benchmarks run: local processes or Kubernetes Jobs. A *unit* is one launch of one benchmark. All calls are idempotent;
 * names are deterministic, so that a repeated launch after a crash is harmless. Facts may repeat, come late or stop:
 * reconcile is level-triggered and uses `observe` on start and on a timer.
 */
import { Context, type Effect, type Stream } from "effect"
import type { Backing, Benchmark, JobHead, JobRequest } from "../../domain/job/job.ts"
import type { StatusEvent } from "../../domain/job/status-event.ts"
import type { Sample } from "../../domain/sample/sample.ts"
import type { Violation } from "../../domain/violation.ts"
import type { NotFound, Unavailable } from "../errors.ts"

export interface UnitId {
  readonly tenant: string
  readonly jobId: string
  readonly index: number
  readonly attempt: number
}

/** everything a launch needs, read from the database after the task was claimed */
export interface Unit extends UnitId {
  readonly head: JobHead
  readonly benchmark: Benchmark
  readonly request: JobRequest
}

export type UnitFact =
  | { readonly _tag: "Started"; readonly unit: UnitId; readonly at: string }
  /** a terminal event that the adapter spooled but could not deliver: apply as if posted */
  | {
      readonly _tag: "Spooled"
      readonly unit: UnitId
      readonly event: StatusEvent
      readonly acknowledge: Effect.Effect<void>
    }
  /** the unit ended and may have left sample records in its folder; `collect` gives each batch of them to `take`, one after the other */
  | {
      readonly _tag: "LeftSamples"
      readonly unit: UnitId
      readonly collect: <R>(
        take: (samples: ReadonlyArray<Sample>) => Effect.Effect<void, never, R>
      ) => Effect.Effect<void, never, R>
    }
  /** the unit ended for good; `message` says why in a user's words when no terminal event came */
  | {
      readonly _tag: "Ended"
      readonly unit: UnitId
      readonly at: string
      readonly exitCode?: number
      readonly signal?: string
      /** message code when no terminal event was accepted, e.g. adapter_exited_without_result, adapter_failed_to_start, out_of_memory */
      readonly code: string
      readonly message: string
      /** last log lines, redacted */
      readonly logTail: ReadonlyArray<string>
      /** a late terminal event was waited for already */
      readonly waited?: boolean
    }
  /** not running yet and why (unschedulable, queue_inadmissible): the benchmark stays pending, the reason is shown */
  | { readonly _tag: "Waiting"; readonly unit: UnitId; readonly code: string; readonly message: string }
  /** something is wrong that may pass, in any state; `interrupted`: the unit was taken off its node and will start again from its beginning */
  | {
      readonly _tag: "Warned"
      readonly unit: UnitId
      readonly code: string
      readonly message: string
      readonly interrupted?: boolean
    }
  /** what was warned of with this code is over */
  | { readonly _tag: "Recovered"; readonly unit: UnitId; readonly code: string }
  /** a part of what the launch made is gone: launching again puts it back */
  | { readonly _tag: "Incomplete"; readonly unit: UnitId }

/** the launch is impossible and will stay so; the benchmark fails with this code */
export interface LaunchRefused {
  readonly _tag: "LaunchRefused"
  readonly code: string
  readonly message: string
}

/** the name of this attempt is held by an object that is still being removed: the next attempt has another name */
export interface LaunchHeld {
  readonly _tag: "LaunchHeld"
  readonly message: string
}

export interface LogQuery {
  /** last lines only, 1..10000; all that are kept when it is left out */
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly timestamps: boolean
  readonly follow: boolean
}

export interface UnitLog {
  /** `live`: from the unit itself; `captured`: kept when it ended, at most its last lines */
  readonly source: "live" | "captured"
  /** UTF-8 */
  readonly text: Stream.Stream<Uint8Array, Unavailable>
}

export class Runtime extends Context.Tag("evald/application/ports/Runtime")<
  Runtime,
  {
    readonly kind: "local" | "cluster"
    /**
     * What this runtime can tell at submission (no command for this mode, framework not installed): violations at the entries.
     * `Unavailable`: nothing can run here until the server is started anew with access to a cluster.
     */
    readonly check: (
      benchmarks: ReadonlyArray<Pick<Benchmark, "index" | "entry" | "snapshot">>
    ) => Effect.Effect<ReadonlyArray<Violation>, Unavailable>
    /** launches that may start now; the launcher claims no more tasks than this. A cluster answers with its rate limit. */
    readonly freeSlots: Effect.Effect<number>
    /** resolves when `freeSlots` may have grown (a hint) */
    readonly awaitSlot: Effect.Effect<void>
    /** name of what a launch would make for the unit, stored with its benchmark before; undefined where names are not kept */
    readonly backingName: (unit: Pick<UnitId, "jobId" | "index" | "attempt">) => string | undefined
    /**
     * Returns once the unit is started (or was before), with what is to be stored about it; its end comes as a fact. A unit whose stored
     * `backing` says that it was launched is never made a second time.
     */
    readonly launch: (unit: Unit) => Effect.Effect<Backing | undefined, LaunchRefused | LaunchHeld | Unavailable>
    /** ends the unit and everything it started; returns once nothing is left. Logs stay unless `discard`. Unknown units are fine. */
    readonly stop: (unit: UnitId, options: { readonly discard: boolean }) => Effect.Effect<void, Unavailable>
    /** `stop` for every unit of the job, also of one that is already forgotten by the store; with `discard` nothing of it is left */
    readonly stopJob: (
      job: { readonly tenant: string; readonly jobId: string },
      options: { readonly discard: boolean }
    ) => Effect.Effect<void, Unavailable>
    /**
     * Facts about all units, first of all about those that an earlier process left behind; never ends. One consumer: a fact is handed
     * out once, and none is dropped while nobody listens.
     */
    readonly facts: Stream.Stream<UnitFact>
    /**
     * What the runtime knows about these units right now: the answer for a unit it does not know is "Gone". A unit that just ended counts
     * as "Alive" for some seconds more, until its end was told as a fact.
     */
    readonly observe: (
      units: ReadonlyArray<UnitId>
    ) => Effect.Effect<
      ReadonlyArray<{ readonly unit: UnitId; readonly status: "Queued" | "Alive" | "Gone" }>,
      Unavailable
    >
    /** log of a unit; with `follow` until the unit ends */
    readonly logs: (unit: UnitId, query: LogQuery) => Effect.Effect<UnitLog, NotFound | Unavailable>
    readonly ping: Effect.Effect<void, Unavailable>
  }
>() {}
