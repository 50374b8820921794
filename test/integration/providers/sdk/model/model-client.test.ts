import { createServer } from "node:https"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random, Redacted, TestClock } from "effect"
import type { AdapterError } from "../../../../../providers/sdk/adapter.ts"
import { exceedsContext } from "../../../../../providers/sdk/model/endpoint-error.ts"
import { type ModelClientOptions, makeModelClient } from "../../../../../providers/sdk/model/model-client.ts"
import type { GenerationRequest } from "../../../../../providers/sdk/model/model-exchange.ts"
import { makeAuthority } from "../../../../support/certificate.ts"
import { closedPort, events, hang, type PeerAnswer, reply, reset, startPeer } from "../../../../support/http-peer.ts"
import { listening } from "../../../../support/loopback-server.ts"
import { waitingUntil } from "../../../../support/until.ts"

const question: GenerationRequest = { messages: [{ role: "user", content: "Say yes." }], maxTokens: 5, temperature: 0 }
const completion = (content: unknown, rest: object = {}) => ({
  id: "c1",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content, ...rest } }],
  usage: { prompt_tokens: 3, completion_tokens: 1 }
})
const good = reply(200, completion("yes"))
const delta = (content: string) => ({ id: "c1", choices: [{ index: 0, delta: { content } }] })
const finish = { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }

/** no waiting: the jitter draws 0 from this source */
const hasty = Effect.withRandom(Random.fixed([0]))

const client = (url: string, options: Partial<ModelClientOptions> = {}) =>
  makeModelClient({ url, model: "m", timeoutMs: 5000, ...options })

/** answers in order, the last one for ever */
const script = (...answers: ReadonlyArray<PeerAnswer>) =>
  startPeer((at) => answers[Math.min(at, answers.length - 1)] ?? hang)

const failureOf = (...answers: ReadonlyArray<PeerAnswer>) =>
  Effect.gen(function* () {
    const peer = yield* script(...answers)
    const { chat } = yield* client(peer.url, { maxRetries: 2 })
    const error = yield* Effect.flip(chat(question))
    return { error, tries: peer.requests.length }
  }).pipe(hasty)

describe("an endpoint with a private certificate", () => {
  const { authority, server } = makeAuthority()
  const secure = Effect.acquireRelease(
    Effect.promise(() =>
      listening(
        createServer({ cert: server.certificate, key: server.key }, (_, response) =>
          response.end(JSON.stringify(completion("yes")))
        ),
        "https"
      )
    ),
    ({ close }) => Effect.promise(close)
  )
  it.scopedLive("is reached with its authority only, beside those of the system", () =>
    Effect.gen(function* () {
      const { url } = yield* secure
      const trusted = yield* client(url, { ca: authority })
      assert.strictEqual((yield* trusted.chat(question)).text, "yes")
      for (const options of [{}, { ca: makeAuthority().authority }]) {
        const error = yield* Effect.flip((yield* client(url, { maxRetries: 0, ...options })).chat(question))
        assert.strictEqual(error.code, "model_endpoint_unreachable")
        assert.match(error.message, /certificate/i)
      }
    })
  )
})

describe("chat", () => {
  it.scopedLive("tells who answered and what came out of a cache, also of a stream", () =>
    Effect.gen(function* () {
      const who = { model: "served-1", system_fingerprint: "fp_1" }
      const usage = { prompt_tokens: 8, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } }
      const peer = yield* script(
        reply(200, { ...completion("yes"), ...who, usage }),
        events([
          { ...delta("yes"), ...who },
          { ...finish, usage }
        ])
      )
      const { chat, chatStream } = yield* client(peer.url)
      for (const answer of [yield* chat(question), yield* chatStream(question)]) {
        assert.deepInclude(answer, { servedModel: "served-1", systemFingerprint: "fp_1" })
        assert.deepStrictEqual(answer.tokens, { prompt: 8, completion: 1, cached: 6, estimated: false })
        assert.deepStrictEqual(answer.parameters, { max_tokens: 5, temperature: 0 })
      }
    })
  )

  it.scopedLive("sends the request and reads text, usage, finish reason and id", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(200, completion("yes"), { "x-request-id": "r7" }))
      const { chat } = yield* client(`${peer.url}/x/`, {
        apiKey: Redacted.make("api-key:ref"),
        traceparent: "00-1-2-01"
      })
      const answer = yield* chat({ ...question, seed: 7, stop: ["\n"], extra: { top_p: 0.5, temperature: 1 } })
      assert.strictEqual(answer.text, "yes")
      assert.deepStrictEqual(answer.tokens, { prompt: 3, completion: 1, estimated: false })
      assert.deepStrictEqual([answer.finishReason, answer.requestId, answer.retries], ["stop", "r7", 0])
      assert.deepStrictEqual(answer.parameters, { max_tokens: 5, temperature: 1, seed: 7, stop: ["\n"], top_p: 0.5 })
      assert.isAbove(answer.latencyMs, 0)
      const [request] = peer.requests
      assert.strictEqual(request?.path, "/x/v1/chat/completions")
      assert.deepStrictEqual(
        [request?.headers["authorization"], request?.headers["traceparent"]],
        ["Bearer api-key:ref", "00-1-2-01"]
      )
      assert.deepStrictEqual(request?.json, {
        model: "m",
        messages: [{ role: "user", content: "Say yes." }],
        max_tokens: 5,
        temperature: 1,
        seed: 7,
        stop: ["\n"],
        top_p: 0.5
      })
    })
  )

  it.scopedLive(
    "an answer that took all of its room was cut off, whatever the endpoint calls it (a thought that was cut off counted as a wrong answer)",
    () =>
      Effect.gen(function* () {
        const body = (completion_tokens: number, finish_reason: string | null) =>
          reply(200, {
            choices: [{ message: { role: "assistant", content: "First I look at" }, finish_reason }],
            usage: { prompt_tokens: 3, completion_tokens }
          })
        const asked = { ...question, maxTokens: 64 }
        const finishes = [
          [64, "stop", "length"],
          [64, null, "length"],
          [63, "stop", "stop"],
          [64, "content_filter", "content_filter"]
        ] as const
        const peer = yield* script(...finishes.map(([tokens, finish]) => body(tokens, finish)))
        const { chat } = yield* client(peer.url)
        for (const [, , told] of finishes) assert.strictEqual((yield* chat(asked)).finishReason, told)
        const short = yield* script(body(5, "stop"))
        assert.strictEqual((yield* (yield* client(short.url)).chat(question)).finishReason, "stop")
      })
  )

  it.scopedLive("keeps a version segment and the query of the address", () =>
    Effect.gen(function* () {
      const peer = yield* script(good)
      const { chat } = yield* client(`${peer.url}/api/v4?deployment=d`)
      yield* chat(question)
      assert.strictEqual(peer.requests[0]?.path, "/api/v4/chat/completions?deployment=d")
    })
  )

  it.scopedLive("splits reasoning, reads parts and tool calls, estimates missing usage", () =>
    Effect.gen(function* () {
      const call = { id: "t1", type: "function", function: { name: "add", arguments: { a: 1 } } }
      const peer = yield* script(
        reply(200, completion("<think>hm</think> 42")),
        reply(200, {
          choices: [
            {
              message: {
                content: [
                  { type: "text", text: "4" },
                  { type: "text", text: "2" }
                ],
                reasoning_content: "deep",
                tool_calls: [call]
              }
            }
          ]
        })
      )
      const { chat } = yield* client(peer.url)
      const first = yield* chat(question)
      assert.deepStrictEqual([first.text, first.reasoning], ["42", "hm"])
      const second = yield* chat(question)
      assert.deepStrictEqual([second.text, second.reasoning], ["42", "deep"])
      assert.deepStrictEqual(second.toolCalls, [{ id: "t1", name: "add", arguments: '{"a":1}' }])
      assert.isTrue(second.tokens.estimated)
      assert.isAbove(second.tokens.prompt, 0)
    })
  )

  it.scopedLive("retries 503, resets, 429 and 408, and reports how often", () =>
    Effect.gen(function* () {
      const peer = yield* script(
        reply(503, "busy", { connection: "close" }),
        reset,
        reply(429, "slow down", { "retry-after": "0" }),
        reply(408, ""),
        good
      )
      const { chat } = yield* client(peer.url)
      assert.strictEqual((yield* chat(question)).retries, 4)
      assert.lengthOf(peer.requests, 5)
    }).pipe(hasty)
  )

  it.scopedLive("a kept connection that the server closed is no failure of the endpoint", () =>
    Effect.gen(function* () {
      const peer = yield* script(good, reset, good)
      const { chat } = yield* client(peer.url, { maxRetries: 0 })
      yield* chat(question)
      assert.strictEqual((yield* chat(question)).retries, 0)
      assert.lengthOf(peer.requests, 3)
    })
  )

  it.scoped("waits as long as Retry-After says", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(429, "slow down", { "retry-after": "20" }), good)
      const { chat } = yield* client(peer.url)
      const asking = yield* Effect.fork(chat(question))
      yield* waitingUntil(20_000)
      assert.lengthOf(peer.requests, 1)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(asking)).retries, 1)
    }).pipe(hasty)
  )

  it.scopedLive("learns that a server wants max_completion_tokens", () =>
    Effect.gen(function* () {
      const refusal = reply(400, {
        error: { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." }
      })
      const peer = yield* script(refusal, good)
      const { chat } = yield* client(peer.url, { maxRetries: 0 })
      yield* chat(question)
      yield* chat(question)
      assert.deepStrictEqual(
        peer.requests.map(({ json }) => ["max_tokens" in json, json["max_completion_tokens"]]),
        [
          [true, undefined],
          [false, 5],
          [false, 5]
        ]
      )
    })
  )

  const refuses = (told: string, members: (json: { readonly [name: string]: unknown }) => boolean) =>
    startPeer((_, { json }) => (members(json) ? reply(400, { error: { message: told } }) : good))

  it.scopedLive("a model that refuses temperature 0 is asked without a temperature (it could not be evaluated)", () =>
    Effect.gen(function* () {
      const peer = yield* refuses(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        (json) => "temperature" in json
      )
      const { chat, adaptations } = yield* client(peer.url, { maxRetries: 0 })
      assert.strictEqual((yield* chat(question)).text, "yes")
      // what got through is what is recorded, not what was meant
      assert.deepStrictEqual((yield* chat(question)).parameters, { max_tokens: 5 })
      assert.deepStrictEqual(yield* adaptations, ["no temperature"])
      assert.lengthOf(peer.requests, 3)
      const wished = yield* Effect.flip(chat({ ...question, temperature: 0.7 }))
      assert.strictEqual(wished.code, "invalid_parameter")
    })
  )

  it.scopedLive("two refusals one after the other are both learned: the name of the limit, and the temperature", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer((_, { json }) =>
        "max_tokens" in json
          ? reply(400, { error: { message: "Use 'max_completion_tokens' instead of 'max_tokens'." } })
          : "temperature" in json
            ? reply(400, { error: { message: "temperature is not supported" } })
            : good
      )
      const { chat, adaptations } = yield* client(peer.url, { maxRetries: 0 })
      yield* chat(question)
      assert.deepStrictEqual(yield* adaptations, ["max_completion_tokens", "no temperature"])
    })
  )

  it.scopedLive("a limit below the least one of the endpoint is raised to it", () =>
    Effect.gen(function* () {
      const told = "Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead."
      const peer = yield* refuses(told, (json) => Number(json["max_tokens"]) < 16)
      const { chat } = yield* client(peer.url, { maxRetries: 0 })
      yield* chat(question)
      assert.deepStrictEqual(
        peer.requests.map(({ json }) => json["max_tokens"]),
        [5, 16]
      )
    })
  )

  it.scopedLive("a refusal that nothing helps against teaches nothing", () =>
    Effect.gen(function* () {
      const peer = yield* script(
        reply(400, { error: { message: "bad request: {temperature: 0}" } }),
        reply(400, { error: { message: "bad request" } }),
        good
      )
      const { chat, adaptations } = yield* client(peer.url, { maxRetries: 0 })
      assert.strictEqual((yield* Effect.flip(chat(question))).code, "invalid_parameter")
      assert.deepStrictEqual(yield* adaptations, [])
      yield* chat(question)
      assert.strictEqual(peer.requests[2]?.json["temperature"], 0)
    })
  )

  const filtered: ReadonlyArray<readonly [string, PeerAnswer]> = [
    [
      "Azure",
      reply(400, {
        error: {
          code: "content_filter",
          message: "The response was filtered",
          innererror: { code: "ResponsibleAIPolicyViolation" }
        }
      })
    ],
    ["a policy", reply(400, { error: { message: "Your request was rejected: content_policy_violation" } })],
    [
      "DashScope",
      reply(400, {
        error: { code: "data_inspection_failed", message: "Input data may contain inappropriate content." }
      })
    ],
    ["DeepSeek", reply(400, { error: { message: "Content Exists Risk" } })],
    ["403", reply(403, { error: { message: "The prompt was blocked by the safety filter" } })],
    ["an error with status 200", reply(200, { error: { code: "content_filter", message: "stopped" } })]
  ]
  for (const [name, answer] of filtered)
    it.scopedLive(
      `a prompt that a filter stops is an answer without a word, not a failure of the endpoint (${name})`,
      () =>
        Effect.gen(function* () {
          const peer = yield* script(answer)
          const { chat } = yield* client(peer.url, { maxRetries: 0 })
          const said = yield* chat(question)
          assert.deepStrictEqual([said.text, said.finishReason], ["", "content_filter"])
          assert.isAbove(said.problem?.length ?? 0, 0)
        })
    )

  it.scopedLive("an error with status 200 is an answer without a word", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(200, { error: { message: "out of memory" } }))
      const { chat } = yield* client(peer.url)
      const said = yield* chat(question)
      assert.deepStrictEqual([said.text, said.finishReason, said.problem], ["", "error", "out of memory"])
    })
  )

  it.scopedLive("a refusal in a member of its own is what the model says", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(200, completion(null, { refusal: "I can't help with that." })))
      const { chat } = yield* client(peer.url)
      assert.strictEqual((yield* chat(question)).text, "I can't help with that.")
    })
  )

  const codes: ReadonlyArray<readonly [string, PeerAnswer, AdapterError["code"], number]> = [
    ["401", reply(401, { error: { message: "bad key" } }), "model_authentication_failed", 1],
    ["403", reply(403, "no"), "model_access_forbidden", 1],
    ["404", reply(404, "<html><style>x{}</style><h1>Not Found</h1></html>"), "model_endpoint_not_found", 1],
    ["302", reply(302, "", { location: "/login" }), "model_endpoint_not_found", 1],
    ["429", reply(429, "", { "retry-after": "0" }), "model_rate_limited", 3],
    ["500", reply(500, ""), "model_server_error", 3],
    ["400", reply(400, { error: { message: "bad parameter" } }), "invalid_parameter", 1],
    [
      "a model that does not exist",
      reply(400, { error: { message: "unknown", code: "model_not_found" } }),
      "model_endpoint_not_found",
      1
    ],
    ["HTML with status 200", reply(200, "<html>login</html>"), "model_server_error", 1],
    ["an empty body", reply(200, ""), "model_server_error", 1],
    ["JSON of another shape", reply(200, { hello: "world" }), "model_server_error", 1],
    ["a reset", reset, "model_server_error", 3],
    [
      "the gateway's unreachable upstream",
      reply(502, { message: "no route", message_code: "upstream_unreachable" }),
      "model_endpoint_unreachable",
      3
    ],
    [
      "the gateway's unknown reference",
      reply(400, { message: "unknown key", message_code: "credential_ref_unknown" }),
      "model_authentication_failed",
      1
    ]
  ]
  for (const [name, answer, code, tries] of codes)
    it.scopedLive(`${name} becomes ${code}`, () =>
      Effect.gen(function* () {
        const failed = yield* failureOf(answer)
        assert.strictEqual(failed.error.code, code)
        assert.strictEqual(failed.tries, tries)
        assert.match(failed.error.message, /http:\/\/127\.0\.0\.1:\d+\/v1/)
        assert.notMatch(failed.error.message, /<style>|<h1>/)
      })
    )

  it.scopedLive("an endpoint nobody listens on is unreachable", () =>
    Effect.gen(function* () {
      const { chat } = yield* client(`http://127.0.0.1:${yield* closedPort}`, { maxRetries: 1 })
      const error = yield* Effect.flip(chat(question))
      assert.strictEqual(error.code, "model_endpoint_unreachable")
      assert.include(error.message, "ECONNREFUSED")
    }).pipe(hasty)
  )

  it.scopedLive("a hanging endpoint is a time-out after two tries", () =>
    Effect.gen(function* () {
      const peer = yield* script(hang)
      const { chat } = yield* client(peer.url, { timeoutMs: 60 })
      const error = yield* Effect.flip(chat(question))
      assert.strictEqual(error.code, "model_request_timeout")
      assert.lengthOf(peer.requests, 2)
    }).pipe(hasty)
  )

  it.scopedLive("never repeats the key in an error", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(401, { error: { message: "Incorrect API key provided: sk-canary-1234" } }))
      const { chat } = yield* client(peer.url, { apiKey: Redacted.make("sk-canary-1234") })
      const error = yield* Effect.flip(chat(question))
      assert.notInclude(error.message, "canary")
      assert.include(error.message, "***")
    })
  )

  it.scopedLive("recognises a prompt beyond the context", () =>
    Effect.gen(function* () {
      const { error } = yield* failureOf(
        reply(400, {
          error: { message: "This model's maximum context length is 4096 tokens.", code: "context_length_exceeded" }
        })
      )
      assert.isTrue(exceedsContext(error))
    })
  )

  it.scopedLive("an address that is no URL fails at once", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(client("ftp://h"))
      assert.deepStrictEqual([error.code, error.retryable], ["model_endpoint_unreachable", false])
    })
  )
})

describe("chatStream", () => {
  it.scopedLive("collects content with arrival times", () =>
    Effect.gen(function* () {
      const usage = { id: "c1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } }
      const peer = yield* script(
        events([
          { id: "c1", choices: [{ index: 0, delta: { role: "assistant" } }] },
          delta("ye"),
          delta("s"),
          finish,
          usage
        ])
      )
      const { chatStream } = yield* client(peer.url)
      const answer = yield* chatStream(question)
      assert.deepStrictEqual([answer.text, answer.chunks, answer.finishReason], ["yes", 2, "stop"])
      assert.deepStrictEqual(answer.tokens, { prompt: 9, completion: 2, estimated: false })
      const times = [
        answer.startedAtMs,
        answer.firstContentAtMs ?? Number.NaN,
        answer.lastContentAtMs ?? Number.NaN,
        answer.endedAtMs
      ]
      assert.deepStrictEqual(
        times,
        [...times].sort((a, b) => a - b)
      )
      assert.deepStrictEqual(peer.requests[0]?.json["stream_options"], { include_usage: true })
    })
  )

  it.scopedLive("puts tool calls together", () =>
    Effect.gen(function* () {
      const piece = (call: object) => ({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] })
      const peer = yield* script(
        events([
          piece({ id: "t1", function: { name: "add", arguments: '{"a"' } }),
          piece({ function: { arguments: ":1}" } }),
          finish
        ])
      )
      const { chatStream } = yield* client(peer.url)
      assert.deepStrictEqual((yield* chatStream(question)).toolCalls, [{ id: "t1", name: "add", arguments: '{"a":1}' }])
    })
  )

  it.scopedLive("a plain answer to a stream request has no content times", () =>
    Effect.gen(function* () {
      const peer = yield* script(good)
      const { chatStream } = yield* client(peer.url)
      const answer = yield* chatStream(question)
      assert.deepStrictEqual([answer.text, answer.chunks, answer.firstContentAtMs], ["yes", 0, undefined])
    })
  )

  it.scopedLive("a cut stream is retried with a fresh answer", () =>
    Effect.gen(function* () {
      const peer = yield* script(
        events([delta("no")], "cut"),
        events([delta("no")], "end"),
        events([delta("yes"), finish])
      )
      const { chatStream } = yield* client(peer.url)
      const answer = yield* chatStream(question)
      assert.deepStrictEqual([answer.text, answer.retries], ["yes", 2])
    }).pipe(hasty)
  )

  it.scopedLive("retries: 0 reports the first failure", () =>
    Effect.gen(function* () {
      const peer = yield* script(events([delta("no")], "cut"))
      const { chatStream } = yield* client(peer.url)
      const error = yield* Effect.flip(chatStream({ ...question, retries: 0 }))
      assert.strictEqual(error.code, "model_server_error")
      assert.lengthOf(peer.requests, 1)
    })
  )

  for (const [name, payload] of [
    ["an error chunk", { error: { message: "overloaded", code: 429 } }],
    ["a chunk that is no JSON", "{oops"]
  ] as const)
    it.scopedLive(`${name} fails`, () =>
      Effect.gen(function* () {
        const peer = yield* script(events([delta("x"), payload]))
        const { chatStream } = yield* client(peer.url, { maxRetries: 0 })
        const error = yield* Effect.flip(chatStream(question))
        assert.strictEqual(error.code, typeof payload === "string" ? "model_server_error" : "model_rate_limited")
      })
    )

  it.scopedLive("interruption closes the connection", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.makeLatch(false)
      const peer = yield* startPeer(() => (response) => {
        response.on("close", () => closed.unsafeOpen())
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`data: ${JSON.stringify(delta("x"))}\n\n`)
      })
      const { chatStream } = yield* client(peer.url)
      const result = yield* Effect.timeoutOption(chatStream(question), 50)
      yield* closed.await.pipe(Effect.timeout(2000))
      assert.strictEqual(result._tag, "None")
    })
  )
})

describe("completions", () => {
  it.scopedLive("reads text and log-probabilities", () =>
    Effect.gen(function* () {
      const logprobs = { tokens: ["y"], token_logprobs: [-0.5], top_logprobs: [{ y: -0.5, n: -1 }], text_offset: [0] }
      const peer = yield* script(reply(200, { choices: [{ text: "y", finish_reason: "length", logprobs }] }))
      const { complete } = yield* client(peer.url)
      const answer = yield* complete({ prompt: "?", maxTokens: 1, temperature: 0, topLogprobs: 2 })
      assert.strictEqual(peer.requests[0]?.json["logprobs"], 2)
      assert.deepStrictEqual(answer.logprobs, [
        {
          token: "y",
          logprob: -0.5,
          top: [
            { token: "y", logprob: -0.5 },
            { token: "n", logprob: -1 }
          ]
        }
      ])
    })
  )

  it.scopedLive("echo cuts generated tokens off", () =>
    Effect.gen(function* () {
      const logprobs = { tokens: ["ab", " c", "!"], token_logprobs: [null, -1, -2], text_offset: [0, 2, 4] }
      const peer = yield* script(reply(200, { choices: [{ text: "ab c!", logprobs }] }))
      const { echo } = yield* client(peer.url)
      assert.deepStrictEqual(yield* echo("ab c"), { tokens: ["ab", " c"], logprobs: [null, -1], offsets: [0, 2] })
    })
  )

  it.scopedLive("an endpoint that ignores echo says so", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(200, { choices: [{ text: "!" }] }))
      const { echo } = yield* client(peer.url)
      assert.include((yield* Effect.flip(echo("ab c"))).message, "does not support echo")
    })
  )
})

describe("capabilities", () => {
  const chatOnly = () =>
    startPeer((_, { path, json }) => {
      if (path === "/v1/models") return reply(200, { data: [{ id: "m", owned_by: "evald-demo" }] })
      if (path !== "/v1/chat/completions") return reply(404, "nothing here")
      return json["stream"] === true
        ? events([delta("yes"), finish])
        : json["tools"] === undefined
          ? good
          : reply(400, "tools are not supported")
    })

  it.scopedLive("probes once and remembers", () =>
    Effect.gen(function* () {
      const peer = yield* chatOnly()
      const { capabilities } = yield* client(peer.url)
      const found = yield* capabilities
      const asked = peer.requests.length
      assert.deepStrictEqual(yield* capabilities, found)
      assert.lengthOf(peer.requests, asked)
      assert.deepStrictEqual(found, {
        chat: true,
        completions: false,
        echo: false,
        logprobs: false,
        stream: true,
        usage: true,
        tools: false,
        demo: true
      })
    })
  )

  it.scopedLive(
    "asks without a temperature and with room (a model that refuses temperature 0 and a limit of 1 could not be evaluated)",
    () =>
      Effect.gen(function* () {
        const peer = yield* startPeer((_, { path, json }) => {
          if (path === "/v1/models") return reply(404, "")
          if ("temperature" in json) return reply(400, { error: { message: "temperature is not supported" } })
          if (Number(json["max_tokens"]) < 16) return reply(400, { error: { message: "bad limit" } })
          return path === "/v1/chat/completions" ? good : reply(404, "nothing here")
        })
        const { capabilities, adaptations } = yield* client(peer.url)
        assert.isTrue((yield* capabilities).chat)
        assert.deepStrictEqual(yield* adaptations, [])
      })
  )

  it.scopedLive("a model that must think before it answers is given the room", () =>
    Effect.gen(function* () {
      const told = "Could not finish the message because max_tokens or model output limit was reached."
      const peer = yield* startPeer((_, { path, json }) =>
        path !== "/v1/chat/completions"
          ? reply(404, "")
          : Number(json["max_tokens"]) < 1000
            ? reply(400, { error: { message: told } })
            : good
      )
      const { capabilities } = yield* client(peer.url)
      assert.isTrue((yield* capabilities).chat)
    })
  )

  it.scopedLive("fails when the key is wrong", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(401, "who?"))
      const { capabilities } = yield* client(peer.url)
      assert.strictEqual((yield* Effect.flip(capabilities)).code, "model_authentication_failed")
    })
  )

  it.scopedLive("fails when the model exists on no route", () =>
    Effect.gen(function* () {
      const peer = yield* script(reply(404, { error: { message: "The model `m` does not exist" } }))
      const { capabilities } = yield* client(peer.url)
      assert.strictEqual((yield* Effect.flip(capabilities)).code, "model_endpoint_not_found")
    })
  )
})
