/** P18 explain: a job of many benchmarks, all of which failed in one of three ways, explained anew each time. */
import { withServer } from "../bench-server.ts"
import { type Kind, newDatabase } from "../databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "../job-bodies.ts"
import { makeClient, median } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"

const benchmarks = 100
const runs = 50

export const explanation = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database, cores: "all" }, async (server) => {
    const client = makeClient(server.url, 1)
    const job = await submit(client, { name: "explained", benchmarks })
    for (let index = 0; index < benchmarks; index++) await client.send(eventOf(job, index, "failed"))
    const times: Array<number> = []
    for (let run = 0; run < runs; run++) {
      const begin = performance.now()
      const { status, text } = await client.send({
        method: "GET",
        path: `${jobsPath}/${job}/explain`,
        headers: proxyHeaders
      })
      if (status !== 200) throw new Error(`GET explain: ${status} ${text.slice(0, 300)}`)
      times.push(performance.now() - begin)
    }
    client.close()
    const beside = `first ${shown(times[0] ?? 0)} ms; slowest ${shown(Math.max(...times))} ms`
    return [
      atMost("P18", `explain a job of ${benchmarks} failed benchmarks`, median(times), "ms", 20, {
        database: database.label,
        beside
      })
    ]
  })
}
