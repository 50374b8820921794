/** P17 rerun: a job of a hundred benchmarks of which one failed is run again, and the results of the others are carried over. */
import { withServer } from "../bench-server.ts"
import { type Kind, newDatabase } from "../databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "../job-bodies.ts"
import { type Call, type Client, makeClient, median } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"

const benchmarks = 100
const runs = 15

const sent = async (client: Client, call: Call): Promise<number> => {
  const begin = performance.now()
  const { status, text } = await client.send(call)
  if (status >= 300) throw new Error(`${call.method} ${call.path}: ${status} ${text.slice(0, 300)}`)
  return performance.now() - begin
}

export const rerun = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database, cores: "all" }, async (server) => {
    const client = makeClient(server.url, 1)
    const job = await submit(client, { name: "again", benchmarks })
    for (let index = 0; index < benchmarks; index++)
      await sent(client, eventOf(job, index, index === 0 ? "failed" : "completed"))
    const path = `${jobsPath}/${job}/rerun`
    const headers = { ...proxyHeaders, "content-type": "application/json" }
    const times: Array<number> = []
    for (let run = 0; run < runs; run++) {
      const body = JSON.stringify({ which: "failed", reuse: true, overrides: { name: `again ${run}` } })
      times.push(await sent(client, { method: "POST", path, headers, body }))
    }
    client.close()
    const beside = `first ${shown(times[0] ?? 0)} ms; slowest ${shown(Math.max(...times))} ms`
    const what = `rerun of 1 of ${shown(benchmarks)} benchmarks, the others carried over`
    return [atMost("P17", what, median(times), "ms", 50, { database: database.label, beside })]
  })
}
