/** A job to its end: its change stream, opened again when it breaks. What is shown comes from the records alone. */
import { setTimeout as pause } from "node:timers/promises"
import { bars, changes, observe, type Sightings } from "../demo/progress.ts"
import { exits, isUnreachable, opened, type RecordOf, recordOf, refusalOf, Stop } from "./exit.ts"
import { plain, type Screen } from "./screen.ts"
import type { Connection } from "./session.ts"

export type Job = RecordOf<"getJob">

export const isOver = ({ status }: Job): boolean => status.state !== "pending" && status.state !== "running"

export const jobOf = async ({ client }: Connection, id: string, signal?: AbortSignal): Promise<Job> =>
  recordOf(await client.getJob({ path: { id }, ...(signal && { signal }) }))

/** data of each event of a stream; what is no event is left out */
async function* eventsOf(
  body: AsyncIterable<Uint8Array>
): AsyncGenerator<{ readonly name: string; readonly data: string }> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const lines = part.split("\n")
      const member = (key: string) =>
        lines.flatMap((line) => (line.startsWith(`${key}:`) ? line.slice(key.length + 1).replace(/^ /, "") : []))
      const data = member("data")
      if (data.length > 0) yield { name: member("event")[0] ?? "message", data: data.join("\n") }
    }
  }
}

async function* streamed(connection: Connection, id: string, signal: AbortSignal): AsyncGenerator<Job> {
  const response = await connection.client.open("watchJob", { path: { id }, signal })
  if (response.status === 429 || response.status >= 500) return
  for await (const { name, data } of eventsOf(await opened(response))) {
    if (name === "deleted") throw new Stop(exits.jobFailed, `job ${id} was removed`, "evald get jobs")
    const value = JSON.parse(data)
    if (name === "error") throw refusalOf(403, value)
    if (value.status !== undefined) yield value as Job
  }
}

/** pauses between tries to reach a server that went away, in milliseconds: a minute in all */
const pauses = [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]

/** every state of the job from now on, the last one is its end */
async function* records(
  connection: Connection,
  id: string,
  signal: AbortSignal,
  note: (line: string) => void
): AsyncGenerator<Job> {
  for (let failures = 0; ; ) {
    try {
      for await (const job of streamed(connection, id, signal)) {
        failures = 0
        yield job
        if (isOver(job)) return
      }
      const job = await jobOf(connection, id, signal)
      yield job
      if (isOver(job)) return
      await pause(500, undefined, { signal })
    } catch (error) {
      const wait = pauses[failures++]
      if (signal.aborted || !isUnreachable(error) || wait === undefined) throw error
      if (failures === 1) note(`${connection.target.server} does not answer; trying again`)
      await pause(wait, undefined, { signal })
    }
  }
}

const draw = (screen: Screen, before: Job | undefined, job: Job, sightings: Sightings, now: number): void => {
  if (screen.noteWidth === undefined) {
    for (const line of changes(before, job, sightings, now)) screen.note(plain(line))
    return
  }
  const lines = bars(job, sightings, now, { columns: screen.noteWidth, rows: process.stderr.rows || 24 })
  process.stderr.write(
    `${before === undefined ? "" : `\u001b[${lines.length}A`}${lines.map((line) => `\u001b[2K${line}\n`).join("")}`
  )
}

/** milliseconds; a timer for more of them ends at once */
const longestTimer = 2 ** 31 - 1

export interface Following {
  readonly id: string
  readonly progress: boolean
  /** seconds */
  readonly timeout: number | undefined
  /** ends the wait before the job's end */
  readonly until?: (job: Job) => boolean
}

/** the record that ended the wait. Neither a time that is over nor Ctrl-C touches the job. */
export const follow = async (
  connection: Connection,
  screen: Screen,
  { id, progress, timeout, until = () => false }: Following
): Promise<Job> => {
  const stop = new AbortController()
  const { temporary } = connection
  const rest = temporary ? `job ${id} is cancelled` : `job ${id} goes on`
  const again = temporary ? undefined : `evald watch ${id}`
  const interrupted = () => stop.abort(new Stop(exits.interrupted, `interrupted; ${rest}`, again))
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(
          () => stop.abort(new Stop(exits.waitedTooLong, `waited ${timeout} s; ${rest}`, again)),
          Math.min(timeout * 1000, longestTimer)
        )
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  // said when an interrupt is already answered: who reads it may end the command at once
  screen.note(`job ${id} on ${connection.target.server}`)
  let shown: Job | undefined
  let sightings: Sightings = new Map()
  try {
    for await (const job of records(connection, id, stop.signal, screen.note)) {
      const now = performance.now()
      sightings = observe(sightings, job, now)
      if (progress) draw(screen, shown, job, sightings, now)
      shown = job
      if (until(job)) return job
    }
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    stop.abort()
    clearTimeout(timer)
    process.off("SIGINT", interrupted)
    process.off("SIGTERM", interrupted)
  }
  return jobOf(connection, id)
}
