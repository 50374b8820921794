/**
 * Samples at rest. One implementation per database and one in memory; all pass the same contract suite. Samples go with their job; what
 * is only marked as gone is removed in small steps (`purge`). Reference: samples.md, "Storage".
 */
import { Context, Data, type Effect, type Scope } from "effect"
import type { ScoredSample } from "../../../domain/comparison/pair-samples.ts"
import type { SampleContent } from "../../../domain/sample/kept-document.ts"
import type { Sample, SampleKey } from "../../../domain/sample/sample.ts"
import type { SampleKind, SamplePosition, SampleQuery } from "../../../domain/sample/sample-query.ts"
import type { SampleSeal, SampleSummary } from "../../../domain/sample/summary.ts"
import type { Violation } from "../../../domain/violation.ts"
import type { NotFound, Unavailable } from "../../errors.ts"

/** a benchmark of a job */
export interface SampleUnit {
  readonly tenant: string
  readonly jobId: string
  readonly index: number
}

/** a job, or one benchmark of it */
export interface SampleScope {
  readonly tenant: string
  readonly jobId: string
  readonly index?: number
}

/** what a store keeps of a record, made by whoever read it */
export interface MadeText {
  /** what of the record is in it */
  readonly content: SampleContent
  /** as `StoredSample.digest` */
  readonly digest: string
  /** as `ScoredSample.prompt` */
  readonly prompt: string | undefined
  /** the text as UTF-8 lies here, from one byte to another, until the call is over */
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

export interface IncomingSample extends Sample {
  readonly made?: MadeText
}

/** what the lines of a call come to */
export type ReadLines =
  /** for what is wrong with all of it */
  | {
      readonly _tag: "Refused"
      readonly code: "invalid_json_request" | "request_body_too_large"
      readonly message: string
    }
  | { readonly _tag: "Wrong"; readonly problems: readonly [Violation, ...ReadonlyArray<Violation>] }
  | {
      readonly _tag: "Read"
      readonly samples: ReadonlyArray<IncomingSample>
      /** members that were left out, each once */
      readonly unknown: ReadonlyArray<string>
    }

export interface ReadOptions {
  /** `samples.content` */
  readonly content: SampleContent
  /** problems, and unknown members, after which no more are looked for */
  readonly most: number
}

export interface AddOptions {
  /** `samples.max_per_job` */
  readonly maxPerJob: number
  /** `samples.content` */
  readonly content: SampleContent
}

export interface Added {
  readonly stored: number
  readonly replaced: number
  readonly duplicate: number
}

/** nothing of the call was stored */
export class SamplesRefused extends Data.TaggedError("SamplesRefused")<{
  /** `full`: of the job; `kinds`: too many distinct combinations of verdict, reason, finish reason and flags */
  readonly why: "conflict" | "full" | "kinds"
  /** of the records that contradict stored ones, all of them */
  readonly keys: ReadonlyArray<SampleKey>
}> {}

/** what is known without reading the record */
export interface StoredSample extends SampleKey, Omit<Sample, "scores" | "document"> {
  /** index of the benchmark in its job */
  readonly benchmark: number
  /** SHA-256 of the canonical record without its volatile members, 64 hex digits */
  readonly digest: string
  readonly position: SamplePosition
  /** where the store finds the record */
  readonly place: { readonly chunk: number; readonly start: number; readonly length: number }
}

export interface SamplePage {
  readonly items: ReadonlyArray<StoredSample>
  /** exact */
  readonly total: number
  readonly more: boolean
}

export class SampleStore extends Context.Tag("evald/application/ports/SampleStore")<
  SampleStore,
  {
    /**
     * Reads the body of one call, a record a line, and makes of each what is kept of it. Others are served meanwhile. Neither the body's memory nor
     * a record is looked at once the scope has ended: it is the next call's.
     */
    readonly read: (body: Buffer, options: ReadOptions) => Effect.Effect<ReadLines, never, Scope.Scope>
    /** one call, all of it or nothing; repeating it stores nothing twice. NotFound: the job is gone. */
    readonly add: (
      unit: SampleUnit,
      samples: ReadonlyArray<IncomingSample>,
      options: AddOptions
    ) => Effect.Effect<Added, SamplesRefused | NotFound | Unavailable>
    readonly page: (scope: SampleScope, query: SampleQuery) => Effect.Effect<SamplePage, Unavailable>
    /** the first by task when several tasks have the id */
    readonly find: (
      unit: SampleUnit,
      key: { readonly sampleId: string; readonly repeat: number; readonly task?: string }
    ) => Effect.Effect<StoredSample | undefined, Unavailable>
    /** the records as JSON text, in the order of `samples`; undefined: removed meanwhile */
    readonly texts: (
      samples: ReadonlyArray<StoredSample>
    ) => Effect.Effect<ReadonlyArray<string | undefined>, Unavailable>
    /** how many samples are of which kind; empty: no sample is stored */
    readonly kinds: (
      unit: SampleUnit
    ) => Effect.Effect<ReadonlyArray<SampleKind & { readonly stored: number }>, Unavailable>
    /** undefined: no sample is stored */
    readonly summary: (unit: SampleUnit) => Effect.Effect<SampleSummary | undefined, Unavailable>
    /**
     * What comparisons look at of all samples, in the order of the bytes of their keys; `prompt` stands for `prompt_sha256` and is equal
     * exactly where that is. Undefined: there are more than `most`.
     */
    readonly scored: (
      unit: SampleUnit,
      most: number
    ) => Effect.Effect<ReadonlyArray<ScoredSample> | undefined, Unavailable>
    /**
     * SHA-256 (hex) over the digests of all samples in the order of the bytes of their keys; undefined: no sample is stored. Kept until
     * the next change, else its cost grows with their number.
     */
    readonly digest: (unit: SampleUnit) => Effect.Effect<SampleSeal | undefined, Unavailable>
    /** the digests of all samples, 32 bytes each, in that order */
    readonly digests: (unit: SampleUnit) => Effect.Effect<Uint8Array, Unavailable>
    /** marks what was not added to since `before` (ISO time) as gone */
    readonly expire: (before: string) => Effect.Effect<void, Unavailable>
    /** removes at most about `limit` rows of what is gone; answers whether there is more */
    readonly purge: (limit: number) => Effect.Effect<boolean, Unavailable>
  }
>() {}
