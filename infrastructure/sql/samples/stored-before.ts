/** What the records of a call meet in a database: the set of their benchmark as it is, its kinds, and those of them that are stored. */
import { Effect } from "effect"
import type { SampleUnit } from "../../../application/ports/stores/sample-store.ts"
import type { Known } from "../../../domain/sample/meet.ts"
import { keyText, type SampleKey, type SampleVerdict } from "../../../domain/sample/sample.ts"
import { kindText } from "../../../domain/sample/sample-query.ts"
import { columnsOf, type Param, type Session, tuples } from "../connection/session.ts"
import { type KindNames, kindOf } from "./sample-rows.ts"

export interface SetRow {
  readonly key: number
  readonly revision: number
}

export interface Before {
  readonly revision: number
  readonly stored: ReadonlyMap<string, Known & { readonly kind: number }>
  /** numbers of the set's kinds by `kindText` */
  readonly kinds: ReadonlyMap<string, number>
}

interface FoundRow {
  readonly sample_id: string
  readonly task: string
  readonly repetition: number
  readonly kind: number
  readonly verdict: SampleVerdict
  readonly digest: Buffer
}

/** rows of one statement: on SQLite one has so many parameters, on PostgreSQL its text is written in the thread that serves everybody */
const part = { sqlite: 100, pg: 125 } as const

export const parts = <A>(all: ReadonlyArray<A>, dialect: Session["dialect"]): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / part[dialect]) }, (_, number) =>
    all.slice(number * part[dialect], (number + 1) * part[dialect])
  )

const foundColumns = "r.sample_id, r.task, r.repetition, r.kind, k.verdict, r.digest"

/** the stored ones among these keys */
const foundRows = (session: Session, set: number, keys: ReadonlyArray<SampleKey>) => {
  const rows = keys.map(({ sampleId, task, repeat }): ReadonlyArray<Param> => [sampleId, task, repeat])
  if (session.dialect === "pg") {
    // the limit keeps each key a look-up, also where nothing is known yet about how large the table became; and the set is a column like the others, so that no plan is made for
    // this one: statistics that are older than it say that it has no rows, and an index of another order, which reads all it has for every key, would look as good
    const text = `SELECT ${foundColumns} FROM unnest(?::text[], ?::text[], ?::int[], ?::int[]) w (sample_id, task, repetition, set_key)
      CROSS JOIN LATERAL (SELECT * FROM sample_rows x WHERE x.set_key = w.set_key AND x.sample_id = w.sample_id AND x.task = w.task AND x.repetition = w.repetition LIMIT 1) r
      JOIN sample_kinds k ON k.set_key = r.set_key AND k.kind = r.kind`
    return session.query<FoundRow>(text, [...columnsOf(rows, 3), keys.map(() => set)])
  }
  return Effect.map(
    Effect.forEach(parts(rows, "sqlite"), (some) =>
      session.query<FoundRow>(
        `WITH w (sample_id, task, repetition) AS (VALUES ${tuples(some.length, 3)})
         SELECT ${foundColumns} FROM w CROSS JOIN sample_rows r ON r.set_key = ? AND r.sample_id = w.sample_id AND r.task = w.task AND r.repetition = w.repetition
         JOIN sample_kinds k ON k.set_key = r.set_key AND k.kind = r.kind`,
        [...some.flat(), set]
      )
    ),
    (found) => found.flat()
  )
}

export const setText = "SELECT key, revision FROM sample_sets WHERE tenant = ? AND job_id = ? AND idx = ? AND gone = 0"

export const readBefore = (session: Session, unit: SampleUnit, keys: ReadonlyArray<SampleKey>) =>
  Effect.gen(function* () {
    const [set] = yield* session.query<SetRow>(setText, [unit.tenant, unit.jobId, unit.index])
    if (set === undefined || set.revision === 0)
      return { revision: 0, stored: new Map(), kinds: new Map() } satisfies Before
    const names = yield* session.query<KindNames & { readonly kind: number }>(
      "SELECT kind, verdict, reason, finish_reason, flags FROM sample_kinds WHERE set_key = ?",
      [set.key]
    )
    const kinds = new Map(names.map((row) => [kindText(kindOf(row)), row.kind]))
    const rows = yield* foundRows(session, set.key, keys)
    const stored = rows.map(
      ({
        sample_id,
        task,
        repetition,
        kind,
        verdict,
        digest
      }): readonly [string, Known & { readonly kind: number }] => [
        keyText({ sampleId: sample_id, task, repeat: repetition }),
        { kind, verdict, digest: digest.toString("hex") }
      ]
    )
    return { revision: set.revision, stored: new Map(stored), kinds } satisfies Before
  })
