/**
 * Lists of jobs, newest first, from indexes alone: an inverted index for everything that is compared for equality, the state index,
 * the trigrams of a rare name, or the page index, whose entries carry the name to search in. Totals without other filters come from counters.
 * Reference: api.md, "Lists".
 */
import { Effect } from "effect"
import type { RenderedPage } from "../../../application/ports/stores/job-store.ts"
import { type JobState, jobStates } from "../../../domain/job/job.ts"
import type { JobQuery } from "../../../domain/job/job-query.ts"
import { encodeCursor } from "../../../domain/paging.ts"
import { marks, type Param, type Session } from "../connection/session.ts"
import { type LabelKind, labelValue } from "../rows/job-labels.ts"
import * as JobRow from "../rows/job-row.ts"
import type { JobContext } from "./context.ts"
import { fromKeys, rareNames } from "./name-search.ts"
import { recordsOf } from "./read.ts"
import type { RecordCache } from "./record-cache.ts"

interface Condition {
  readonly text: string
  readonly params: ReadonlyArray<Param>
}

interface LabelFilter {
  readonly kind: LabelKind
  /** any of them */
  readonly values: ReadonlyArray<string>
}

/** states that pass, or undefined when all do */
const wantedStates = ({ states }: JobQuery): ReadonlyArray<JobState> | undefined =>
  states === undefined ? undefined : jobStates.filter((state) => states.values.includes(state) !== states.negated)

const labelFilters = (query: JobQuery): ReadonlyArray<LabelFilter> => {
  const one = (kind: LabelKind, value: string | undefined): ReadonlyArray<LabelFilter> =>
    value === undefined ? [] : [{ kind, values: [labelValue(value)] }]
  return [
    ...(query.tags ?? []).map(
      (alternatives): LabelFilter => ({ kind: "tag", values: [...new Set(alternatives.map(labelValue))] })
    ),
    ...one("collection", query.collectionId),
    ...one("experiment", query.experimentId),
    ...one("model", query.model),
    ...one("provider", query.providerId),
    ...one("owner", query.owner),
    ...one("rerun_of", query.rerunOf)
  ]
}

/** entries counted at most to choose the filter that drives: enough to tell a rare one from a common one */
const enough = 20_000

const entries = (session: Session, tenant: string, { kind, values }: LabelFilter) =>
  Effect.map(
    session.query<{ n: number | string }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM job_labels WHERE tenant = ? AND kind = ? AND value IN (${marks(values.length)}) LIMIT ${enough}) rare`,
      [tenant, kind, ...values]
    ),
    ([row]) => Number(row?.n ?? 0)
  )

/** the filter with the fewest entries drives: it is walked, the others are looked up for each of its entries */
const rarestFirst = (session: Session, tenant: string, filters: ReadonlyArray<LabelFilter>) =>
  filters.length < 2
    ? Effect.succeed(filters)
    : Effect.map(
        Effect.forEach(filters, (filter) =>
          Effect.map(entries(session, tenant, filter), (count) => ({ filter, count }))
        ),
        (counted) =>
          counted
            .sort((a, b) => a.count - b.count || a.filter.values.length - b.filter.values.length)
            .map(({ filter }) => filter)
      )

const timeConditions = (query: JobQuery): ReadonlyArray<Condition> => [
  ...(query.createdAfter === undefined ? [] : [{ text: "s.created_at >= ?", params: [query.createdAfter] }]),
  ...(query.createdBefore === undefined ? [] : [{ text: "s.created_at < ?", params: [query.createdBefore] }])
]

const nameCondition = (session: Session, query: JobQuery, alias: string): ReadonlyArray<Condition> =>
  query.name === undefined || query.name === ""
    ? []
    : [
        {
          text: session.dialect === "pg" ? `strpos(${alias}.name_key, ?) > 0` : `instr(${alias}.name_key, ?) > 0`,
          params: [JobRow.nameKey(query.name)]
        }
      ]

const alsoLabelled = (tenant: string, { kind, values }: LabelFilter): Condition => ({
  text: `EXISTS (SELECT 1 FROM job_labels x WHERE x.tenant = ? AND x.kind = ? AND x.value IN (${marks(values.length)}) AND x.created_at = s.created_at AND x.id = s.id)`,
  params: [tenant, kind, ...values]
})

/** rows to page through: `s.created_at` and `s.id`, and nothing else, so that the entries of the index are all that is read */
interface Source {
  readonly text: string
  readonly params: ReadonlyArray<Param>
  readonly conditions: ReadonlyArray<Condition>
}

const union = (parts: ReadonlyArray<Condition>, distinct: boolean): Condition => ({
  text: `(${parts.map((part) => part.text).join(distinct ? " UNION " : " UNION ALL ")}) s`,
  params: parts.flatMap((part) => part.params)
})

const fromLabels = (
  session: Session,
  tenant: string,
  query: JobQuery,
  first: LabelFilter,
  others: ReadonlyArray<LabelFilter>
): Source => {
  const states = wantedStates(query)
  const joined = states !== undefined || nameCondition(session, query, "j").length > 0
  const range = (value: string): Condition => ({
    text: `SELECT l.created_at, l.id${joined ? ", l.job_key" : ""} FROM job_labels l WHERE l.tenant = ? AND l.kind = ? AND l.value = ?`,
    params: [tenant, first.kind, value]
  })
  const ranges = union(first.values.map(range), true)
  return {
    text: `FROM ${ranges.text}${joined ? " JOIN jobs j ON j.key = s.job_key" : ""}`,
    params: ranges.params,
    conditions: [
      ...others.map((filter) => alsoLabelled(tenant, filter)),
      ...(states === undefined ? [] : [{ text: `j.state IN (${marks(states.length)})`, params: states }]),
      ...nameCondition(session, query, "j"),
      ...timeConditions(query)
    ]
  }
}

const fromStates = (tenant: string, query: JobQuery, states: ReadonlyArray<JobState>): Source => {
  const ranges = union(
    states.map((state) => ({
      text: "SELECT created_at, id FROM jobs WHERE tenant = ? AND state = ?",
      params: [tenant, state]
    })),
    false
  )
  return { text: `FROM ${ranges.text}`, params: ranges.params, conditions: timeConditions(query) }
}

/** few jobs by their keys: everything is looked up for each of them */
const fromNames = (
  session: Session,
  tenant: string,
  query: JobQuery,
  filters: ReadonlyArray<LabelFilter>,
  keys: string
): Source => {
  const states = wantedStates(query)
  return {
    ...fromKeys(session, keys),
    conditions: [
      { text: "s.tenant = ?", params: [tenant] },
      ...(states === undefined ? [] : [{ text: `s.state IN (${marks(states.length)})`, params: states }]),
      ...nameCondition(session, query, "s"),
      ...filters.map((filter) => alsoLabelled(tenant, filter)),
      ...timeConditions(query)
    ]
  }
}

const source = (session: Session, tenant: string, query: JobQuery, filters: ReadonlyArray<LabelFilter>): Source => {
  const [first, ...others] = filters
  if (first !== undefined) return fromLabels(session, tenant, query, first, others)
  const states = wantedStates(query)
  if (states !== undefined && (query.name === undefined || query.name === "")) return fromStates(tenant, query, states)
  return {
    text: "FROM jobs s",
    params: [],
    conditions: [
      { text: "s.tenant = ?", params: [tenant] },
      ...(states === undefined ? [] : [{ text: `s.state IN (${marks(states.length)})`, params: states }]),
      ...nameCondition(session, query, "s"),
      ...timeConditions(query)
    ]
  }
}

const whereOf = (conditions: ReadonlyArray<Condition>): Condition => ({
  text: conditions.length === 0 ? "" : `WHERE ${conditions.map((condition) => condition.text).join(" AND ")}`,
  params: conditions.flatMap((condition) => condition.params)
})

const onlyStates = (query: JobQuery): boolean =>
  labelFilters(query).length === 0 &&
  (query.name ?? "") === "" &&
  query.createdAfter === undefined &&
  query.createdBefore === undefined

/** exact; counters when nothing but states is asked for, else a count over index entries */
const total = (session: Session, tenant: string, query: JobQuery, from: Source) => {
  const number = ([row]: ReadonlyArray<{ n: number | string | null }>) => Number(row?.n ?? 0)
  const states = wantedStates(query)
  if (onlyStates(query)) {
    const where = states === undefined ? "" : ` AND state IN (${marks(states.length)})`
    return Effect.map(
      session.query<{ n: number | string | null }>(`SELECT sum(jobs) AS n FROM job_counts WHERE tenant = ?${where}`, [
        tenant,
        ...(states ?? [])
      ]),
      number
    )
  }
  const where = whereOf(from.conditions)
  return Effect.map(
    session.query<{ n: number | string | null }>(`SELECT count(*) AS n ${from.text} ${where.text}`, [
      ...from.params,
      ...where.params
    ]),
    number
  )
}

const none: RenderedPage = { items: [], total: 0, errors: [], taken: 0 }

interface Listed {
  readonly key: number
  readonly id: string
  readonly version: number
  readonly created_at: string
}

/** the page's jobs and one more, which says that there are further ones */
const listed = (session: Session, query: JobQuery, from: Source) => {
  const after: ReadonlyArray<Condition> =
    query.after === undefined
      ? []
      : [{ text: "(s.created_at, s.id) < (?, ?)", params: [query.after.createdAt, query.after.id] }]
  const where = whereOf([...from.conditions, ...after])
  const ids = `SELECT s.id ${from.text} ${where.text} ORDER BY s.created_at DESC, s.id DESC LIMIT ? OFFSET ?`
  return session.query<Listed>(
    `SELECT j.key, j.id, j.version, j.created_at FROM jobs j JOIN (${ids}) p ON p.id = j.id ORDER BY j.created_at DESC, j.id DESC`,
    [...from.params, ...where.params, query.limit + 1, query.after === undefined ? query.offset : 0]
  )
}

/** a page that ends the list and begins it, or follows something, has told how many there are: nothing is left to count */
const knownTotal = (query: JobQuery, rows: ReadonlyArray<Listed>): number | undefined =>
  query.after === undefined && rows.length <= query.limit && (rows.length > 0 || query.offset === 0)
    ? query.offset + rows.length
    : undefined

export const pageJobs = (
  session: Session,
  context: JobContext,
  cache: RecordCache,
  tenant: string,
  query: JobQuery,
  fields?: ReadonlySet<string>
) =>
  Effect.gen(function* () {
    if (wantedStates(query)?.length === 0) return none
    const filters = labelFilters(query)
    const named = yield* rareNames(session, context.hasNameIndex(), tenant, query.name)
    if (named?.jobs === 0) return none
    const from =
      named === undefined
        ? source(session, tenant, query, yield* rarestFirst(session, tenant, filters))
        : fromNames(session, tenant, query, filters, named.keys)
    const rows = yield* listed(session, query, from)
    const count = knownTotal(query, rows) ?? (yield* total(session, tenant, query, from))
    if (count === 0) return none
    const shown = rows.slice(0, query.limit)
    const { records, taken } = yield* recordsOf(session, context, cache, shown, fields)
    const last = shown[taken - 1]
    const page: RenderedPage = {
      items: records.flatMap((record) => (typeof record === "string" ? [] : [record.json])),
      total: count,
      errors: records.filter((record) => typeof record === "string"),
      taken
    }
    return rows.length > taken && last !== undefined
      ? { ...page, next: encodeCursor([last.created_at, last.id]) }
      : page
  })
