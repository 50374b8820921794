/** P5 lists in a tenant with many jobs, P2 memory with them, P6 events while others list. */
import { type BenchServer, withServer } from "./bench-server.ts"
import { type BenchDatabase, type Kind, newDatabase } from "./databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "./job-bodies.ts"
import { type Call, type Client, inTurn, makeClient, openLoop, wait } from "./load.ts"
import { jobName, loadManyJobs, manyJobs } from "./many-jobs.ts"
import { atMost, type Measure, shown } from "./measure.ts"

const page = (query: string): Call => ({
  method: "GET",
  path: `${jobsPath}?limit=50${query === "" ? "" : `&${query}`}`,
  headers: proxyHeaders
})

const deep = 90_000

interface Listed {
  readonly total_count: number
  readonly items: ReadonlyArray<unknown>
  readonly next?: { readonly href: string }
}

const listed = async (client: Client, call: Call): Promise<Listed> => {
  const { status, text } = await client.send(call)
  if (status !== 200) throw new Error(`GET ${call.path}: ${status} ${text}`)
  return JSON.parse(text) as Listed
}

/** a page somewhere in the middle, as its predecessor names it */
const cursorCall = async (client: Client): Promise<Call> => {
  let call = page("cursor=")
  for (let pages = 0; pages < 20; pages++) {
    const { next } = await listed(client, call)
    if (next === undefined) throw new Error("a list with a cursor ended early")
    call = { ...call, path: next.href }
  }
  return call
}

/** every job once, page by page; how many pages there were */
const walked = async (client: Client): Promise<number> => {
  let pages = 0
  let next: { readonly href: string } | undefined = { href: `${jobsPath}?limit=100&cursor=` }
  for (; next !== undefined; pages++) next = (await listed(client, { ...page(""), path: next.href })).next
  return pages
}

const runs = 200

const lists = async (client: Client, database: string): Promise<ReadonlyArray<Measure>> => {
  const queries: ReadonlyArray<readonly [name: string, call: Call, target?: number]> = [
    ["first page", page("")],
    [`offset ${shown(deep)}`, page(`offset=${deep}`), 60],
    ["cursor", await cursorCall(client)],
    ["status completed (most)", page("status=completed")],
    ["status running (few)", page("status=running")],
    ["tag of nearly all", page("tags=common")],
    ["tag of one in twenty", page("tags=team-7")],
    ["tag of one in a thousand", page("tags=rare")],
    ["name of one", page(`name=${encodeURIComponent(jobName(54_321))}`)],
    ["name of one in a hundred", page(`name=${encodeURIComponent("model 42")}`)],
    ["name of all", page("name=nightly")]
  ]
  const measures: Array<Measure> = []
  for (const [name, call, target = 25] of queries) {
    const { total_count, items } = await listed(client, call)
    if (items.length === 0) throw new Error(`nothing listed: ${call.path}`)
    await inTurn(client, 10, () => call)
    const { p50, p99 } = await inTurn(client, runs, () => call)
    const beside = `p50 ${shown(p50)} ms; ${shown(total_count)} match`
    measures.push(
      atMost("P5", `50 out of ${shown(manyJobs)} jobs: ${name}, p99`, p99, "ms", target, { database, beside })
    )
  }
  return measures
}

/** two clients that list without a pause, each page another one */
const eventsBesideLists = async (
  server: BenchServer,
  client: Client,
  database: string,
  seconds: number
): Promise<ReadonlyArray<Measure>> => {
  const id = await submit(client, { name: "events beside lists", benchmarks: 100 })
  const readers = makeClient(server.url, 2)
  let going = true
  let pages = 0
  const reader = async (queries: ReadonlyArray<string>) => {
    for (let n = 0; going; n++, pages++) await listed(readers, page(queries[n % queries.length] ?? ""))
  }
  const reading = Promise.all([
    reader(["", "status=running", "tags=team-7"]),
    reader(["offset=100", "status=completed", "tags=rare"])
  ])
  const { p50, p99, failures } = await openLoop(client, 30, 2 * seconds, (n) => eventOf(id, n % 100, "running", n))
  going = false
  await reading
  readers.close()
  if (failures > 0) throw new Error(`${failures} events were refused`)
  const beside = `p50 ${shown(p50)} ms; ${shown(pages / (2 * seconds))} pages/s meanwhile`
  return [atMost("P6", "30 events/s while two clients list all the time, p99", p99, "ms", 20, { database, beside })]
}

const measured =
  (database: BenchDatabase, seconds: number, wanted: (id: string) => boolean) => async (server: BenchServer) => {
    const { label } = database
    const client = makeClient(server.url, 8)
    const measures: Array<Measure> = []
    await listed(client, page(""))
    if (wanted("P2")) {
      await wait(1500)
      const beside = "after one list"
      measures.push(
        atMost("P2", `memory (RSS) with ${shown(manyJobs)} jobs in the database`, server.rssBytes() / 1e6, "MB", 220, {
          database: label,
          beside
        })
      )
    }
    if (wanted("P5")) measures.push(...(await lists(client, label)))
    if (wanted("P6")) measures.push(...(await eventsBesideLists(server, client, label, seconds)))
    if (wanted("P2") && wanted("P5")) {
      const beside = "after all lists above"
      measures.push(
        atMost("P2", `memory (RSS) with ${shown(manyJobs)} jobs in the database`, server.rssBytes() / 1e6, "MB", 220, {
          database: label,
          beside
        })
      )
    }
    if (wanted("P15")) {
      const pages = await walked(client)
      await wait(1500)
      const beside = `${shown(pages)} pages of 100 by cursor`
      measures.push(
        atMost("P15", `memory (RSS) after ${shown(manyJobs)} jobs were listed`, server.rssBytes() / 1e6, "MB", 200, {
          database: label,
          beside
        })
      )
    }
    client.close()
    return measures
  }

export const inManyJobs = async (
  kind: Kind,
  seconds: number,
  wanted: (id: string) => boolean
): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  const begin = performance.now()
  await loadManyJobs(database)
  process.stderr.write(`  ${shown(manyJobs)} jobs loaded in ${shown((performance.now() - begin) / 1000)} s\n`)
  return withServer({ local: false, config: proxyConfig, database }, measured(database, seconds, wanted))
}
