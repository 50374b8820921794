/** One exchange with a model through the log: answered from it, or forwarded and its answer kept. Reference: reruns.md, "Resuming". */
import { Fault } from "../fault.ts"
import { type Caller, forward, type ProxySettings, refuse, type Target } from "../proxy.ts"
import { readAhead } from "../read-body.ts"
import { type ExchangeWitness, loadRole, modelPath, plainText, probeRole } from "../witness/witness.ts"
import type { KeptAnswer } from "./answer-files.ts"
import type { LoggedRequest, RequestLog } from "./request-log.ts"

/** longer questions and answers go by unlogged */
const maxAskedBytes = 4 * 1024 * 1024
const maxAnsweredBytes = 8 * 1024 * 1024

/** says of an answer that it was given before */
const replayedHeader = "x-evald-replayed"

/** questions for generated text or likelihoods; probes and load are asked for their own sake */
export const isLogged = ({ request }: Caller, path: string, role: string | undefined): boolean =>
  request.method === "POST" &&
  role !== probeRole &&
  role !== loadRole &&
  modelPath.test(path.split("?", 1)[0] ?? "") &&
  !(Number(request.headers["content-length"] ?? 0) > maxAskedBytes)

/** hands a copy of the answer to the log when the exchange is over */
const keeper = (logged: LoggedRequest): ExchangeWitness & { readonly abandon: () => void } => {
  let chunks: Array<Buffer> = []
  let size = 0
  let status = 0
  let headers: { readonly [name: string]: string } = {}
  let over = false
  const keep = async (body: Buffer) => {
    const text = await plainText(body, headers["content-encoding"] ?? "")
    if (text === undefined) logged.failed()
    else await logged.answered({ status, headers, body }, text)
  }
  return {
    asked: () => {},
    head: (code, all) => {
      status = code
      const kept = ["content-type", "content-encoding"].flatMap((name) =>
        all[name] === undefined ? [] : [[name, String(all[name])] as const]
      )
      headers = Object.fromEntries(kept)
    },
    answered: (chunk) => {
      size += chunk.length
      if (size <= maxAnsweredBytes) chunks.push(chunk)
    },
    ended: (complete) => {
      if (over) return
      over = true
      // at once: the next attempt may be on its way
      if (!complete || size > maxAnsweredBytes || status < 200 || status >= 300) logged.failed()
      else keep(Buffer.concat(chunks)).catch(logged.failed)
      chunks = []
    },
    // refused before it was sent: there is no exchange that could end
    abandon: () => {
      if (!over) logged.failed()
      over = true
    }
  }
}

const both = (one: ExchangeWitness | undefined, other: ExchangeWitness): ExchangeWitness =>
  one === undefined
    ? other
    : {
        asked: one.asked,
        head: (status, headers) => {
          one.head(status, headers)
          other.head(status, headers)
        },
        answered: (chunk) => {
          one.answered(chunk)
          other.answered(chunk)
        },
        ended: (complete) => {
          one.ended(complete)
          other.ended(complete)
        }
      }

/** the witness sees it as any other answer: items of a resumed run have their answers too */
const replay = (caller: Caller, target: Target, settings: ProxySettings, asked: Buffer, kept: KeptAnswer): void => {
  const { request, response, trace } = caller
  const { status, headers, body } = kept
  const started = performance.now()
  target.witness?.asked(asked)
  target.witness?.head(status, headers)
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

/** undefined: there is none after all */
export type OpenedLog = RequestLog | Promise<RequestLog | undefined>

const send = async (caller: Caller, target: Target, opened: OpenedLog, settings: ProxySettings): Promise<void> => {
  const log = await opened
  if (log === undefined) return forward(caller, target, settings)
  if (caller.expectsContinue) caller.response.writeContinue()
  const whole: Caller = { ...caller, expectsContinue: false }
  const body = await readAhead(caller.request, maxAskedBytes)
  if (body === undefined) {
    forward(whole, target, settings)
    caller.request.resume()
    return
  }
  const logged = log.open({
    upstream: target.upstream,
    path: target.path,
    headers: caller.request.rawHeaders,
    body
  })
  if (logged === undefined) return forward(whole, { ...target, body }, settings)
  const kept = await logged.kept()
  if (kept !== undefined) return replay(whole, target, settings, body, kept)
  const keep = keeper(logged)
  caller.response.once("close", () => setImmediate(keep.abandon))
  forward(whole, { ...target, body, witness: both(target.witness, keep) }, settings)
  if (caller.response.destroyed) keep.abandon()
}

/** every outcome ends in an answer or a cut connection */
export const forwardLogged = (caller: Caller, target: Target, log: OpenedLog, settings: ProxySettings): void => {
  send(caller, target, log, settings).catch((error: unknown) => {
    if (caller.response.destroyed) return
    const fault = error instanceof Fault ? error : new Fault(400, "request_invalid", "the request cannot be read")
    refuse(caller, target.route, fault, settings)
  })
}
