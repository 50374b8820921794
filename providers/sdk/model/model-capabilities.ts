/** What an endpoint can do, found out with a few small requests. Reference: providers-and-collections.md, "Honesty rules". */
import { Effect, Either, Option } from "effect"
import { listMember, member, textMember } from "../../../values/json.ts"
import type { AdapterError } from "../adapter.ts"
import { exceedsLimit } from "./endpoint-error.ts"
import type { Endpoint } from "./model-endpoint.ts"
import type { EndpointCapabilities } from "./model-exchange.ts"
import { readChatLogprobs, readEcho } from "./model-wire.ts"

const greeting = [{ role: "user", content: "Say yes." }]
const echoed = "The sun rises in the east."
const tool = {
  type: "function",
  function: { name: "ping", description: "Does nothing.", parameters: { type: "object", properties: {} } }
}

const ROOM = 32
/** for models that think before the first word, on endpoints that call a cut thought an error */
const ROOM_TO_THINK = 2048

/** these mean that no request will ever succeed */
const hopeless = new Set([
  "model_endpoint_unreachable",
  "model_authentication_failed",
  "model_access_forbidden",
  "model_request_timeout",
  "model_rate_limited"
])

export const probeCapabilities = (
  given: Endpoint,
  model: string
): Effect.Effect<EndpointCapabilities, AdapterError> => {
  const endpoint: Pick<Endpoint, "ask"> = { ask: (request) => given.ask({ ...request, role: "probe" }) }
  // no temperature, and room for the least that some endpoints ask for: what is probed is the route, not a setting that a model may refuse
  const send = (path: string, maxTokens: number, extra: object) =>
    Effect.either(endpoint.ask({ path, body: { model, max_tokens: maxTokens, ...extra }, read: (body) => body }))
  const post = (path: string, extra: object) =>
    Effect.flatMap(send(path, ROOM, extra), (asked) =>
      Either.isLeft(asked) && exceedsLimit(asked.left) ? send(path, ROOM_TO_THINK, extra) : Effect.succeed(asked)
    )
  const answer = (asked: Effect.Effect.Success<ReturnType<typeof post>>) =>
    Option.map(Either.getRight(asked), ({ value }) => value)
  const chatWith = (extra: object) => post("/chat/completions", { messages: greeting, ...extra })

  const isDemo = endpoint.ask({ path: "/models", read: (body) => body, retries: 0 }).pipe(
    Effect.map(({ value }) => {
      const models = listMember(value, "data")
      const own = models.find((one) => textMember(one, "id") === model) ?? models[0]
      return textMember(own, "owned_by") === "evald-demo"
    }),
    Effect.orElseSucceed(() => false)
  )

  /** a stream that is answered as one is true, a plain answer to a stream request is not */
  const streams = endpoint
    .ask({
      path: "/chat/completions",
      body: { model, max_tokens: ROOM, messages: greeting, stream: true },
      read: () => false,
      stream: () => ({ push: () => undefined, read: () => Either.right(true) })
    })
    .pipe(
      Effect.map(({ value }) => value),
      Effect.orElseSucceed(() => false)
    )

  return Effect.gen(function* () {
    const first = yield* chatWith({})
    if (Either.isLeft(first) && hopeless.has(first.left.code)) return yield* first.left
    const [demo, completion] = yield* Effect.all([isDemo, post("/completions", { prompt: echoed })], { concurrency: 2 })
    if (Either.isLeft(first) && Either.isLeft(completion)) return yield* first.left
    const chat = Either.isRight(first) && listMember(first.right.value, "choices").length > 0
    const completions = Either.isRight(completion) && listMember(completion.right.value, "choices").length > 0
    const [logprobs, tools, stream, echo] = yield* Effect.all(
      [
        chat ? Effect.map(chatWith({ logprobs: true, top_logprobs: 1 }), answer) : Effect.succeedNone,
        chat ? Effect.map(chatWith({ tools: [tool] }), answer) : Effect.succeedNone,
        chat ? streams : Effect.succeed(false),
        completions
          ? Effect.map(post("/completions", { prompt: echoed, echo: true, logprobs: 1 }), answer)
          : Effect.succeedNone
      ],
      { concurrency: 4 }
    )
    const answered = chat ? first : completion
    return {
      chat,
      completions,
      demo,
      stream,
      usage: Either.isRight(answered) && (member(answered.right.value, "usage") ?? null) !== null,
      logprobs: Option.exists(logprobs, (body) => readChatLogprobs(listMember(body, "choices")[0]) !== undefined),
      tools: Option.isSome(tools),
      echo: Option.exists(echo, (body) => readEcho(body, echoed) !== undefined)
    }
  })
}
