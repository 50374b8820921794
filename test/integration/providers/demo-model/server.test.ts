import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Redacted } from "effect"
import { honestSentence } from "../../../../providers/demo-model/reply.ts"
import { DemoModel, type DemoModelOptions, layer, startDemoModel } from "../../../../providers/demo-model/server.ts"
import { countTokens } from "../../../../providers/demo-model/tokens.ts"
import { type ModelClientOptions, makeModelClient } from "../../../../providers/sdk/model/model-client.ts"
import type { GenerationRequest } from "../../../../providers/sdk/model/model-exchange.ts"
import { allCapabilities } from "../../../support/framework-request.ts"

const hello: GenerationRequest = { messages: [{ role: "user", content: "Hello!" }], maxTokens: 200, temperature: 0 }
const hasty = Effect.withRandom(Random.fixed([0]))

const connect = (demo: DemoModelOptions = {}, client: Partial<ModelClientOptions> = {}) =>
  Effect.gen(function* () {
    const { url } = yield* startDemoModel(demo)
    return { url, client: yield* makeModelClient({ url, model: "evald-demo", timeoutMs: 10_000, ...client }) }
  })

const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () =>
    fetch(url, init).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
  )
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  get(url, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers }
  })

describe("answers", () => {
  it.scopedLive("health and models say what it is", () =>
    Effect.gen(function* () {
      const { url } = yield* connect()
      assert.strictEqual((yield* get(url.replace("/v1", "/health"))).text, '{"status":"ok"}')
      assert.deepInclude(JSON.parse((yield* get(`${url}/models`)).text).data[0], {
        id: "evald-demo",
        owned_by: "evald-demo"
      })
    })
  )

  it.scopedLive("the model client finds every capability, and that it is a demo", () =>
    Effect.gen(function* () {
      const { client } = yield* connect()
      assert.deepStrictEqual(yield* client.capabilities, { ...allCapabilities, demo: true })
    })
  )

  it.scopedLive("streamed and plain answers agree, and equal requests get equal bytes", () =>
    Effect.gen(function* () {
      const { client, url } = yield* connect()
      const plain = yield* client.chat(hello)
      const streamed = yield* client.chatStream(hello)
      assert.deepStrictEqual(
        [plain.text, plain.tokens, plain.finishReason],
        [streamed.text, streamed.tokens, streamed.finishReason]
      )
      assert.deepStrictEqual([plain.text, plain.finishReason], [honestSentence, "stop"])
      assert.strictEqual(plain.tokens.completion, countTokens(honestSentence))
      assert.strictEqual(streamed.chunks, plain.tokens.completion)
      const body = { model: "evald-demo", messages: hello.messages, stream: true, logprobs: true, top_logprobs: 2 }
      assert.deepStrictEqual(yield* post(`${url}/chat/completions`, body), yield* post(`${url}/chat/completions`, body))
    })
  )

  it.scopedLive("ends at max_tokens and at stop texts, or goes on with ignore_eos", () =>
    Effect.gen(function* () {
      const { client } = yield* connect()
      const cut = yield* client.chat({ ...hello, maxTokens: 3 })
      assert.deepStrictEqual([cut.text, cut.finishReason, cut.tokens.completion], ["I am the", "length", 3])
      const stopped = yield* client.chat({ ...hello, stop: [" demo"] })
      assert.deepStrictEqual([stopped.text, stopped.finishReason], ["I am the", "stop"])
      const long = yield* client.chat({ ...hello, maxTokens: 300, extra: { ignore_eos: true } })
      assert.deepStrictEqual([long.tokens.completion, countTokens(long.text), long.finishReason], [300, 300, "length"])
    })
  )

  it.scopedLive("log-probabilities come with both kinds of answers, one per token", () =>
    Effect.gen(function* () {
      const { client } = yield* connect()
      const plain = yield* client.chat({ ...hello, topLogprobs: 3 })
      const streamed = yield* client.chatStream({ ...hello, topLogprobs: 3 })
      assert.strictEqual(plain.logprobs?.map(({ token }) => token).join(""), honestSentence)
      assert.deepStrictEqual(streamed.logprobs, plain.logprobs)
      const completed = yield* client.complete({ prompt: "Hello!", maxTokens: 4, temperature: 0, topLogprobs: 2 })
      assert.lengthOf(completed.logprobs ?? [], 4)
    })
  )

  it.scopedLive("echo gives the log-probabilities of the prompt", () =>
    Effect.gen(function* () {
      const { client } = yield* connect()
      const text = "The river runs through the old town."
      const echoed = yield* client.echo(text)
      assert.strictEqual(echoed.tokens.join(""), text)
      assert.isNull(echoed.logprobs[0])
      assert.isTrue(echoed.logprobs.slice(1).every((one) => one !== null && one < 0))
    })
  )

  it.scopedLive("the tokenizer beside /v1 cuts a text where the echo does, and gives it back", () =>
    Effect.gen(function* () {
      const { client, url } = yield* connect()
      const beside = url.replace("/v1", "")
      const text = "The river runs, naïvely 12345: 愛."
      const info = JSON.parse((yield* get(`${beside}/tokenizer_info`)).text)
      const tokenized = yield* post(`${beside}/tokenize`, { prompt: text, add_special_tokens: false })
      const { count, tokens } = JSON.parse(tokenized.text) as {
        readonly count: number
        readonly tokens: ReadonlyArray<number>
      }
      assert.deepStrictEqual([count, tokens.length], [(yield* client.echo(text)).tokens.length, count])
      assert.deepStrictEqual(JSON.parse((yield* post(`${beside}/detokenize`, { tokens })).text), { prompt: text })
      assert.strictEqual(JSON.parse((yield* post(`${beside}/tokenize`, { prompt: info.eos_token })).text).count, 1)
      for (const [path, body] of [
        ["tokenize", "{"],
        ["tokenize", { prompt: 1 }],
        ["detokenize", { tokens: [999_999_999] }],
        ["detokenize", {}]
      ] as const)
        assert.strictEqual((yield* post(`${beside}/${path}`, body)).status, 400, `${path} ${JSON.stringify(body)}`)
    })
  )

  it.scopedLive("knobs of a request override those of the server", () =>
    Effect.gen(function* () {
      const { url } = yield* connect({ skill: 0 })
      const question = 'What is 12 + 5?\n\nFinish with a last line of the form "Answer: <x>"'
      const body = { model: "m", messages: [{ role: "user", content: question }] }
      const text = (headers: Record<string, string>) =>
        Effect.map(
          post(`${url}/chat/completions`, body, headers),
          (answer) => JSON.parse(answer.text).choices[0].message.content
        )
      assert.notInclude(yield* text({}), "Answer: 17")
      assert.include(yield* text({ "x-demo-skill": "0,arithmetic=1" }), "Answer: 17")
    })
  )

  it.effect("is a layer", () =>
    Effect.gen(function* () {
      const { url, port } = yield* DemoModel
      assert.strictEqual(url, `http://127.0.0.1:${port}/v1`)
    }).pipe(Effect.provide(layer()))
  )

  it.scopedLive("a taken port is named", () =>
    Effect.gen(function* () {
      const { port } = yield* startDemoModel()
      const failed = yield* Effect.flip(startDemoModel({ port }))
      assert.include(failed.message, `port ${port} is taken`)
    })
  )
})

describe("refusals", () => {
  it.scopedLive("a wrong key, a long prompt, an unknown model, a bad knob", () =>
    Effect.gen(function* () {
      const { url, client } = yield* connect(
        { requireKey: "k", contextLimit: 10, models: ["evald-demo"] },
        { apiKey: Redacted.make("k") }
      )
      assert.strictEqual((yield* get(`${url}/models`)).status, 401)
      const long = yield* Effect.flip(
        client.chat({ ...hello, messages: [{ role: "user", content: "word ".repeat(20) }] })
      )
      assert.match(long.message, /maximum context length is 10 tokens/)
      const keyed = { authorization: "Bearer k" }
      const unknown = yield* post(`${url}/chat/completions`, { model: "other", messages: hello.messages }, keyed)
      assert.deepStrictEqual([unknown.status, JSON.parse(unknown.text).error.code], [404, "model_not_found"])
      const knob = yield* post(
        `${url}/chat/completions`,
        { model: "evald-demo", messages: hello.messages },
        { ...keyed, "x-demo-skill": "9" }
      )
      assert.include(knob.text, "x-demo-skill must be a number from 0 to 1, got 9")
    })
  )

  for (const [name, body, status] of [
    ["no JSON", "{", 400],
    ["no messages", { model: "m" }, 400],
    ["no model", { messages: hello.messages }, 400],
    ["several choices", { model: "m", messages: hello.messages, n: 2 }, 400],
    ["half a token", { model: "m", messages: hello.messages, max_tokens: 0.5 }, 400]
  ] as const)
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const { url } = yield* connect()
        const answer = yield* post(`${url}/chat/completions`, body)
        assert.strictEqual(answer.status, status)
        assert.isString(JSON.parse(answer.text).error.message)
      })
    )

  it.scopedLive("unknown paths and methods", () =>
    Effect.gen(function* () {
      const { url } = yield* connect()
      assert.strictEqual((yield* get(`${url}/embeddings`)).status, 404)
      assert.strictEqual((yield* get(`${url}/chat/completions`)).status, 404)
    })
  )
})

describe("faults", () => {
  it.scopedLive("follow the script, then stop", () =>
    Effect.gen(function* () {
      const { client } = yield* connect({ statusScript: ["reset", "429", "500", "cut", "ok"] })
      assert.strictEqual((yield* client.chat(hello)).retries, 4)
      assert.strictEqual((yield* client.chat(hello)).retries, 0)
    }).pipe(hasty)
  )

  for (const [fault, code] of [
    ["401", "model_authentication_failed"],
    ["403", "model_access_forbidden"],
    ["404", "model_endpoint_not_found"],
    ["429", "model_rate_limited"],
    ["503", "model_server_error"],
    ["hang", "model_request_timeout"],
    ["reset", "model_server_error"],
    ["cut", "model_server_error"],
    ["garbage", "model_server_error"],
    ["html", "model_server_error"],
    ["empty", "model_server_error"]
  ] as const)
    for (const kind of ["chat", "chatStream"] as const)
      it.scopedLive(`${fault} becomes ${code} for ${kind}`, () =>
        Effect.gen(function* () {
          const { client } = yield* connect({ statusScript: [fault] }, { timeoutMs: fault === "hang" ? 80 : 10_000 })
          assert.strictEqual((yield* Effect.flip(client[kind]({ ...hello, retries: 0 }))).code, code)
        })
      )

  it.scopedLive("nostream answers a stream request plainly", () =>
    Effect.gen(function* () {
      const { client } = yield* connect({ statusScript: ["nostream"] })
      const answer = yield* client.chatStream(hello)
      assert.deepStrictEqual([answer.text, answer.chunks], [honestSentence, 0])
    })
  )

  it.scopedLive("the error rate holds over many requests, and a retry may succeed", () =>
    Effect.gen(function* () {
      const { client } = yield* connect({ errorRate: 0.3 })
      const asked = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, at) => at),
        (at) => client.chat({ ...hello, messages: [{ role: "user", content: `Hello ${at}!` }], retries: 9 }),
        { concurrency: 8 }
      )
      const share = asked.filter(({ retries }) => retries > 0).length / asked.length
      assert.closeTo(share, 0.3, 0.12)
    }).pipe(hasty)
  )
})
