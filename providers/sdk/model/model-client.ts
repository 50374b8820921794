/** Client of an OpenAI-compatible endpoint: what adapters ask of a model, without any framework. */
import { Effect, Option, Redacted, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { type JsonObject, numberMember } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { AdapterError } from "../adapter.ts"
import { readModelAuthKey, selectModelKey } from "../credentials.ts"
import type { Reply } from "../http/http-exchange.ts"
import { CONTENT_FILTERED, unreadable } from "./endpoint-error.ts"
import { probeCapabilities } from "./model-capabilities.ts"
import { type Asked, type EndpointOptions, makeEndpoint } from "./model-endpoint.ts"
import type { Answer, ModelClient } from "./model-exchange.ts"
import { makeStreamCollector, type ReadStream } from "./model-stream.ts"
import {
  chatBody,
  completionBody,
  promptText,
  readChatAnswer,
  readCompletion,
  readEcho,
  readProblem,
  settingsOf,
  withoutAnswer
} from "./model-wire.ts"

export interface ModelClientOptions extends EndpointOptions {
  readonly model: string
}

const requestIdOf = (reply: Reply): string | undefined => {
  const header = reply.headers["x-request-id"]
  return typeof header === "string" ? header : undefined
}

const limited = (retries: number | undefined) => (retries === undefined ? {} : { retries })

/** a filter that refuses one prompt is this prompt's outcome, an answer without a word, and not a fault of the request */
const unlessFiltered =
  (prompt: string) =>
  (asked: Effect.Effect<Answer, AdapterError>): Effect.Effect<Answer, AdapterError> =>
    asked.pipe(
      Effect.catchIf(
        ({ code }) => code === CONTENT_FILTERED,
        ({ message }) =>
          Effect.succeed({ ...withoutAnswer("content_filter", message, prompt), latencyMs: 0, retries: 0 })
      )
    )

/** smaller limits are meant: a letter, a word */
const shortAnswer = 16

/** an answer that took all of its room was ended by the limit, also where the endpoint calls that its end, or gives no reason */
const finishOf = ({ finishReason, tokens }: Pick<Answer, "finishReason" | "tokens">, sent: JsonObject) => {
  const limit = numberMember(sent, "max_completion_tokens") ?? numberMember(sent, "max_tokens")
  const { completion } = tokens
  // more than that is no figure to go by
  const isFull =
    limit !== undefined &&
    limit > shortAnswer &&
    !tokens.estimated &&
    (completion === limit || completion === limit + 1)
  return isFull && (finishReason === undefined || finishReason === "stop") ? { finishReason: "length" } : {}
}

/** what was read of an answer, with the figures of its request */
const timed = <A extends Pick<Answer, "finishReason" | "tokens">>({ value, reply, retries, sent }: Asked<A>) => ({
  ...value,
  ...finishOf(value, sent),
  retries,
  parameters: settingsOf(sent),
  latencyMs: reply.endedAtMs - reply.startedAtMs
})

/** connections live as long as the scope; fails when the address is no http(s) URL */
export const makeModelClient = (options: ModelClientOptions): Effect.Effect<ModelClient, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const endpoint = yield* makeEndpoint(options)
    const capabilities = yield* Effect.cached(probeCapabilities(endpoint, options.model))
    return {
      capabilities,
      adaptations: endpoint.adaptations,
      chat: (request) =>
        endpoint
          .ask({
            path: "/chat/completions",
            body: chatBody(options.model, request, false),
            read: (body, reply) =>
              readChatAnswer(body, request.messages, requestIdOf(reply)) ??
              readProblem(body, promptText(request.messages)),
            ...limited(request.retries)
          })
          .pipe(Effect.map(timed), unlessFiltered(promptText(request.messages))),
      chatStream: (request) =>
        endpoint
          .ask<ReadStream>({
            path: "/chat/completions",
            body: chatBody(options.model, request, true),
            role: "load",
            stream: () => makeStreamCollector(request.messages, endpoint.address, request.onContent),
            read: (body, reply) => {
              const answer = readChatAnswer(body, request.messages, requestIdOf(reply))
              return answer === undefined ? undefined : { ...answer, chunks: 0 }
            },
            ...limited(request.retries)
          })
          .pipe(
            Effect.map((asked) => ({
              ...timed(asked),
              startedAtMs: asked.reply.startedAtMs,
              endedAtMs: asked.reply.endedAtMs
            }))
          ),
      complete: ({ prompt, ...request }) =>
        endpoint
          .ask({
            path: "/completions",
            body: completionBody(options.model, prompt, request),
            read: (body, reply) => readCompletion(body, prompt, requestIdOf(reply)) ?? readProblem(body, prompt),
            ...limited(request.retries)
          })
          .pipe(Effect.map(timed), unlessFiltered(prompt)),
      echo: (text) =>
        endpoint
          .ask({
            path: "/completions",
            // one token, not none: some servers refuse max_tokens 0; what was generated is cut off again
            body: { model: options.model, prompt: text, echo: true, logprobs: 1, max_tokens: 1 },
            read: (body) => ({ echoed: readEcho(body, text) })
          })
          .pipe(
            Effect.flatMap(({ value }) =>
              value.echoed === undefined
                ? Effect.fail(
                    unreadable(
                      "without the log-probabilities of the prompt: it does not support echo.",
                      "",
                      endpoint.address
                    )
                  )
                : Effect.succeed(value.echoed)
            )
          )
    }
  })

/**
 * The client of a job's model: the key named by parameter `auth_key`, else the only one there is, and the mounted
 * `ca_cert`. `model.parameters` are not applied here: what of them belongs into a request is the adapter's decision (`extra`).
 */
export const modelClientForJob = (
  job: JobSpec,
  limits: Pick<EndpointOptions, "timeoutMs" | "maxRetries"> = {}
): Effect.Effect<ModelClient, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const authKey = job.parameters["auth_key"]
    const apiKey = yield* selectModelKey(typeof authKey === "string" ? authKey : undefined)
    const ca = yield* readModelAuthKey("ca_cert")
    return yield* makeModelClient({
      url: job.model.url,
      model: job.model.name,
      ...(Option.isSome(apiKey) ? { apiKey: apiKey.value } : {}),
      ...(Option.isSome(ca) ? { ca: Redacted.value(ca.value) } : {}),
      ...defined({ traceparent: job.traceparent }),
      ...limits
    })
  })
