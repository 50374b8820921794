/**
 * A second model that rates replies from 1 to 5. Its name, the hash of its prompt and how often it agrees with authored cases are recorded,
 * because a score without them says more about the judge than about the model. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect, Either, Option, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import { AdapterError } from "../../sdk/adapter.ts"
import { readModelAuthKey } from "../../sdk/credentials.ts"
import { notSupported } from "../../sdk/failures.ts"
import { makeModelClient } from "../../sdk/model/model-client.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { promptDigest } from "../../sdk/prompt-digest.ts"
import { readRating } from "../answers/rating.ts"
import type { Basis } from "../benchmark.ts"
import { type JudgeEndpoint, readParameters } from "../parameters.ts"

const MAX_TOKENS = 2048

/** the closing words of every judge prompt */
export const RATING_LINE =
  'Give a short reason, then finish with a last line of the form "Rating: <n>", where <n> is a whole number from 1 to 5.'

/** the end of every judge prompt: what is rated, and in which form */
export const exchangeToRate = (question: string, reply: string): string =>
  `<question>
${question}
</question>
<reply>
${reply}
</reply>

${RATING_LINE}`

/** 1..5 as 0..1 */
export const ratingShare = (rating: number): number => (rating - 1) / 4

/** the judge of the job; without one the benchmark is not supported, and the message names the way out */
export const judgeOf = (job: JobSpec): Effect.Effect<JudgeEndpoint, AdapterError> =>
  Either.match(readParameters(job), {
    onLeft: Effect.fail,
    onRight: ({ judge }) =>
      judge === undefined
        ? notSupported(
            `${job.benchmark_id} needs a judge model: set parameter judge to {"url": …, "name": …} and, when it needs a key, "key": the name of a key in the model secret`
          )
        : Effect.succeed(judge)
  })

const NO_RATING = "the judge gave no rating"

const asJudge = (error: AdapterError) =>
  new AdapterError({ code: error.code, message: `judge: ${error.message}`, retryable: error.retryable })

/** what was read from a judge's reply */
interface Said<A> {
  readonly value: A
  readonly reply: string
  /** as the judge's endpoint names itself */
  readonly servedModel?: string
}

/** a rating from 1 to 5 and the reply in which it stands */
export interface Rating {
  readonly rating: number
  readonly reply: string
  /** as the judge's endpoint names itself */
  readonly servedModel?: string
}

/** a rating as samples record it, together with the question that the judge was put */
export const ratingBasis = (judge: JudgeEndpoint, prompt: string, { rating, reply, servedModel }: Rating): Basis => ({
  judge: {
    name: judge.name,
    ...defined({ served_model: servedModel }),
    prompt_sha256: promptDigest({ messages: [{ role: "user", content: prompt }] }),
    rating,
    reply
  },
  roleRequests: { judge: 1 }
})

/** what a judge says to these messages, read as `read` does; a reply that can not be read is an error of the item, never a low score */
export const askJudge = <A>(
  judge: JudgeEndpoint,
  job: JobSpec,
  messages: ReadonlyArray<ChatMessage>,
  read: (text: string) => A | undefined
): Effect.Effect<Said<A>, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const limits = yield* readParameters(job)
    const key = judge.key === undefined ? Option.none() : yield* readModelAuthKey(judge.key)
    const client = yield* makeModelClient({
      url: judge.url,
      model: judge.name,
      ...(Option.isSome(key) ? { apiKey: key.value } : {}),
      ...defined({ traceparent: job.traceparent }),
      timeoutMs: limits.timeoutSeconds * 1000,
      maxRetries: limits.maxRetries
    })
    const answer = yield* client.chat({
      messages,
      maxTokens: MAX_TOKENS,
      temperature: 0,
      seed: limits.seed
    })
    const value = read(answer.text)
    if (value !== undefined) return { value, reply: answer.text, ...defined({ servedModel: answer.servedModel }) }
    return yield* new AdapterError({
      code: "model_server_error",
      message: `${NO_RATING}: ${answer.text.slice(0, 200)}`,
      retryable: false
    })
  }).pipe(Effect.mapError(asJudge))

/** rates one text */
export const rate = (
  judge: JudgeEndpoint,
  job: JobSpec,
  prompt: string
): Effect.Effect<Rating, AdapterError, Scope.Scope> =>
  Effect.map(askJudge(judge, job, [{ role: "user", content: prompt }], readRating), ({ value, ...said }) => ({
    rating: value,
    ...said
  }))

/** the judge answered, but no rating could be read from what it said */
export const isUnrated = ({ message }: AdapterError): boolean => message.startsWith(`judge: ${NO_RATING}`)

/** what is recorded about the judge */
export const judgeRecord = (job: JobSpec, promptTemplate: string): { readonly [key: string]: unknown } => {
  const { judge } = Either.getOrThrow(readParameters(job))
  return { judge: judge?.name, judge_prompt_sha256: digestOf(promptTemplate) }
}
