/**
 * Brings events to the server: strictly in order, one at a time, for as long as it takes. Senders get the server's own answer when it
 * comes soon, else the promise that the event is safe. Reference: gateway.md, "Event spool".
 */
import type { EventSpool, SpoolLimits } from "./event-spool.ts"

/** one attempt at the server */
export type Delivery =
  | { readonly _tag: "Answered"; readonly status: number; readonly body: string; readonly contentType: string; readonly retryAfterMillis: number | undefined }
  | { readonly _tag: "Unreachable"; readonly reason: string }

export type Post = (body: Buffer, signal: AbortSignal) => Promise<Delivery>

export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly body: string; readonly contentType: string }
  /** on disk, not delivered yet; position in the queue, from 1 */
  | { readonly _tag: "Queued"; readonly position: number }
  /** neither on disk nor delivered: the sender still has it */
  | { readonly _tag: "Refused"; readonly reason: string }

export interface RelayOptions {
  readonly spool: EventSpool
  readonly limits: SpoolLimits
  readonly post: Post
  /** forget the token that was used, so that the next attempt reads it again */
  readonly renewToken: () => void
  /** how long a sender waits for the server's answer */
  readonly waitMillis: number
  readonly log: (level: "debug" | "info" | "warning" | "error", message: string, fields: { readonly [name: string]: unknown }) => void
  /** 0..1 */
  readonly random: () => number
  readonly onTerminalDelivered: () => void
  /** first and longest pause between attempts; 500 and 30,000 */
  readonly backoff?: { readonly firstMillis: number; readonly maxMillis: number }
  /** how long a 403 is retried: bindings may come late; 300,000 */
  readonly forbiddenMillis?: number
}

export interface Relay {
  readonly accept: (body: Buffer, terminal: boolean) => Promise<Outcome>
  /** events not delivered yet */
  readonly pending: () => number
  readonly dropped: () => number
  /** stops pausing between attempts; resolves when the queue is empty or the time is over */
  readonly flush: (millis: number) => Promise<void>
  /** ends for good; resolves when no attempt is under way */
  readonly stop: () => Promise<void>
  /** body of the last terminal event that was not delivered */
  readonly unsentTerminal: () => Promise<Buffer | undefined>
}

interface Entry {
  readonly number: number
  readonly bytes: number
  readonly terminal: boolean
  /** in memory when the disk refused it */
  readonly body: Buffer | undefined
  settle: (outcome: Outcome) => void
}

const maxRetryAfterMillis = 300_000
/** may be answered differently by the same server later */
const isTransient = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500

export const makeRelay = (options: RelayOptions): Relay => {
  const { spool, log, limits } = options
  const { firstMillis, maxMillis } = options.backoff ?? { firstMillis: 500, maxMillis: 30_000 }
  const forbiddenMillis = options.forbiddenMillis ?? 300_000
  const queue: Array<Entry> = spool.restored.map((event) => ({ ...event, body: undefined, settle: () => {} }))
  let next = queue.reduce((highest, { number }) => Math.max(highest, number), 0) + 1
  let bytes = queue.reduce((sum, entry) => sum + entry.bytes, 0)
  let dropped = 0
  let running = false
  let stopped = false
  let flushing = false
  /** the server does not know the job any more: later events are pointless */
  let gone: Outcome | undefined
  let wake: () => void = () => {}
  const abort = new AbortController()
  const idle = new Set<() => void>()
  let writing: Promise<unknown> = Promise.resolve()

  const leave = async (entry: Entry, outcome: Outcome): Promise<void> => {
    const at = queue.indexOf(entry)
    if (at >= 0) {
      queue.splice(at, 1)
      bytes -= entry.bytes
    }
    entry.settle(outcome)
    if (entry.body === undefined)
      await spool.remove(entry.number).catch((error: Error) => log("warning", "a delivered event could not be removed", { reason: error.message }))
  }

  const pause = (millis: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, millis)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /** one event until it is done; false when the relay was stopped before */
  const deliver = async (entry: Entry): Promise<boolean> => {
    let attempt = 0
    let forbiddenSince: number | undefined
    let tokenRenewed = false
    while (!stopped && queue.includes(entry)) {
      const body = entry.body ?? (await spool.read(entry.number).catch(() => undefined))
      if (body === undefined) {
        log("error", "a spooled event is not readable any more", { number: entry.number })
        dropped += 1
        await leave(entry, { _tag: "Refused", reason: "the event was lost from the spool" })
        return true
      }
      const delivery = await options.post(body, abort.signal)
      if (delivery._tag === "Answered") {
        const { status } = delivery
        const answer: Outcome = { _tag: "Answered", status, body: delivery.body, contentType: delivery.contentType }
        if (status < 300) {
          if (entry.terminal) options.onTerminalDelivered()
          await leave(entry, answer)
          return true
        }
        if (status === 401 && !tokenRenewed) {
          tokenRenewed = true
          options.renewToken()
          continue
        }
        if (status === 401) options.renewToken()
        if (status === 403) forbiddenSince ??= performance.now()
        const patient = status === 403 && performance.now() - (forbiddenSince ?? 0) < forbiddenMillis
        if (!isTransient(status) && status !== 401 && !patient) {
          log("warning", "the server refused an event", { status, terminal: entry.terminal })
          if (status === 404) gone = answer
          if (status === 409 && entry.terminal) options.onTerminalDelivered()
          await leave(entry, answer)
          return true
        }
        log("info", "the server did not take an event, trying again", { status, attempt })
      } else if (!stopped) log("info", "the server cannot be reached, trying again", { reason: delivery.reason, attempt })
      const ceiling = Math.min(maxMillis, firstMillis * 2 ** Math.min(attempt, 16))
      const wanted = delivery._tag === "Answered" ? delivery.retryAfterMillis : undefined
      attempt += 1
      if (!stopped)
        await pause(wanted === undefined ? (flushing ? Math.min(ceiling, 1_000) : ceiling) * options.random() : Math.min(wanted, maxRetryAfterMillis))
    }
    return !stopped
  }

  const run = async (): Promise<void> => {
    if (running) return
    running = true
    while (!stopped) {
      const [entry] = queue
      if (entry === undefined) break
      if (gone === undefined) await deliver(entry)
      else await leave(entry, gone)
    }
    running = false
    for (const resolve of idle) resolve()
    idle.clear()
  }

  /** oldest non-terminal events make room; terminal ones never do */
  const makeRoom = async (): Promise<void> => {
    while (queue.length > limits.maxFiles || bytes > limits.maxBytes) {
      // the first one may be under way
      const victim = queue.slice(1, -1).find(({ terminal }) => !terminal)
      if (victim === undefined) return
      dropped += 1
      log("warning", "the event spool is full: an older progress event is dropped", { number: victim.number })
      await leave(victim, { _tag: "Refused", reason: "the event spool is full" })
    }
  }

  const accept: Relay["accept"] = async (body, terminal) => {
    if (gone !== undefined) return gone
    const number = next
    next += 1
    // one write at a time, so that files appear in the order of their numbers
    const written = writing
      .then(() => spool.write(number, body))
      .then(
        () => undefined,
        (error: Error) => error
      )
    writing = written
    const failure = await written
    const settled = new Promise<Outcome>((settle) => {
      const entry: Entry = { number, bytes: body.length, terminal, body: failure === undefined ? undefined : body, settle }
      queue.push(entry)
      bytes += body.length
      const timer = setTimeout(() => {
        if (entry.body === undefined) settle({ _tag: "Queued", position: Math.max(1, queue.indexOf(entry) + 1) })
        else
          void leave(entry, { _tag: "Refused", reason: `the event spool cannot be written (${failure?.message ?? "failed"}) and the server does not answer` })
      }, options.waitMillis)
      entry.settle = (outcome) => {
        clearTimeout(timer)
        settle(outcome)
      }
    })
    if (failure !== undefined) log("error", "the event spool cannot be written", { reason: failure.message })
    await makeRoom()
    void run()
    return settled
  }

  if (queue.length > 0) void run()

  return {
    accept,
    pending: () => queue.length,
    dropped: () => dropped,
    flush: (millis) => {
      if (queue.length === 0 || stopped) return Promise.resolve()
      flushing = true
      wake()
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, millis)
        idle.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
    stop: async () => {
      stopped = true
      abort.abort()
      wake()
      await writing
      if (running) await new Promise<void>((resolve) => idle.add(resolve))
    },
    unsentTerminal: async () => {
      const entry = queue.findLast(({ terminal }) => terminal)
      if (entry === undefined) return undefined
      return entry.body ?? (await spool.read(entry.number).catch(() => undefined))
    }
  }
}
