/** One exchange with a model and the log: answered out of it, or its answer kept. Reference: reruns.md, "Resuming". */
import { defined } from "../../../values/defined.ts"
import type { Caller, ProxySettings, Target } from "../proxy.ts"
import { type ExchangeWitness, loadRole, modelPath, plainText } from "../witness/witness.ts"
import type { KeptAnswer } from "./answer-files.ts"
import type { LoggedRequest } from "./request-log.ts"

/** longer answers go by unlogged */
const maxAnsweredBytes = 8 * 1024 * 1024

/** an answer that is read so late is on its way to its caller */
const delivered = () => new Promise((resolve) => setTimeout(resolve, 1))

/** says of an answer that it was given before */
const replayedHeader = "x-evald-replayed"

/** questions for generated text or likelihoods, those that find out what an endpoint can do among them; load is asked for its own sake */
export const isLogged = ({ request }: Caller, path: string, role: string | undefined): boolean =>
  request.method === "POST" && role !== loadRole && modelPath.test(path.split("?", 1)[0] ?? "")

/** hands a copy of the answer to the log when the exchange is over */
export const keeper = (logged: LoggedRequest): ExchangeWitness & { readonly abandon: () => void } => {
  let chunks: Array<Buffer> = []
  let size = 0
  let status = 0
  let headers: { readonly [name: string]: string } = {}
  let over = false
  // read when it is delivered, so that nobody waits for its keeping
  const textOf = async (body: Buffer) => {
    await delivered()
    return plainText(body, headers["content-encoding"] ?? "")
  }
  return {
    asked: () => {},
    head: (code, { contentType, contentEncoding }) => {
      status = code
      headers = defined({ "content-type": contentType, "content-encoding": contentEncoding })
    },
    answered: (chunk) => {
      size += chunk.length
      if (size <= maxAnsweredBytes) chunks.push(chunk)
    },
    ended: (complete) => {
      if (over) return
      over = true
      // said at once, because the next attempt may be on its way
      if (!complete || size > maxAnsweredBytes || status < 200 || status >= 300) logged.failed()
      else {
        const body = Buffer.concat(chunks)
        logged.answered({ status, headers, body }, () => textOf(body)).catch(logged.failed)
      }
      chunks = []
    },
    // refused before it was sent: there is no exchange that could end
    abandon: () => {
      if (!over) logged.failed()
      over = true
    }
  }
}

/** the witness sees it as any other answer: items of a resumed run have their answers too */
export const replay = (
  caller: Caller,
  target: Target,
  settings: ProxySettings,
  asked: Buffer,
  kept: KeptAnswer
): void => {
  const { request, response, trace } = caller
  const { status, headers, body } = kept
  const started = performance.now()
  target.witness?.asked(asked)
  const { "content-type": contentType, "content-encoding": contentEncoding } = headers
  target.witness?.head(status, { contentType, contentEncoding }, true)
  target.witness?.answered(body)
  response.on("error", () => {})
  response.once("close", () => {
    const aborted = !response.writableFinished
    target.witness?.ended(!aborted)
    settings.onExchange({
      route: target.route,
      method: request.method ?? "POST",
      status,
      bytesIn: asked.length,
      bytesOut: body.length,
      ttfbMillis: undefined,
      durationMillis: performance.now() - started,
      aborted
    })
  })
  const length = String(body.length)
  response.writeHead(status, { ...headers, "content-length": length, "x-request-id": trace, [replayedHeader]: "true" })
  response.end(body)
}
