/**
 * A model endpoint with one fault: it asks a model that is always right and spoils the answer on its way back, so that a fault is in what
 * goes over the wire and nowhere else. Speaks plain HTTP itself; nothing of the product is used.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Json = { [name: string]: unknown }

export interface Completion extends Json {
  id: string
  model: string
  choices: Array<{ message: Json; finish_reason: string }>
  usage?: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens?: number
    completion_tokens_details?: { reasoning_tokens: number }
  }
}

export interface AskedChat {
  /** of all requests with a question, from 1; probes included */
  readonly number: number
  readonly body: Json & { readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }
  /** text of the last message */
  readonly question: string
}

/** what comes back in place of the right answer: another body, another status, or nothing at all; a list is written piece by piece */
export type Spoiled =
  | {
      readonly status?: number
      readonly headers?: { readonly [name: string]: string }
      readonly body: unknown
      readonly pieces?: ReadonlyArray<Buffer>
    }
  | "hang"
  | "break"
export type Fault = (right: Completion, asked: AskedChat) => Spoiled | Completion | Promise<Spoiled | Completion>

/** the answer to the question before */
export const oneBehind = (): Fault => {
  let before: Completion | undefined
  return (answer) => {
    const given = before ?? answer
    before = answer
    return { ...answer, choices: given.choices }
  }
}

export interface PlantedModel {
  readonly url: string
  readonly name: string
  readonly close: () => Promise<void>
}

const textOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const send = (
  base: string,
  path: string,
  method: string,
  body: string
): Promise<{ readonly status: number; readonly type: string; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const asked = request(
      new URL(path, base),
      // a connection that was kept may be closed by the other side just when it is used again
      { method, agent: false, headers },
      (answer) => {
        textOf(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, type: answer.headers["content-type"] ?? "", text }),
          reject
        )
      }
    )
    asked.once("error", reject)
    asked.end(body)
  })

const isCompletion = (value: Spoiled | Completion): value is Completion =>
  typeof value === "object" && "choices" in value

/** word by word, with the usage at the end, as servers stream */
const streamed = ({ choices, usage, ...head }: Completion): string => {
  const [choice] = choices
  const text = String(choice?.message["content"] ?? "")
  const parts = text.match(/\S+\s*/g) ?? []
  const event = (body: object) => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...body })}\n\n`
  return [
    ...parts.map((content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
    event({ choices: [{ index: 0, delta: {}, finish_reason: choice?.finish_reason ?? "stop" }] }),
    event({ choices: [], usage }),
    "data: [DONE]\n\n"
  ].join("")
}

/** `base`: a model that is right, such as `http://127.0.0.1:1234/v1`; `chatOnly`: it has no route for plain completions, whose answers are never spoiled */
export const plantedModel = async (
  base: string,
  name: string,
  fault: Fault,
  { chatOnly = false }: { readonly chatOnly?: boolean } = {}
): Promise<PlantedModel> => {
  let asked = 0
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(incoming)
    const path = `${new URL(base).pathname.replace(/\/v1$/, "")}${incoming.url}`
    const reply = (status: number, type: string, body: string) =>
      response.writeHead(status, { "content-type": type }).end(body)
    if (chatOnly && incoming.url === "/v1/completions")
      return reply(404, "application/json", JSON.stringify({ error: { message: "there is no such route" } }))
    const prompts = incoming.url?.endsWith("/v1/completions") ? (JSON.parse(text) as Json)["prompt"] : undefined
    if (Array.isArray(prompts)) {
      const all = prompts.map((prompt) => send(base, path, "POST", JSON.stringify({ ...JSON.parse(text), prompt })))
      const choices = (await Promise.all(all)).map((one, index) => ({
        ...(JSON.parse(one.text) as Completion).choices[0],
        index
      }))
      return reply(200, "application/json", JSON.stringify({ object: "text_completion", model: name, choices }))
    }
    if (!incoming.url?.endsWith("/chat/completions")) {
      const plain = await send(base, path, incoming.method ?? "GET", text)
      return reply(plain.status, plain.type, plain.text)
    }
    asked += 1
    // its own: others come while the right answer is fetched
    const number = asked
    const body = JSON.parse(text) as AskedChat["body"]
    const { stream, stream_options: _, ...whole } = body
    const right = await send(base, path, "POST", JSON.stringify(whole))
    if (right.status !== 200) return reply(right.status, right.type, right.text)
    const last = body.messages.at(-1)?.content
    const spoiled = await fault(JSON.parse(right.text) as Completion, {
      number,
      body,
      question: typeof last === "string" ? last : JSON.stringify(last)
    })
    if (spoiled === "hang") return undefined
    if (spoiled === "break")
      return response
        .writeHead(200, { "content-type": "application/json", "content-length": "999" })
        .write('{"choices":', () => response.destroy())
    if (!isCompletion(spoiled) && spoiled.headers !== undefined) {
      response.writeHead(spoiled.status ?? 200, spoiled.headers)
      for (const piece of spoiled.pieces ?? [Buffer.from(String(spoiled.body))]) {
        response.write(piece)
        // each piece leaves in a packet of its own
        await new Promise((later) => setImmediate(later))
      }
      return response.end()
    }
    if (!isCompletion(spoiled))
      return reply(
        spoiled.status ?? 200,
        "application/json",
        typeof spoiled.body === "string" ? spoiled.body : JSON.stringify(spoiled.body)
      )
    return stream === true
      ? reply(200, "text/event-stream", streamed(spoiled))
      : reply(200, "application/json", JSON.stringify(spoiled))
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    name,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
