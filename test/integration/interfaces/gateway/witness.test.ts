/** The witness behind a real gateway: what it counts of exchanges that went over sockets, and that they went by unchanged. */
import { createServer, type RequestListener } from "node:http"
import { gzipSync } from "node:zlib"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { WireCounts } from "../../../../domain/validity/wire-counts.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import { makeWitness } from "../../../../interfaces/gateway/witness/witness.ts"
import { makeModelGateway } from "../../../../interfaces/http/gateway/model-gateway.ts"
import { bodyOf, listening, serve } from "../../../support/loopback-server.ts"

const running: Array<{ readonly close: () => unknown }> = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

interface Asked {
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly headers: { readonly [name: string]: unknown }
}
type Answers = (asked: Asked, count: number, response: Parameters<RequestListener>[1]) => void

let completions = 0
/** each with an id of its own, as models give them */
const completion = (content: string | null, more: object = {}, choice: object = {}) => {
  completions += 1
  return JSON.stringify({
    id: `c-${completions}`,
    model: "m",
    choices: [{ message: { role: "assistant", content }, finish_reason: "stop", ...choice }],
    ...more
  })
}

/** adapter → gateway with a witness → model */
const witnessed = async (answers: Answers, clock?: () => number) => {
  let count = 0
  const model = await serve(async (request, response) => {
    const { messages } = JSON.parse((await bodyOf(request)).toString()) as Pick<Asked, "messages">
    count += 1
    response.setHeader("content-type", "application/json")
    answers({ messages, headers: request.headers }, count, response)
  })
  const gateway = makeModelGateway()
  const witness = makeWitness(clock)
  const server = createServer((request, response) =>
    gateway.handle(request, response, {
      modelUrl: `${model.url}/v1`,
      secret: Either.right(undefined),
      path: request.url ?? "",
      publicBase: "http://127.0.0.1:1",
      trace: "t",
      witness
    })
  )
  const front = await listening(server)
  running.push(front, gateway, model)
  const askAt = (path: string, content: string, headers: { readonly [name: string]: string } = {}, more: object = {}) =>
    fetch(`${front.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content }], ...more })
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
  const ask = (content: string, more: object = {}, headers: { readonly [name: string]: string } = {}) =>
    askAt("/chat/completions", content, headers, more)
  return { ask, askAt, counts: witness.counts }
}

const seen = (counts: WireCounts, ...names: ReadonlyArray<keyof WireCounts>) =>
  Object.fromEntries(names.map((name) => [name, counts[name]]))

describe("the gateway's witness", () => {
  it("tells pages of the web with status 200 from other answers that are none (nothing said what had come)", async () => {
    const { ask, counts } = await witnessed((_, count, response) => {
      const body = count % 2 === 0 ? "<!DOCTYPE html><title>Sign in</title>" : '{"error":{"message":"no memory"}}'
      response.writeHead(200, { "content-type": count === 4 ? "application/json" : "text/html" }).end(body)
    })
    for (const at of [1, 2, 3, 4]) await ask(`question ${at}`)
    assert.deepStrictEqual(seen(await counts(), "questions", "errorBodies", "pages"), {
      ...{ questions: 4, errorBodies: 4, pages: 2 }
    })
  })
  it("counts every request by how it ended, with the time it took, beside those of a load generator", async () => {
    const statuses = [200, 429, 429, 503, 401, 200]
    const { ask, counts } = await witnessed((_, count, response) => {
      response.writeHead(statuses[count - 1] ?? 200).end(completion("Paris"))
    })
    for (const [at] of statuses.entries()) await ask(`question ${at}`, at === 0 ? { max_tokens: 1 } : {})
    await ask("load", {}, { "x-evald-role": "load" })
    const found = await counts()
    assert.deepStrictEqual(seen(found, "exchanges", "limited", "refused", "broken", "loads"), {
      ...{ exchanges: 6, limited: 2, refused: 1, broken: 1, loads: 1 }
    })
    assert.isAbove(found.busyMillis, 0)
  })

  it("counts questions by their last answer: a retry mends what it repeats", async () => {
    const { ask, counts } = await witnessed((_, count, response) => {
      if (count === 1) response.writeHead(503).end("{}")
      else response.end(completion(count === 3 ? "" : "Paris"))
    })
    for (const question of ["a", "a", "b", "c"]) await ask(question)
    assert.deepStrictEqual(seen(await counts(), "questions", "requests", "answers", "empty", "failed"), {
      questions: 3,
      requests: 4,
      answers: 3,
      empty: 1,
      failed: 0
    })
  })

  it("an answer that the endpoint breaks off is a failure, and goes on as one", async () => {
    const { ask, counts } = await witnessed((_, __, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"choices":')
      setImmediate(() => response.destroy())
    })
    const failed = await ask("a").then(
      () => false,
      () => true
    )
    assert.isTrue(failed)
    assert.deepStrictEqual(seen(await counts(), "questions", "answers", "failed"), {
      questions: 1,
      answers: 0,
      failed: 1
    })
  })

  it("reads compressed answers, and hands them on as they are", async () => {
    const { ask, counts } = await witnessed((_, __, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(completion("Paris")))
    )
    const { text } = await ask("a")
    assert.include(text, "Paris")
    assert.deepStrictEqual(seen(await counts(), "answers", "empty", "unread"), { answers: 1, empty: 0, unread: 0 })
  })

  it("an answer that cannot be read, further choices of one, a question that is too long to be read, and requests of other kinds are answers too (scored items seemed to have none)", async () => {
    const { ask, askAt, counts } = await witnessed(({ messages }, _, response) => {
      const [content = ""] = messages.map((message) => message.content)
      if (content === "packed") response.setHeader("content-encoding", "zstd").end("(/(…")
      else if (content === "three") {
        const choices = [0, 1, 2].map((index) => ({ index, message: { content: `${index}` }, finish_reason: "stop" }))
        response.end(completion("", { choices }))
      } else if (content === "streamed") {
        response.setHeader("content-type", "text/event-stream")
        const event = (index: number, text: string) =>
          `data: ${JSON.stringify({ choices: [{ index, delta: { content: text } }] })}\n\n`
        response.end(`${event(0, "Pa")}${event(1, "Ro")}${event(0, "ris")}${event(1, "me")}data: [DONE]\n\n`)
      } else response.end(completion("Paris"))
    })
    await ask("packed")
    await ask("three", { n: 3 })
    await ask("streamed", { n: 2 })
    await ask("long ".repeat(900_000))
    for (const path of ["/responses", "/embeddings"]) await askAt(path, "a")
    await askAt("/tokenize", "a", { "x-evald-role": "probe" })
    assert.deepStrictEqual(seen(await counts(), "questions", "answers", "unread", "others", "exchanges"), {
      ...{ questions: 3, answers: 3, unread: 1 },
      // two more choices, one more in the stream, the long question, and two of other kinds
      ...{ others: 6, exchanges: 4 }
    })
  })

  it("tokens of a text are no answers (a framework that lends the model's tokenizer seemed to have asked all of its items)", async () => {
    const { ask, askAt, counts } = await witnessed((_, __, response) => response.end(completion("Paris")))
    await ask("a")
    for (const path of ["/tokenize", "/detokenize", "/tokenize?model=m"]) await askAt(path, "a")
    assert.deepStrictEqual(seen(await counts(), "questions", "answers", "others"), {
      questions: 1,
      answers: 1,
      others: 0
    })
  })

  it("choices that nobody asked for are no further answers, and the first by its index is the answer", async () => {
    const { ask, counts } = await witnessed((_, __, response) => {
      const choices = [1, 0].map((index) => ({
        ...{ index, message: { content: index === 0 ? "Paris" : "" } },
        finish_reason: "stop"
      }))
      response.end(completion("", { choices }))
    })
    for (let item = 0; item < 3; item += 1) await ask(`${item}`)
    assert.deepStrictEqual(seen(await counts(), "questions", "answers", "others", "empty"), {
      ...{ questions: 3, answers: 3, others: 0, empty: 0 }
    })
  })

  it("the same number of prompt tokens for questions of every length is no count", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2 }
    const { ask, counts } = await witnessed((_, __, response) => response.end(completion("Paris", { usage })))
    for (let item = 0; item < 19; item += 1) await ask(`${item} ${"word ".repeat(item)}`)
    assert.strictEqual((await counts()).impossible, 0)
    await ask("once more")
    assert.strictEqual((await counts()).impossible, 20)
  })

  it("another model from the third question on, revoked credentials, and a cut context", async () => {
    const long = "word ".repeat(1000)
    const { ask, counts } = await witnessed((_, count, response) => {
      if (count > 4) response.writeHead(401).end("{}")
      else
        response.end(
          completion(`answer ${count}`, {
            model: count > 2 ? "small" : "m",
            usage: { prompt_tokens: 128, completion_tokens: 3 }
          })
        )
    })
    for (let item = 0; item < 6; item += 1) await ask(`${item} ${long}`)
    const got = await counts()
    assert.deepStrictEqual(got.models, { m: { m: 2, small: 2 } })
    assert.deepStrictEqual(seen(got, "revoked", "long", "shortened"), { revoked: 2, long: 4, shortened: 4 })
  })

  it("echoes, reused ids, and repeats that change at temperature 0", async () => {
    const { ask, counts } = await witnessed(({ messages }, count, response) =>
      response.end(
        JSON.stringify({
          ...JSON.parse(completion(`${messages[0]?.content} ${count}`)),
          id: `c-${Math.ceil(count / 2)}`
        })
      )
    )
    const question = "What is the capital of the country in which Lyon lies?"
    for (let time = 0; time < 6; time += 1) await ask(question, { temperature: 0 })
    assert.deepStrictEqual(seen(await counts(), "echoed", "reusedIds", "repeatedCold", "changedCold"), {
      echoed: 6,
      reusedIds: 3,
      repeatedCold: 5,
      changedCold: 5
    })
  })

  it("long answers that a temperature does not change: not those of a cold question, of the same seed, or of few words", async () => {
    const long =
      "Lyon lies in France, and the capital of France is Paris, which has been so for most of a thousand years. "
    // each look is a millisecond after the one before: no answer comes sooner than another
    let now = 0
    const sameTime = () => {
      now += 1
      return now
    }
    const { ask, counts } = await witnessed(({ messages }, count, response) => {
      const asked = messages[0]?.content
      response.end(
        completion(asked === "short" ? "Paris." : asked === "drawn" ? `${long} ${count}` : `${long} ${asked}`)
      )
    }, sameTime)
    const twice = async (content: string, first: object, second = first) => {
      await ask(content, first)
      await ask(content, second)
    }
    await twice("the same at once", { temperature: 0.8 })
    await twice("other seeds", { temperature: 0.8, seed: 1 }, { temperature: 0.8, seed: 2 })
    await twice("drawn", { temperature: 0.8 })
    await twice("one seed", { temperature: 0.8, seed: 1 })
    await twice("cool", { temperature: 0.2 })
    await twice("cold", { temperature: 0 })
    await twice("short", { temperature: 0.8 })
    assert.deepStrictEqual(seen(await counts(), "repeatedWarm", "unchangedWarm"), { repeatedWarm: 3, unchangedWarm: 2 })
  })

  it("more tokens than the limit or than the text can hold are impossible, unsent reasoning is not", async () => {
    const usages = [
      { completion_tokens: 2 },
      { completion_tokens: 900 },
      { completion_tokens: 400 },
      { completion_tokens: 400, completion_tokens_details: { reasoning_tokens: 398 } }
    ]
    const { ask, counts } = await witnessed((_, count, response) =>
      response.end(completion("Paris", { usage: { prompt_tokens: 4, ...usages[count - 1] } }))
    )
    for (const item of ["a", "b", "c", "d"]) await ask(item, { max_tokens: 512 })
    assert.deepStrictEqual(seen(await counts(), "reported", "impossible"), { reported: 4, impossible: 2 })
  })

  it("fewer tokens than any text of this length has are impossible too, thoughts that are counted apart are not", async () => {
    const text = "Lyon lies in the south-east of France, where the Rhône and the Saône meet. ".repeat(6)
    const usages = [
      { completion_tokens: 1 },
      { completion_tokens: 0 },
      { completion_tokens: 110 },
      { completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 106 } }
    ]
    const { ask, counts } = await witnessed((_, count, response) =>
      response.end(completion(text, { usage: { prompt_tokens: 4, ...usages[count - 1] } }))
    )
    for (const item of ["a", "b", "c", "d"]) await ask(item, { max_tokens: 512 })
    assert.deepStrictEqual(seen(await counts(), "reported", "impossible"), { reported: 4, impossible: 2 })
  })

  it("a context out of the cache is no cut one, whether its tokens are counted in or beside the others; a short completion that ends at its limit is no cut answer", async () => {
    const long = "word ".repeat(1000)
    const usages = [
      { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 1100 } },
      { prompt_tokens: 1200, prompt_tokens_details: { cached_tokens: 1100 } },
      { prompt_tokens: 100, cache_read_input_tokens: 1100 },
      { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 20 } }
    ]
    const { ask, askAt, counts } = await witnessed((_, count, response) =>
      response.end(
        count > 4
          ? completion(null, { choices: [{ text: " ", finish_reason: "length" }] })
          : completion("Paris", { usage: { ...usages[count - 1], completion_tokens: 3 } })
      )
    )
    for (let item = 0; item < 4; item += 1) await ask(`${item} ${long}`)
    const asked = { messages: undefined, prompt: "Q: ?\nA:" }
    await askAt("/completions", "", {}, { ...asked, max_tokens: 16 })
    await askAt("/completions", "", {}, { ...asked, prompt: "Q: why?\nA:", max_tokens: 64 })
    assert.deepStrictEqual(seen(await counts(), "long", "shortened", "cut"), { long: 4, shortened: 1, cut: 1 })
  })

  it("thinking that takes four fifths of the limit is counted by the question's last answer, and marks of a chat template by the answer", async () => {
    const { ask, counts } = await witnessed(({ messages }, count, response) => {
      const usage = { prompt_tokens: 4, completion_tokens: 90 }
      const thought = "x".repeat(count === 1 || count === 3 ? 400 : 4)
      const message = {
        role: "assistant",
        content: `Paris${count > 3 ? "<|eot_id|>" : ""}`,
        reasoning_content: thought
      }
      if (messages[0]?.content === "in the text")
        response.end(completion(`<think>${"x".repeat(400)}</think>Paris`, { usage }))
      else response.end(completion(null, { usage }, { message }))
    })
    // the second answer to a has more room
    await ask("a", { max_tokens: 100 })
    await ask("a", { max_tokens: 400 })
    await ask("b", { max_tokens: 100 })
    await ask("c", { max_tokens: 100 })
    await ask("how is <|eot_id|> used?", { max_tokens: 100 })
    await ask("in the text", { max_tokens: 100 })
    assert.deepStrictEqual(seen(await counts(), "questions", "spent", "templated"), {
      questions: 5,
      spent: 2,
      templated: 1
    })
  })

  it("probes and load are looked at only for their usage, and the endpoint never hears what a request is for", async () => {
    const roles: Array<unknown> = []
    const { ask, counts } = await witnessed(({ headers }, _, response) => {
      roles.push(headers["x-evald-role"])
      response.end(completion("", { usage: { prompt_tokens: 1, completion_tokens: 7 } }))
    })
    await ask("a", {}, { "x-evald-role": "probe" })
    await ask("b", {}, { "x-evald-role": "load" })
    const used = { sent: 2, inputTokens: 2, outputTokens: 14 }
    assert.deepStrictEqual(await counts(), { ...noCounts, loads: 1, reported: 1, ...used })
    assert.deepStrictEqual(roles, [undefined, undefined])
  })

  it("a probe that is shut out counts as a request that was (a benchmark that could not begin was said to be held up by nothing)", async () => {
    const statuses = [429, 403, 404, 500, 200]
    const { ask, counts } = await witnessed((_, count, response) => {
      response.statusCode = statuses[count - 1] ?? 200
      response.end(completion("hi"))
    })
    for (const status of statuses) await ask(`for ${status}`, {}, { "x-evald-role": "probe" })
    assert.deepStrictEqual(seen(await counts(), "exchanges", "limited", "refused", "broken", "questions"), {
      ...{ exchanges: 2, limited: 1, refused: 1, broken: 0 },
      questions: 0
    })
  })

  it("does not wait for an exchange that is still open", async () => {
    const { ask, counts } = await witnessed((_, __, response) => {
      response.write(" ")
    })
    const open = ask("a").catch(() => undefined)
    assert.strictEqual((await counts()).requests, 0)
    for (const one of running.splice(0)) await one.close()
    await open
  })
})
