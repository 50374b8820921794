/** What a call changes in the figures of each kind of a set: added up by itself, then written. */
import { Effect } from "effect"
import type { Sample } from "../../../domain/sample/sample.ts"
import { kindText } from "../../../domain/sample/sample-query.ts"
import type { Session } from "../connection/session.ts"

/** of one kind */
export interface KindChange {
  readonly sample: Sample
  number: number
  stored: number
  withScore: number
  sum: number
  squares: number
  min: number
  max: number
  fractions: number
}

const noChange = (sample: Sample, number: number): KindChange => ({
  ...{ sample, number, stored: 0, withScore: 0, sum: 0, squares: 0 },
  ...{ min: Number.MAX_VALUE, max: -Number.MAX_VALUE, fractions: 0 }
})

const count = (change: KindChange, { score }: Sample): void => {
  change.stored += 1
  if (score === undefined) return
  change.withScore += 1
  change.sum += score
  change.squares += score * score
  change.min = Math.min(change.min, score)
  change.max = Math.max(change.max, score)
  if (score !== 0 && score !== 1) change.fractions += 1
}

export interface KindChanges {
  /** kinds that the set has with them */
  readonly total: number
  /** the number of each sample's kind */
  readonly numbers: ReadonlyArray<number>
  readonly changes: ReadonlyArray<KindChange>
}

/** `known`: numbers of the set's kinds by `kindText`; a new kind gets the next one */
export const kindChanges = (known: ReadonlyMap<string, number>, samples: ReadonlyArray<Sample>): KindChanges => {
  const all = new Map(known)
  const changes = new Map<number, KindChange>()
  const numbers = samples.map((sample) => {
    const text = kindText(sample)
    const number = all.get(text) ?? all.size
    all.set(text, number)
    const change = changes.get(number) ?? noChange(sample, number)
    changes.set(number, change)
    count(change, sample)
    return number
  })
  return { total: all.size, numbers, changes: [...changes.values()] }
}

const insertKind = `INSERT INTO sample_kinds
  (set_key, kind, verdict, reason, finish_reason, flags, stored, with_score, score_sum, score_squares, score_min, score_max, fractions)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (set_key, kind) DO UPDATE SET stored = sample_kinds.stored + excluded.stored, with_score = sample_kinds.with_score + excluded.with_score,
  score_sum = sample_kinds.score_sum + excluded.score_sum, score_squares = sample_kinds.score_squares + excluded.score_squares,
  score_min = CASE WHEN excluded.score_min < sample_kinds.score_min THEN excluded.score_min ELSE sample_kinds.score_min END,
  score_max = CASE WHEN excluded.score_max > sample_kinds.score_max THEN excluded.score_max ELSE sample_kinds.score_max END,
  fractions = sample_kinds.fractions + excluded.fractions`

export const writeKinds = (session: Session, set: number, changes: ReadonlyArray<KindChange>) =>
  Effect.forEach(
    changes,
    ({ sample, number, stored, withScore, sum, squares, min, max, fractions }) => {
      const { verdict, reason = "", finishReason = "", flags } = sample
      return session.write(insertKind, [
        ...[set, number, verdict, reason, finishReason, flags.join(",")],
        ...[stored, withScore, sum, squares, min, max, fractions]
      ])
    },
    { discard: true }
  )
