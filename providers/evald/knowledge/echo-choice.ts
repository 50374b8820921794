/** Chooses the option that the model itself finds most likely as the continuation of the question. */
import { Duration, Effect } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { Answer, EchoedPrompt, ModelClient } from "../../sdk/model/model-exchange.ts"

/** Σ log-probability of the tokens that start at or after `from` (a character offset) */
const logprobAfter = ({ logprobs, offsets }: EchoedPrompt, from: number): number =>
  logprobs.reduce<number>((sum, logprob, index) => sum + ((offsets[index] as number) >= from ? (logprob ?? 0) : 0), 0)

const best = (values: ReadonlyArray<number>) => values.indexOf(Math.max(...values))

export interface EchoChoice {
  readonly answer: Answer
  /** place of the option with the highest log-likelihood */
  readonly byTotal: number
  /** the same per byte of the option, so that short options have no advantage */
  readonly byByte: number
  /** Σ log-probability of each option, in their order */
  readonly totals: ReadonlyArray<number>
}

/** one echo request per option */
export const askByEcho = (
  client: ModelClient,
  prompt: string,
  options: ReadonlyArray<string>
): Effect.Effect<EchoChoice, AdapterError> =>
  Effect.forEach(options, (option) => client.echo(`${prompt} ${option}`)).pipe(
    Effect.timed,
    Effect.map(([elapsed, echoes]) => {
      const totals = echoes.map((echo) => logprobAfter(echo, prompt.length))
      const byTotal = best(totals)
      const answer: Answer = {
        text: options[byTotal] as string,
        toolCalls: [],
        tokens: { prompt: echoes.reduce((sum, { tokens }) => sum + tokens.length, 0), completion: 0, estimated: false },
        latencyMs: Duration.toMillis(elapsed),
        retries: 0
      }
      return {
        answer,
        byTotal,
        totals,
        byByte: best(totals.map((total, index) => total / Buffer.byteLength(` ${options[index]}`)))
      }
    })
  )
