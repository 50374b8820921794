/** Query parameters of the lists and of single calls. Reference: api.md, "Lists". */
import { Either, Schema } from "effect"
import type { CollectionFilter } from "../../../domain/collection/collection-query.ts"
import { jobStates } from "../../../domain/job/job.ts"
import { type JobQuery, parseStates } from "../../../domain/job/job-query.ts"
import { parseInstant, parseTagFilter, type TagFilter } from "../../../domain/list-filter.ts"
import { decodeCursor, type PageRequest } from "../../../domain/paging.ts"
import type { BenchmarkFilter } from "../../../domain/provider/benchmark-query.ts"
import { definitionCursorKeys, type Scope, scopes } from "../../../domain/provider/definition-page.ts"
import type { ProviderFilter } from "../../../domain/provider/provider-query.ts"
import { defined } from "../../../values/defined.ts"
import {
  choiceParameter,
  flagParameter,
  integerParameter,
  type Parameter,
  parsedParameter,
  reader,
  repeatable,
  textParameter,
  type Values
} from "./query.ts"

const page = {
  limit: integerParameter(
    "largest number of items in the answer; a page of large records holds fewer, and `next` goes on after them",
    {
      minimum: 1,
      maximum: 100,
      default: 50
    }
  ),
  offset: integerParameter("number of items to leave out from the beginning", { minimum: 0, default: 0 })
}

const tags = repeatable(
  parsedParameter("`a,b`: both tags; `a|b`: either; given several times: all of them", parseTagFilter, {
    pattern: "^([^,|]+([,|][^,|]+)*)?$"
  }),
  ","
)

const oneState = `(${jobStates.join("|")})`
const status = parsedParameter(
  "overall state; several with `|`, all others with a leading `!`",
  parseStates,
  { pattern: `^(!?${oneState}([|]${oneState})*)?$` },
  "query_parameter_value_invalid"
)

const instant = (description: string) =>
  parsedParameter(`${description}: a date, or a time, which is UTC without a zone`, parseInstant, {
    pattern: "^( *[0-9]{4}-[0-9]{2}-[0-9]{2}.*)?$"
  })

const fields = parsedParameter<ReadonlySet<string>>(
  "comma list of top-level members to answer; `resource.id` is always kept",
  (text) => {
    const names = text.split(",").map((part) => part.trim())
    return names.length > 0 && names.every((name) => /^[a-z_]{1,64}$/.test(name))
      ? Either.right(new Set(names))
      : Either.left("but must be a comma list of member names")
  },
  { pattern: "^( *[a-z_]{1,64} *(, *[a-z_]{1,64} *)*)?$" }
)

const name = textParameter("case-insensitive part of the name; no wildcards")

/** sort keys of the last item of the page before; none yet when the cursor is empty, which begins a cursor query */
const cursor = (keys: number): Parameter<ReadonlyArray<string> | undefined> => ({
  description: "opaque position from `next.href` of a cursor query; an empty value begins one",
  wire: Schema.String,
  schema: { type: "string" },
  initial: undefined,
  code: "query_parameter_invalid",
  read: (text) =>
    text === ""
      ? Either.right([])
      : Either.mapLeft(
          decodeCursor(text, keys),
          () => "which is no position of this list; take it from next.href, or begin with an empty one"
        )
})

export const jobListQuery = {
  ...page,
  /** creation time and id */
  cursor: cursor(2),
  fields,
  status,
  name,
  tags,
  created_after: instant("only jobs created at or after this time"),
  created_before: instant("only jobs created before this time"),
  model: textParameter("only jobs of this model name"),
  provider_id: textParameter("only jobs with a benchmark of this provider"),
  collection_id: textParameter("only jobs of this collection"),
  experiment_id: textParameter("only jobs tracked in this experiment"),
  owner: textParameter("only jobs of this identity"),
  rerun_of: textParameter("only reruns of this job"),
  watch: flagParameter("answer a stream of changes (server-sent events) instead of a list", false)
}

/** comparisons or gates of a job */
export const decisionListQuery = page

const scope = choiceParameter("`system`: built in or from files; `tenant`: made through the API; unset: both", scopes)

const definitionCursor = cursor(definitionCursorKeys)

export const providerListQuery = {
  ...page,
  cursor: definitionCursor,
  fields,
  benchmarks: flagParameter("include the benchmarks of each provider; `false` answers an empty list of them", true),
  name,
  tags,
  scope
}
const category = textParameter("exact category")

/** what collections can be narrowed by */
export const collectionFacetQuery = { name, category, tags, scope }
export const collectionListQuery = { ...page, cursor: definitionCursor, fields, ...collectionFacetQuery }
export const benchmarkListQuery = {
  ...page,
  q: textParameter("case-insensitive part of the identifier, name or description; no wildcards"),
  provider_id: textParameter("only benchmarks of this provider"),
  category,
  tags,
  evaluates: repeatable(
    parsedParameter("what the provider evaluates; written like `tags`", parseTagFilter, {
      pattern: "^([^,|]+([,|][^,|]+)*)?$"
    }),
    ","
  ),
  scope,
  facets: flagParameter("say as well how many of all that match have which values", false)
}
export const submitQuery = {
  dry_run: flagParameter("answer the resolved plan and store nothing", false),
  plan_token: flagParameter("with `dry_run`: answer a token that submits what was planned", false)
}
export const cancelQuery = { hard_delete: flagParameter("remove the record, in any state", false) }
/** characters of what is searched in a log */
const mostSearched = 256

export const logQuery = {
  tail_lines: integerParameter("last lines only", { minimum: 1, maximum: 10_000, default: 1000 }),
  since_seconds: {
    ...parsedParameter<number>(
      "only lines received within this many seconds",
      (text) =>
        /^\d{1,9}$/.test(text) && Number(text) > 0
          ? Either.right(Number(text))
          : Either.left("but must be a whole number of at least 1"),
      { type: "integer", minimum: 1 }
    ),
    wire: Schema.NumberFromString
  },
  contains: parsedParameter<string>(
    "only lines with this text, in any case; `tail_lines` then counts these lines",
    (text) =>
      [...text].length > mostSearched
        ? Either.left(`but must have at most ${mostSearched} characters`)
        : Either.right(text),
    { maxLength: mostSearched, pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*$" }
  ),
  timestamps: flagParameter("put the time of receipt before each line", false),
  follow: flagParameter("keep the answer open and send new lines until the benchmark ends", false)
}

export const usageQuery = {
  from: instant("only benchmarks that ended at or after this time"),
  to: instant("only benchmarks that ended before this time"),
  model: textParameter("only benchmarks of this model name")
}

/** of operations that take no query */
export const readNothing = reader({})

const without = <A extends object>(members: A): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }

const positionOf = ([createdAt, id]: ReadonlyArray<string> = []): JobQuery["after"] =>
  createdAt === undefined || id === undefined ? undefined : { createdAt, id }

/** the job list's filters under the domain's names */
export const jobQueryOf = (values: Values<typeof jobListQuery>): JobQuery => ({
  limit: values.limit,
  offset: values.offset,
  ...without({
    after: positionOf(values.cursor),
    states: values.status,
    name: values.name,
    tags: values.tags,
    createdAfter: values.created_after,
    createdBefore: values.created_before,
    model: values.model,
    providerId: values.provider_id,
    collectionId: values.collection_id,
    experimentId: values.experiment_id,
    owner: values.owner,
    rerunOf: values.rerun_of
  })
})

/** the filters of benchmarks under the domain's names */
export const benchmarkFilterOf = ({
  q,
  provider_id,
  category: wanted,
  tags: tagged,
  evaluates,
  scope: chosen
}: Values<typeof benchmarkListQuery>): BenchmarkFilter =>
  without({ text: q, providerId: provider_id, category: wanted, tags: tagged, evaluates, scope: chosen })

/** a page of providers or collections; a cursor query begins with an empty cursor, which stands before everything */
export const pageOf = ({
  limit,
  offset,
  cursor: after
}: {
  readonly limit: number
  readonly offset: number
  readonly cursor: ReadonlyArray<string> | undefined
}): PageRequest => ({
  limit,
  offset,
  ...defined({ after })
})

/** the filters of providers and of collections under the domain's names */
export const filterOf = ({
  name: wanted,
  tags: tagged,
  scope: chosen,
  category
}: {
  readonly name: string | undefined
  readonly tags: TagFilter | undefined
  readonly scope: Scope | undefined
  readonly category?: string | undefined
}): ProviderFilter & CollectionFilter => without({ name: wanted, tags: tagged, scope: chosen, category })
