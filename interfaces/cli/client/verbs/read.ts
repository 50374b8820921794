/** `evald get`, `describe`: records as lists, or one of them. */
import { defined } from "../../../../values/defined.ts"
import type { Client } from "../../../client/client.ts"
import { exits, type RecordOf, recordOf, Stop } from "../exit.ts"
import { type Job, jobOf } from "../follow.ts"
import { jobColumns, jobName, showResult } from "../job-shown.ts"
import { type Column, localTime, show } from "../output.ts"
import { plain } from "../screen.ts"
import {
  argument,
  askedOf,
  type Connection,
  flagOf,
  type Handler,
  idIn,
  jobArgument,
  type Session,
  wholeNumber
} from "../session.ts"

type Provider = RecordOf<"getProvider">
type Collection = RecordOf<"getCollection">
type Benchmark = RecordOf<"listBenchmarks">["items"][number]

const providerColumns: ReadonlyArray<Column<Provider>> = [
  { name: "id", whole: true, cell: ({ resource }) => resource.id },
  { name: "name", cell: ({ name }) => name },
  { name: "benchmarks", cell: ({ benchmarks }) => benchmarks.length },
  { name: "scope", cell: ({ resource }) => (resource.tenant === undefined ? "system" : "tenant") },
  { name: "description", wide: true, cell: ({ description }) => description }
]

const collectionColumns: ReadonlyArray<Column<Collection>> = [
  { name: "id", whole: true, cell: ({ resource }) => resource.id },
  { name: "name", cell: ({ name }) => name },
  { name: "category", cell: ({ category }) => category },
  { name: "benchmarks", cell: ({ benchmarks }) => benchmarks.length },
  { name: "scope", cell: ({ resource }) => (resource.tenant === undefined ? "system" : "tenant") },
  { name: "description", wide: true, cell: ({ description }) => description }
]

const benchmarkColumns: ReadonlyArray<Column<Benchmark>> = [
  { name: "provider", cell: ({ provider_id }) => provider_id },
  { name: "id", cell: ({ id }) => id },
  { name: "category", cell: ({ category }) => category },
  { name: "name", cell: ({ name }) => name },
  { name: "description", wide: true, cell: ({ description }) => description }
]

interface Page<Row> {
  readonly items: ReadonlyArray<Row>
  readonly total_count: number
  readonly next?: { readonly href: string } | undefined
}

/** most items of one page */
const pageSize = 100

/** the first `limit` records, from as many pages as it takes */
const pages = async <Row>(
  limit: number,
  read: (position: object) => Promise<Page<Row>>
): Promise<{ readonly rows: ReadonlyArray<Row>; readonly total: number }> => {
  const rows: Array<Row> = []
  let position: object = {}
  for (;;) {
    const page = await read({ ...position, limit: Math.min(pageSize, limit - rows.length) })
    rows.push(...page.items)
    if (page.next === undefined || rows.length >= limit || page.items.length === 0)
      return { rows: rows.slice(0, limit), total: page.total_count }
    const { searchParams } = new URL(page.next.href, "http://server")
    const [cursor, offset] = [searchParams.get("cursor"), searchParams.get("offset")]
    position = cursor === null ? { offset: Number(offset ?? rows.length) } : { cursor }
  }
}

type Lister = "listJobs" | "listProviders" | "listCollections" | "listBenchmarks"

const listed = async <Row>(
  session: Session,
  client: Client,
  name: Lister,
  query: object,
  columns: ReadonlyArray<Column<Row>>,
  label: (row: Row) => string
): Promise<number> => {
  const asked = askedOf(session)
  // the lists differ in their items only, which the columns know
  const call = client[name] as (request: object) => ReturnType<Client["listJobs"]>
  const { rows, total } = await pages<Row>(
    wholeNumber(session, "limit", 1) ?? 50,
    async (position) => recordOf(await call({ urlParams: { ...query, ...position } })) as unknown as Page<Row>
  )
  await show(session.screen, asked, { rows, columns, name: label })
  if (rows.length < total) session.screen.note(`${rows.length} of ${total} shown; all: --limit ${total}`)
  else if (rows.length === 0) session.screen.note("nothing found")
  return exits.done
}

const definitionName =
  (kind: string) =>
  ({ resource }: { readonly resource: { readonly id: string } }): string =>
    `${kind}/${resource.id}`

const benchmarkName = ({ provider_id, id }: Benchmark): string => `benchmark/${provider_id}/${id}`

const one = async <Row>(
  session: Session,
  row: Row,
  columns: ReadonlyArray<Column<Row>>,
  name: (row: Row) => string
): Promise<number> => {
  await show(session.screen, askedOf(session), { rows: [row], columns, name, single: true })
  return exits.done
}

/** the flags that narrow a list of this kind, under the names of its query; the server says which values are wrong */
const narrowing: { readonly [kind: string]: { readonly [flag: string]: string } } = {
  jobs: { status: "status", search: "name", collection: "collection_id", provider: "provider_id", tags: "tags" },
  providers: { search: "name", tags: "tags" },
  collections: { search: "name", category: "category", tags: "tags" },
  benchmarks: { search: "q", provider: "provider_id", category: "category", tags: "tags", evaluates: "evaluates" }
}

const queryOf = (session: Session, kind: string): { readonly [name: string]: string } => {
  const known = narrowing[kind] ?? {}
  const given = ["status", "search", "collection", "provider", "category", "tags", "evaluates"].filter((flag) =>
    session.line.values.has(flag)
  )
  const wrong = given.filter((flag) => !Object.hasOwn(known, flag))
  if (wrong.length > 0)
    throw new Stop(exits.usage, `--${wrong.join(", --")} does not narrow ${kind}`, "evald get --help")
  return Object.fromEntries(given.map((flag) => [known[flag] ?? flag, flagOf(session, flag) ?? ""]))
}

/** those of this identifier, `PROVIDER/ID` or `ID` alone */
const namedBenchmarks = async (session: Session, { client }: Connection, wanted: string): Promise<number> => {
  const [provider, id] = wanted.includes("/") ? wanted.split(/\/(.*)/s) : [undefined, wanted]
  const query = { q: id ?? "", ...defined({ provider_id: provider }) }
  const { rows: similar } = await pages<Benchmark>(Number.MAX_SAFE_INTEGER, async (position) =>
    recordOf(await client.listBenchmarks({ urlParams: { ...query, ...position } }))
  )
  const rows = similar.filter((one) => one.id === id)
  const [first, ...more] = rows
  if (first === undefined) throw new Stop(exits.other, `there is no benchmark '${wanted}'`, "evald get benchmarks")
  if (more.length === 0) return one(session, first, benchmarkColumns, benchmarkName)
  await show(session.screen, askedOf(session), { rows, columns: benchmarkColumns, name: benchmarkName })
  return exits.done
}

export const get: Handler = async (session) => {
  const kind = argument(session, 0)
  const id = idIn(argument(session, 1), kind.replace(/s$/, ""))
  askedOf(session)
  const query = queryOf(session, kind)
  const connection = await session.connect()
  const { client } = connection
  const path = { id }
  switch (kind) {
    case "jobs":
      return id === ""
        ? listed<Job>(session, client, "listJobs", query, jobColumns, jobName)
        : one(session, await jobOf(connection, id), jobColumns, jobName)
    case "providers":
      return id === ""
        ? listed<Provider>(session, client, "listProviders", query, providerColumns, definitionName("provider"))
        : one(session, recordOf(await client.getProvider({ path })), providerColumns, definitionName("provider"))
    case "collections":
      return id === ""
        ? listed<Collection>(session, client, "listCollections", query, collectionColumns, definitionName("collection"))
        : one(session, recordOf(await client.getCollection({ path })), collectionColumns, definitionName("collection"))
    default:
      return id === ""
        ? listed<Benchmark>(session, client, "listBenchmarks", query, benchmarkColumns, benchmarkName)
        : namedBenchmarks(session, connection, id)
  }
}

/** the job as its record has it, and for a person why it is where it is */
export const describe: Handler = async (session) => {
  const asked = askedOf(session)
  const connection = await session.connect()
  const job = await jobOf(connection, jobArgument(session, 1))
  await showResult(session.screen, asked, job)
  if (asked.format !== "table" || asked.columns !== undefined) return exits.done
  const { findings } = recordOf(await connection.client.explainJob({ path: { id: job.resource.id } }))
  for (const { says, remedy, since, eta, evidence } of findings) {
    const time = (instant: string) => (session.screen.width === undefined ? instant : localTime(instant))
    const when = `since ${time(since)}${eta === undefined ? "" : `, until about ${time(eta)}`}`
    const shown = evidence.map(({ ref, text }) => `  ${plain(ref)}: ${plain(text)}\n`).join("")
    session.screen.out(`\n${plain(says)} (${when})\n${plain(remedy)}\n${shown}`)
  }
  return exits.done
}
