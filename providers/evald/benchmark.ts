/**
 * The shape of an embedded benchmark. Item benchmarks are data: items with a scorer each, run by one shared runner that samples, asks,
 * counts errors and computes intervals. Procedures (performance) drive the endpoint themselves. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import type { Effect, Scope } from "effect"
import type { Range } from "../../values/mean-limits.ts"
import type { JobSpec } from "../contract/job-spec.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import type { AdapterError, Callbacks, Metric, Results } from "../sdk/adapter.ts"
import type { Controls, Flag } from "../sdk/controls.ts"
import type {
  Answer,
  ChatMessage,
  EndpointCapabilities,
  ModelClient,
  ToolDefinition
} from "../sdk/model/model-exchange.ts"
import type { Unreadable } from "./answers/reading.ts"

/** nothing was said; the limit, a filter, or an error with status 200 came before the answer */
export type NoAnswer = "empty" | "truncated" | "filtered" | "error_body"

/** what a judge made of authored replies whose worth is known */
export interface Anchored {
  readonly metrics: ReadonlyArray<Metric>
  readonly flags: ReadonlyArray<Flag>
  readonly controls: Omit<Controls, "metric">
  /** goes to `additional_info.scoring` */
  readonly scoring: { readonly [key: string]: unknown }
}

/** what decided about an answer that could be read */
export type Grounds =
  | "answer_equal"
  | "answer_different"
  | "rules_kept"
  | "rules_broken"
  | "judged"
  | "refused"
  | "complied"
  | "tests_passed"
  | "tests_failed"
  | "likelihood"
  | "measured"
  | "context_too_long"

/** what a verdict rests on beside the answer's text, so that somebody else can judge again */
export interface Basis {
  /** rules that the answer was held against, with their arguments and whether it kept them */
  readonly rules?: ReadonlyArray<{ readonly [member: string]: unknown }>
  /** what a judge was and replied */
  readonly judge?: { readonly [member: string]: unknown }
  /** log-probabilities that decided */
  readonly logprobs?: { readonly [member: string]: unknown }
  /** requests beside those to the model, by role */
  readonly roleRequests?: { readonly [role: string]: number }
}

export interface ItemVerdict {
  /**
   * `invalid`: an answer came but no answer could be read from it; counts as wrong. `skipped`: could not be asked of this model (a prompt
   * longer than its context); has no scores, so that it enters no metric
   */
  readonly verdict: "correct" | "incorrect" | "invalid" | "skipped"
  readonly extracted?: string
  /** why no answer could be read, of an `invalid` verdict; else what decided, where that is not a comparison with the reference */
  readonly reason?: Unreadable | Grounds
  readonly basis?: Basis
  /** how it came that there is no answer, with reason `no_answer` */
  readonly noAnswer?: NoAnswer
  /** contribution of this item to each metric, usually 0 or 1; a metric is the mean over scored items */
  readonly scores: { readonly [metric: string]: number }
}

export interface Item {
  /** stable: `<benchmark>:<generator version>:<key>` */
  readonly id: string
  /** level and type; `num_examples` draws evenly over strata */
  readonly stratum: string
  readonly messages: ReadonlyArray<ChatMessage>
  /** sent one by one after each answer (multi-turn); the last answer is scored */
  readonly followUps?: ReadonlyArray<ChatMessage>
  readonly tools?: ReadonlyArray<ToolDefinition>
  readonly topLogprobs?: number
  readonly maxTokens: number
  readonly reference: unknown
  readonly choices?: ReadonlyArray<string>
  /** items with the same name belong together: questions about one document, one conversation */
  readonly cluster?: string
  /** contexts and continuations, where their likelihoods are asked for rather than an answer */
  readonly continuations?: ReadonlyArray<readonly [context: string, continuation: string]>
  /** a second model or code that is run decides about an answer: what other models would score cannot be told without them */
  readonly isJudged?: true
  /** probability that a guess among the answers that the question allows is right */
  readonly chance?: number
  readonly score: (answer: Answer) => ItemVerdict
  /** replaces the one question of `messages` where an item needs several requests (option orders, echoed options, a judge); `score` is then not called */
  readonly ask?: (asking: Asking) => Effect.Effect<AskedItem, AdapterError, Scope.Scope>
}

/** what an item that asks for itself may use */
export interface Asking {
  readonly client: ModelClient
  /** one answer through the route, settings and system message of the job */
  readonly generate: (
    messages: ReadonlyArray<ChatMessage>,
    options?: {
      readonly maxTokens?: number
      readonly topLogprobs?: number
      readonly seed?: number
      readonly isComplete?: (answer: Answer) => boolean
    }
  ) => Effect.Effect<Answer, AdapterError>
}

export interface AskedItem {
  readonly answer: Answer
  readonly verdict: ItemVerdict
}

/** one asked item: the verdict, or the error that is never counted as an answer */
export interface ScoredItem {
  readonly item: Item
  readonly outcome:
    | { readonly _tag: "Scored"; readonly answer: Answer; readonly verdict: ItemVerdict }
    | { readonly _tag: "Failed"; readonly error: AdapterError }
}

/** checked benchmark parameters; aliases resolved, defaults applied */
export interface ItemContext {
  readonly job: JobSpec
  readonly seed: number
  readonly fewShot: number
  readonly difficulty: "easy" | "medium" | "hard" | "mixed"
  /** the benchmark's own parameters as given */
  readonly parameters: { readonly [name: string]: unknown }
  readonly capabilities: EndpointCapabilities
}

export type Capability = "chat" | "completions" | "echo" | "logprobs" | "stream" | "tools" | "generate"

export interface ItemBenchmark {
  readonly kind: "items"
  readonly id: string
  /** missing one fails the benchmark with `benchmark_not_supported` before any item is sent; `generate` = chat or completions */
  readonly needs: ReadonlyArray<Capability>
  /** further capabilities that the parameters ask for, e.g. `method: logprobs` */
  readonly needsFor?: (parameters: { readonly [name: string]: unknown }) => ReadonlyArray<Capability>
  /** the whole seeded set, before sampling */
  readonly items: (context: ItemContext) => Effect.Effect<ReadonlyArray<Item>, AdapterError>
  /** names of the metrics that are means of `ItemVerdict.scores`, which lie within `range` (0 to 1 unless given) */
  readonly metrics: ReadonlyArray<{ readonly name: string; readonly lowerIsBetter?: boolean; readonly range?: Range }>
  /** two readings of the same answers: when they lie apart, a note says so */
  readonly readings?: { readonly flexible: string; readonly strict: string }
  /** metrics that are not plain means (ratios of sums, per-length, per-probe, calibration error) */
  readonly derive?: (scored: ReadonlyArray<ScoredItem>, context: ItemContext) => ReadonlyArray<Metric>
  /** what the reader of the result must know, e.g. lengths that were not run; goes to `additional_info.notes` */
  readonly notes?: (scored: ReadonlyArray<ScoredItem>) => ReadonlyArray<string>
  /** what speaks against the score, beside the answers that never came */
  readonly flags?: (scored: ReadonlyArray<ScoredItem>) => ReadonlyArray<Flag>
  /**
   * has a second model that judges answers rate authored replies, which are part of no score: some before the items are asked, all of them by the
   * inner effect afterwards; undefined when nothing is judged
   */
  readonly anchors?: (
    context: ItemContext,
    concurrency: number
  ) => Effect.Effect<Effect.Effect<Anchored>, AdapterError> | undefined
  /** where a set that is not ours comes from; members go to `additional_info.dataset` */
  readonly origin?: (
    context: ItemContext
  ) => Effect.Effect<
    { readonly members: { readonly [key: string]: unknown }; readonly notes: ReadonlyArray<string> },
    AdapterError
  >
  /** how the set's origin and the way of scoring are recorded, e.g. `{ method: "generate" }`; goes to `additional_info.scoring` */
  readonly scoring?: (context: ItemContext, scored: ReadonlyArray<ScoredItem>) => { readonly [key: string]: unknown }
}

export interface ProcedureBenchmark {
  readonly kind: "procedure"
  readonly id: string
  readonly needs: ReadonlyArray<Capability>
  readonly run: (
    context: ItemContext,
    client: ModelClient,
    callbacks: Callbacks
  ) => Effect.Effect<Results & { readonly records?: Iterable<SampleRecord> }, AdapterError, Scope.Scope>
}

export type EmbeddedBenchmark = ItemBenchmark | ProcedureBenchmark
