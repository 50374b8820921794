/**
 * Sample records that the adapter left in its result folder and did not send: read when it has ended, and sent as its own calls are.
 * Reference: samples.md, "Upload"; gateway.md, "Event spool".
 */
import type { Log, Outcome } from "./event-queue.ts"

export interface LeftSamples {
  /** of all files together; 0 when there are none */
  readonly bytes: () => Promise<number>
  /** records as lines without their ends, batch by batch; `unreadable` lines are no records */
  readonly each: (
    use: (batch: { readonly lines: ReadonlyArray<string>; readonly unreadable: number }) => Promise<void>,
    signal: AbortSignal
  ) => Promise<void>
}

export interface Sending {
  readonly accept: (body: Buffer) => Promise<Outcome>
  readonly log: Log
  /** milliseconds for all of it */
  readonly limit: number
  /** between two tries while the queue is full; 200 */
  readonly pauseMillis?: number
}

/** below what a call may hold */
const callBytes = 3.5 * 1024 * 1024

/** calls in the order of the lines, each with at least one */
const callsOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const calls: Array<Array<string>> = []
  let size = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1
    if (size + bytes > callBytes) {
      calls.push([])
      size = 0
    }
    calls.at(-1)?.push(line)
    size += bytes
  }
  return calls
}

/** what is wrong with some lines of a call, rather than with all that may come */
const isAboutLines = ({ status, body }: Extract<Outcome, { readonly _tag: "Answered" }>): boolean =>
  status === 400 || status === 413 || (status === 409 && body.includes("sample_conflict"))

/** stops at a refusal that is about the benchmark; lines that the server does not take are left out one by one */
export const sendLeft = async (
  left: LeftSamples,
  { accept, log, limit, pauseMillis = 200 }: Sending
): Promise<void> => {
  const signal = AbortSignal.timeout(Math.max(1, limit))
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  let [sent, refused, broken] = [0, 0, 0]
  const send = async (lines: ReadonlyArray<string>): Promise<void> => {
    if (ended.aborted) return
    const outcome = await accept(Buffer.from(`${lines.join("\n")}\n`))
    if (outcome._tag === "Refused") {
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      return send(lines)
    }
    if (outcome._tag === "Queued" || outcome.status < 300) sent += lines.length
    else if (!isAboutLines(outcome)) {
      log("warning", "the server takes no more samples", { status: outcome.status })
      over.abort()
    } else if (lines.length === 1) refused += 1
    else {
      const middle = Math.ceil(lines.length / 2)
      await send(lines.slice(0, middle))
      await send(lines.slice(middle))
    }
  }
  try {
    await left.each(async ({ lines, unreadable }) => {
      broken += unreadable
      for (const call of callsOf(lines)) await send(call)
    }, ended)
  } catch (error) {
    log("warning", "left samples cannot be read", { reason: error instanceof Error ? error.message : String(error) })
  }
  if (sent + refused + broken > 0)
    log(refused + broken > 0 || signal.aborted ? "warning" : "info", "samples that the adapter left were sent", {
      ...{ sent, refused, unreadable: broken },
      ...(signal.aborted ? { unfinished: true } : {})
    })
}
