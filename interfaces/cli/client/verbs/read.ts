/** `evald get`, `describe`: records as lists, or one of them. */
import type { Client } from "../../../client/client.ts"
import { exits, type RecordOf, recordOf, Stop } from "../exit.ts"
import { type Job, jobOf } from "../follow.ts"
import { jobColumns, jobName, showResult } from "../job-shown.ts"
import { type Column, show } from "../output.ts"
import { argument, askedOf, type Connection, flagOf, type Handler, type Session, wholeNumber } from "../session.ts"

type Provider = RecordOf<"getProvider">
type Collection = RecordOf<"getCollection">
type Benchmark = Provider["benchmarks"][number] & { readonly provider_id: string }

const providerColumns: ReadonlyArray<Column<Provider>> = [
  { name: "id", cell: ({ resource }) => resource.id },
  { name: "name", cell: ({ name }) => name },
  { name: "benchmarks", cell: ({ benchmarks }) => benchmarks.length },
  { name: "scope", cell: ({ resource }) => (resource.tenant === undefined ? "system" : "tenant") },
  { name: "description", wide: true, cell: ({ description }) => description }
]

const collectionColumns: ReadonlyArray<Column<Collection>> = [
  { name: "id", cell: ({ resource }) => resource.id },
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

type Lister = "listJobs" | "listProviders" | "listCollections"

const listed = async <Row>(
  session: Session,
  client: Client,
  name: Lister,
  query: object,
  columns: ReadonlyArray<Column<Row>>,
  label: (row: Row) => string
): Promise<number> => {
  const asked = askedOf(session)
  // the three lists differ in their items only, which the columns know
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

const jobs = async (session: Session, { client }: Connection): Promise<number> => {
  const query = Object.fromEntries(
    [
      ["status", flagOf(session, "status")],
      ["name", flagOf(session, "search")],
      ["collection_id", flagOf(session, "collection")]
    ].filter(([, value]) => value !== undefined)
  )
  return listed<Job>(session, client, "listJobs", query, jobColumns, jobName)
}

const one = async <Row>(
  session: Session,
  row: Row,
  columns: ReadonlyArray<Column<Row>>,
  name: (row: Row) => string
): Promise<number> => {
  await show(session.screen, askedOf(session), { rows: [row], columns, name, single: true })
  return exits.done
}

const benchmarks = async (session: Session, { client }: Connection, wanted: string): Promise<number> => {
  const { rows: providers } = await pages<Provider>(
    Number.MAX_SAFE_INTEGER,
    async (position) => recordOf(await client.listProviders({ urlParams: position })) as unknown as Page<Provider>
  )
  const search = flagOf(session, "search")?.toLowerCase()
  const rows = providers
    .flatMap((provider) =>
      provider.benchmarks.map((benchmark): Benchmark => ({ ...benchmark, provider_id: provider.resource.id }))
    )
    .filter(({ provider_id, id }) => wanted === "" || `${provider_id}/${id}` === wanted || id === wanted)
    .filter(({ id, name }) => search === undefined || `${id} ${name ?? ""}`.toLowerCase().includes(search))
  const label = ({ provider_id, id }: Benchmark) => `benchmark/${provider_id}/${id}`
  if (wanted !== "" && rows.length === 0)
    throw new Stop(exits.other, `there is no benchmark '${wanted}'`, "evald get benchmarks")
  const limit = wholeNumber(session, "limit", 1) ?? Number.MAX_SAFE_INTEGER
  const [first] = rows
  if (wanted !== "" && first !== undefined && rows.length === 1) return one(session, first, benchmarkColumns, label)
  await show(session.screen, askedOf(session), { rows: rows.slice(0, limit), columns: benchmarkColumns, name: label })
  if (rows.length === 0) session.screen.note("nothing found")
  return exits.done
}

export const get: Handler = async (session) => {
  const [kind, id] = [argument(session, 0), argument(session, 1)]
  askedOf(session)
  const connection = await session.connect()
  const { client } = connection
  const query = flagOf(session, "search") === undefined ? {} : { name: flagOf(session, "search") }
  if (kind === "benchmarks") return benchmarks(session, connection, id)
  if (kind === "jobs")
    return id === "" ? jobs(session, connection) : one(session, await jobOf(connection, id), jobColumns, jobName)
  if (kind === "providers")
    return id === ""
      ? listed<Provider>(session, client, "listProviders", query, providerColumns, definitionName("provider"))
      : one(session, recordOf(await client.getProvider({ path: { id } })), providerColumns, definitionName("provider"))
  return id === ""
    ? listed<Collection>(session, client, "listCollections", query, collectionColumns, definitionName("collection"))
    : one(
        session,
        recordOf(await client.getCollection({ path: { id } })),
        collectionColumns,
        definitionName("collection")
      )
}

export const describe: Handler = async (session) => {
  const job = await jobOf(await session.connect(), argument(session, 1))
  await showResult(session.screen, askedOf(session), job)
  return exits.done
}
