/** Events that wait for the server, in order, and the room that they may take. Reference: gateway.md, "Event spool". */
import type { EventSpool, SpoolLimits } from "./event-spool.ts"

export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly body: string; readonly contentType: string }
  /** on disk, not delivered yet; position in the queue, from 1 */
  | { readonly _tag: "Queued"; readonly position: number }
  /** neither on disk nor delivered: the sender still has it */
  | { readonly _tag: "Refused"; readonly reason: string }

export type Log = (
  level: "debug" | "info" | "warning" | "error",
  message: string,
  fields: { readonly [name: string]: unknown }
) => void

export interface Entry {
  readonly number: number
  readonly bytes: number
  readonly terminal: boolean
  /** in memory when the disk refused it */
  readonly body: Buffer | undefined
  settle: (outcome: Outcome) => void
}

/** the oldest non-terminal event, as long as there are too many: neither the first, which may be under way, nor the last, which has just come */
export const victimOf = (
  queue: ReadonlyArray<Pick<Entry, "bytes" | "terminal">>,
  bytes: number,
  { maxFiles, maxBytes }: SpoolLimits
): number | undefined => {
  if (queue.length <= maxFiles && bytes <= maxBytes) return undefined
  const found = queue.findIndex(({ terminal }, position) => position > 0 && position < queue.length - 1 && !terminal)
  return found < 0 ? undefined : found
}

export interface EventQueue {
  readonly first: () => Entry | undefined
  readonly has: (entry: Entry) => boolean
  readonly length: () => number
  /** from 1, also when it is not in the queue any more */
  readonly positionOf: (entry: Entry) => number
  readonly add: (entry: Entry) => void
  /** the number of the next event */
  readonly number: () => number
  /** undefined when it can not be read any more */
  readonly bodyOf: (entry: Entry) => Promise<Buffer | undefined>
  /** tells its sender and forgets it */
  readonly leave: (entry: Entry, outcome: Outcome) => Promise<void>
  /** like `leave`, for one that never reaches the server */
  readonly drop: (entry: Entry, reason: string) => Promise<void>
  /** oldest non-terminal events make room; terminal ones never do */
  readonly makeRoom: () => Promise<void>
  readonly dropped: () => number
  readonly lastTerminal: () => Entry | undefined
}

export const makeQueue = (spool: EventSpool, limits: SpoolLimits, log: Log): EventQueue => {
  const queue: Array<Entry> = spool.restored.map((event) => ({ ...event, body: undefined, settle: () => {} }))
  let next = queue.reduce((highest, { number }) => Math.max(highest, number), 0) + 1
  let bytes = queue.reduce((sum, entry) => sum + entry.bytes, 0)
  let dropped = 0

  const leave: EventQueue["leave"] = async (entry, outcome) => {
    const at = queue.indexOf(entry)
    if (at >= 0) {
      queue.splice(at, 1)
      bytes -= entry.bytes
    }
    entry.settle(outcome)
    if (entry.body !== undefined) return
    await spool
      .remove(entry.number)
      .catch((error: Error) => log("warning", "a delivered event could not be removed", { reason: error.message }))
  }
  const drop: EventQueue["drop"] = (entry, reason) => {
    dropped += 1
    return leave(entry, { _tag: "Refused", reason })
  }
  return {
    first: () => queue[0],
    has: (entry) => queue.includes(entry),
    length: () => queue.length,
    positionOf: (entry) => Math.max(1, queue.indexOf(entry) + 1),
    add: (entry) => {
      queue.push(entry)
      bytes += entry.bytes
    },
    number: () => next++,
    bodyOf: async ({ body, number }) => body ?? (await spool.read(number).catch(() => undefined)),
    leave,
    drop,
    makeRoom: async () => {
      for (let at = victimOf(queue, bytes, limits); at !== undefined; at = victimOf(queue, bytes, limits)) {
        const victim = queue[at]
        if (victim === undefined) return
        log("warning", "the event spool is full: an older progress event is dropped", { number: victim.number })
        await drop(victim, "the event spool is full")
      }
    },
    dropped: () => dropped,
    lastTerminal: () => queue.findLast(({ terminal }) => terminal)
  }
}
