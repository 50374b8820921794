/**
 * The demo model: an OpenAI-compatible server on the loopback interface that answers the embedded benchmarks' prompts with a configured
 * skill, at a configured pace, with configured faults. It says what it is (`owned_by: evald-demo`). Reference: providers-and-collections.md, "Demo model".
 */
import * as http from "node:http"
import { Context, Data, Effect, Either, Layer, type Scope } from "effect"
import { parseJson } from "../../values/json.ts"
import { type DemoRequest, readChatRequest, readCompletionRequest } from "./demo-request.ts"
import { answerBody, errorBody, modelsBody, streamPayloads } from "./demo-wire.ts"
import { type Fault, makeFaultPlan } from "./fault-plan.ts"
import { type Generation, generate } from "./generation.ts"
import { type DemoKnobs, defaultKnobs, knobsOf } from "./knobs.ts"
import { paceTokens } from "./pacing.ts"
import { makeTokenRoutes, type TokenRoute, tokenizerInfo } from "./token-routes.ts"

export interface DemoModelOptions extends Partial<DemoKnobs> {
  /** 0 (default): any free port */
  readonly port?: number
  /** loopback unless told otherwise */
  readonly host?: string
  /** names in `/v1/models`, default `evald-demo`; when given, other names are refused as unknown */
  readonly models?: ReadonlyArray<string>
}

export class DemoModelFailed extends Data.TaggedError("DemoModelFailed")<{ readonly message: string }> {}

export interface RunningDemoModel {
  /** base address with `/v1`: what `model.url` of a job is */
  readonly url: string
  readonly port: number
}

export class DemoModel extends Context.Tag("evald/providers/demo-model/DemoModel")<DemoModel, RunningDemoModel>() {}

const maxBodyBytes = 32 * 1024 * 1024
const defaultModels = ["evald-demo"]

const sendJson = (
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {}
) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers
  })
  response.end(text)
}

const refuse = (response: http.ServerResponse, status: number, message: string, code: string) =>
  sendJson(
    response,
    status,
    errorBody(message, status === 401 ? "authentication_error" : "invalid_request_error", code)
  )

interface Generated {
  readonly request: DemoRequest
  readonly generation: Generation
  readonly knobs: DemoKnobs
  readonly startMs: number
  /** breaks off in the middle */
  readonly cut: boolean
}

const sendStream = (response: http.ServerResponse, { request, generation, knobs, startMs, cut }: Generated) => {
  const payloads = streamPayloads(request, generation)
  const write = (payload: unknown) => response.write(`data: ${JSON.stringify(payload)}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  response.flushHeaders()
  const count = cut ? Math.ceil(generation.tokens.length / 2) : generation.tokens.length
  const finish = () => {
    if (cut) {
      response.socket?.destroy()
      return
    }
    for (const payload of payloads.last) write(payload)
    response.end("data: [DONE]\n\n")
  }
  const stop = paceTokens(count, startMs, knobs, (index) => write(payloads.token(index)), finish)
  response.on("close", stop)
}

/** the whole answer at the time its last token is due */
const sendAnswer = (response: http.ServerResponse, { request, generation, knobs, startMs, cut }: Generated) => {
  const finish = () => {
    if (!cut) return sendJson(response, 200, answerBody(request, generation))
    response.writeHead(200, { "content-type": "application/json", "content-length": 100_000 })
    response.write('{"choices":[', () => response.socket?.destroy())
  }
  const stop = paceTokens(generation.tokens.length, startMs, knobs, () => undefined, finish)
  response.on("close", stop)
}

const misbehave: {
  readonly [Name in Exclude<Fault, "ok" | "cut" | "nostream">]: (response: http.ServerResponse) => void
} = {
  hang: () => undefined,
  reset: (response) => response.socket?.destroy(),
  garbage: (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"choices": [{"mess'),
  html: (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html><body><h1>Welcome</h1></body></html>"),
  empty: (response) => response.writeHead(200, { "content-type": "application/json" }).end()
}

const routes: { readonly [path: string]: (body: unknown) => Either.Either<DemoRequest, string> } = {
  "/v1/chat/completions": readChatRequest,
  "/v1/completions": readCompletionRequest
}

const answerTokens = (response: http.ServerResponse, route: TokenRoute, text: string, contextLimit: number) => {
  const body = parseJson(text)
  if (body === undefined) return refuse(response, 400, "The body is not JSON.", "invalid_json")
  const answer = route(body, contextLimit)
  return Either.isLeft(answer)
    ? refuse(response, 400, `${answer.left}.`, "invalid_request")
    : sendJson(response, 200, answer.right)
}

const makeHandler = (base: DemoKnobs, models: ReadonlyArray<string> | undefined) => {
  const planFaults = makeFaultPlan()
  const tokenRoutes = makeTokenRoutes()
  const answer = (
    incoming: http.IncomingMessage,
    response: http.ServerResponse,
    path: string,
    text: string,
    knobs: DemoKnobs,
    startMs: number
  ) => {
    const plan = planFaults(knobs, text)
    if (plan._tag === "Status")
      return sendJson(
        response,
        plan.status,
        errorBody(`The demo model was told to answer ${plan.status}.`, "demo_error", "demo_error"),
        {
          "retry-after": plan.retryAfter
        }
      )
    const { fault } = plan
    if (fault !== "ok" && fault !== "cut" && fault !== "nostream") return misbehave[fault](response)
    const body = parseJson(text)
    if (body === undefined) return refuse(response, 400, "The body is not JSON.", "invalid_json")
    const read = routes[path]?.(body)
    if (read === undefined) return refuse(response, 404, `There is no ${incoming.method} ${path} here.`, "not_found")
    if (Either.isLeft(read)) return refuse(response, 400, `${read.left}.`, "invalid_request")
    const request = read.right
    if (models !== undefined && !models.includes(request.model))
      return refuse(response, 404, `The model \`${request.model}\` does not exist.`, "model_not_found")
    const generation = generate(request, knobs)
    if (generation.promptTokens > knobs.contextLimit) {
      const message = `This model's maximum context length is ${knobs.contextLimit} tokens, but the prompt has ${generation.promptTokens}.`
      return refuse(response, 400, message, "context_length_exceeded")
    }
    const send = request.stream && fault !== "nostream" ? sendStream : sendAnswer
    send(response, { request, generation, knobs, startMs, cut: fault === "cut" })
  }

  return (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const startMs = performance.now()
    const path = (incoming.url ?? "/").split("?")[0] ?? "/"
    if (incoming.method === "GET" && path === "/health") return sendJson(response, 200, { status: "ok" })
    const knobs = knobsOf(base, incoming.headers)
    if (Either.isLeft(knobs)) return refuse(response, 400, `${knobs.left}.`, "invalid_knob")
    const { requireKey } = knobs.right
    if (requireKey !== undefined && incoming.headers.authorization !== `Bearer ${requireKey}`)
      return refuse(response, 401, "The API key is missing or wrong.", "invalid_api_key")
    if (incoming.method === "GET" && path === "/v1/models")
      return sendJson(response, 200, modelsBody(models ?? defaultModels))
    if (incoming.method === "GET" && path === "/tokenizer_info") return sendJson(response, 200, tokenizerInfo)
    const tokenRoute = tokenRoutes[path]
    if (incoming.method !== "POST" || (routes[path] === undefined && tokenRoute === undefined))
      return refuse(response, 404, `There is no ${incoming.method} ${path} here.`, "not_found")
    const chunks: Array<Buffer> = []
    let bytes = 0
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) chunks.push(chunk)
    })
    incoming.on("end", () => {
      if (bytes > maxBodyBytes) return refuse(response, 413, "The body is too large.", "body_too_large")
      const text = Buffer.concat(chunks).toString("utf8")
      if (tokenRoute !== undefined) return answerTokens(response, tokenRoute, text, knobs.right.contextLimit)
      answer(incoming, response, path, text, knobs.right, startMs)
    })
  }
}

const listen = (server: http.Server, host: string, port: number) =>
  Effect.async<number, DemoModelFailed>((resume) => {
    // stays: a connection that cannot be accepted later must not end the process
    server.on("error", (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE"
          ? `port ${port} is taken; choose another one, or 0 for any free port`
          : error.message
      resume(Effect.fail(new DemoModelFailed({ message: `The demo model cannot listen on ${host}: ${why}.` })))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const close = (server: http.Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** serves until the scope closes; open requests are cut then */
export const startDemoModel = (
  options: DemoModelOptions = {}
): Effect.Effect<RunningDemoModel, DemoModelFailed, Scope.Scope> => {
  const { port = 0, host = "127.0.0.1", models, ...knobs } = options
  return Effect.gen(function* () {
    const server = http.createServer(makeHandler({ ...defaultKnobs, ...knobs }, models))
    // a benchmark opens hundreds of connections at once, and keeps them between its requests
    server.keepAliveTimeout = 60_000
    const listening = yield* Effect.acquireRelease(listen(server, host, port), () => close(server))
    return { url: `http://${host.includes(":") ? `[${host}]` : host}:${listening}/v1`, port: listening }
  })
}

export const layer = (options: DemoModelOptions = {}): Layer.Layer<DemoModel, DemoModelFailed> =>
  Layer.scoped(DemoModel, startDemoModel(options))
