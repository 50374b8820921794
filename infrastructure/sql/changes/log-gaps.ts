/**
 * Which rows of a change log with gaps may be told. Numbers are handed out before their transactions commit, so a lower number may
 * appear after a higher one: the tail stops at a gap until every transaction that wrote to the log when the gap was seen has ended.
 * Transactions that write elsewhere are nobody's business, however long they take.
 */
import type { Change } from "../../../application/ports/change-feed.ts"

export interface TailRow {
  readonly sequence: string
  readonly tenant: string
  readonly job_id: string
  readonly kind: Change["kind"]
}

/** names of transactions that hold the log's write lock; each name is used once */
export type Writers = ReadonlySet<string>

/** a gap below `upTo` is final once all these writers have ended */
export interface Doubt {
  readonly upTo: number
  readonly writers: Writers
  /** when it was seen first, in milliseconds */
  readonly since: number
}

export interface Tail {
  /** everything up to here was told */
  position: number
  doubt: Doubt | undefined
}

/**
 * Moves the tail over the rows that are settled and returns them; false: stopped at a gap that may still be filled. The writers of the
 * tail's doubt must have been looked at before the rows were read.
 */
export const settle = (tail: Tail, rows: ReadonlyArray<TailRow>): readonly [ReadonlyArray<Change>, boolean] => {
  const settled: Array<Change> = []
  for (const row of rows) {
    const sequence = Number(row.sequence)
    const isFinal = tail.doubt !== undefined && tail.doubt.writers.size === 0 && sequence <= tail.doubt.upTo
    if (sequence !== tail.position + 1 && !isFinal) return [settled, false]
    settled.push({ sequence, tenant: row.tenant, jobId: row.job_id, kind: row.kind })
    tail.position = sequence
  }
  return [settled, true]
}

/** the doubt of a tail that stopped among these rows; `writers` were looked at after the rows were read */
export const doubted = (tail: Tail, rows: ReadonlyArray<TailRow>, writers: Writers, now: number): Doubt => {
  const { doubt } = tail
  const isSettled = doubt === undefined || doubt.upTo <= tail.position
  return isSettled
    ? { upTo: Number(rows.at(-1)?.sequence ?? tail.position), writers, since: now }
    : { ...doubt, writers: new Set([...doubt.writers].filter((writer) => writers.has(writer))) }
}

const [firstPause, longestPause] = [5, 160]

/** milliseconds before a gap is looked at again: most are filled within a moment, the others are not waited for at a run */
export const gapPause = (looks: number): number => Math.min(longestPause, firstPause * 2 ** Math.min(looks, 10))
