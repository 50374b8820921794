/**
 * Brings events to the server: strictly in order, one at a time, for as long as it takes. Senders get the server's own answer when it
 * comes soon, else the promise that the event is safe. Reference: gateway.md, "Event spool".
 */
import { afterAttempt, type Backoff, type Delivery, noTries, pauseAfter } from "./delivery-decision.ts"
import { type Entry, type EventQueue, type Log, makeQueue, type Outcome } from "./event-queue.ts"
import type { EventSpool, SpoolLimits } from "./event-spool.ts"

export type Post = (body: Buffer, signal: AbortSignal) => Promise<Delivery>

export interface RelayOptions {
  readonly spool: EventSpool
  readonly limits: SpoolLimits
  readonly post: Post
  /** forget the token that was used, so that the next attempt reads it again */
  readonly renewToken: () => void
  /** how long a sender waits for the server's answer */
  readonly waitMillis: number
  readonly log: Log
  /** 0..1 */
  readonly random: () => number
  readonly onTerminalDelivered: () => void
  /** first and longest pause between attempts; 500 and 30,000 */
  readonly backoff?: Backoff
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

interface Courier {
  /** delivers whatever waits, unless it does so already */
  readonly run: () => Promise<void>
  /** the answer that all later events get: the server does not know the job any more */
  readonly gone: () => Outcome | undefined
  /** resolves when the queue is empty or the time is over */
  readonly flush: (millis: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** a pause that can be cut short */
const makePause = () => {
  let wake: () => void = () => {}
  return {
    pause: (millis: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, millis)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    wake: () => wake()
  }
}

interface Going {
  readonly queue: EventQueue
  readonly options: RelayOptions
  readonly pause: (millis: number) => Promise<void>
  readonly signal: AbortSignal
  stopped: boolean
  flushing: boolean
  gone: Outcome | undefined
}

/** one event until it is done, or the relay is stopped */
const deliver = async (entry: Entry, going: Going): Promise<void> => {
  const { queue, options } = going
  const { log, backoff = { firstMillis: 500, maxMillis: 30_000 }, forbiddenMillis = 300_000 } = options
  let tries = noTries
  while (!going.stopped && queue.has(entry)) {
    const body = await queue.bodyOf(entry)
    if (body === undefined) {
      log("error", "a spooled event is not readable any more", { number: entry.number })
      return queue.drop(entry, "the event was lost from the spool")
    }
    const delivery = await options.post(body, going.signal)
    const next = afterAttempt(delivery, tries, performance.now(), forbiddenMillis)
    if (next._tag !== "Again" && delivery._tag === "Answered") {
      const { status, body: text, contentType } = delivery
      const answer: Outcome = { _tag: "Answered", status, body: text, contentType }
      if (next._tag === "Refused") log("warning", "the server refused an event", { status, terminal: entry.terminal })
      if (next._tag === "Refused" && next.gone) going.gone = answer
      if (entry.terminal && (next._tag === "Taken" || next.settled)) options.onTerminalDelivered()
      return queue.leave(entry, answer)
    }
    if (next._tag !== "Again") return
    const { attempts } = tries
    tries = next.tries
    if (next.renewToken) options.renewToken()
    if (next.atOnce) continue
    if (delivery._tag === "Answered")
      log("info", "the server did not take an event, trying again", { status: delivery.status, attempt: attempts })
    else if (!going.stopped)
      log("info", "the server cannot be reached, trying again", { reason: delivery.reason, attempt: attempts })
    if (!going.stopped) await going.pause(pauseAfter(delivery, attempts, backoff, going.flushing, options.random()))
  }
}

const makeCourier = (queue: EventQueue, options: RelayOptions): Courier => {
  const { pause, wake } = makePause()
  const abort = new AbortController()
  const going: Going = { queue, options, pause, signal: abort.signal, stopped: false, flushing: false, gone: undefined }
  let running = false
  const idle = new Set<() => void>()

  const run = async (): Promise<void> => {
    if (running) return
    running = true
    for (let entry = queue.first(); entry !== undefined && !going.stopped; entry = queue.first()) {
      if (going.gone === undefined) await deliver(entry, going)
      else await queue.leave(entry, going.gone)
    }
    running = false
    for (const resolve of idle) resolve()
    idle.clear()
  }
  return {
    run,
    gone: () => going.gone,
    flush: (millis) => {
      if (queue.length() === 0 || going.stopped) return Promise.resolve()
      going.flushing = true
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
      going.stopped = true
      abort.abort()
      wake()
      if (running) await new Promise<void>((resolve) => idle.add(resolve))
    }
  }
}

export const makeRelay = (options: RelayOptions): Relay => {
  const { spool, log } = options
  const queue = makeQueue(spool, options.limits, log)
  const courier = makeCourier(queue, options)
  let writing: Promise<unknown> = Promise.resolve()

  /** one write at a time, so that files appear in the order of their numbers; answers with what went wrong */
  const write = (number: number, body: Buffer): Promise<Error | undefined> => {
    const written = writing
      .then(() => spool.write(number, body))
      .then(
        () => undefined,
        (error: Error) => error
      )
    writing = written
    return written
  }
  /** the sender's answer: the server's, or after a while what is true until then */
  const enqueue = (number: number, body: Buffer, terminal: boolean, failure: Error | undefined): Promise<Outcome> =>
    new Promise((settle) => {
      const entry: Entry = {
        number,
        bytes: body.length,
        terminal,
        body: failure === undefined ? undefined : body,
        settle
      }
      queue.add(entry)
      const timer = setTimeout(() => {
        if (failure === undefined) settle({ _tag: "Queued", position: queue.positionOf(entry) })
        else
          void queue.leave(entry, {
            _tag: "Refused",
            reason: `the event spool cannot be written (${failure.message}) and the server does not answer`
          })
      }, options.waitMillis)
      entry.settle = (outcome) => {
        clearTimeout(timer)
        settle(outcome)
      }
    })

  if (queue.length() > 0) void courier.run()

  return {
    accept: async (body, terminal) => {
      const gone = courier.gone()
      if (gone !== undefined) return gone
      const number = queue.number()
      const failure = await write(number, body)
      const settled = enqueue(number, body, terminal, failure)
      if (failure !== undefined) log("error", "the event spool cannot be written", { reason: failure.message })
      await queue.makeRoom()
      void courier.run()
      return settled
    },
    pending: queue.length,
    dropped: queue.dropped,
    flush: courier.flush,
    stop: async () => {
      const stopped = courier.stop()
      await writing
      await stopped
    },
    unsentTerminal: async () => {
      const entry = queue.lastTerminal()
      return entry === undefined ? undefined : queue.bodyOf(entry)
    }
  }
}
