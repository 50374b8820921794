/**
 * P20 audit log: what it adds to a write, which is put down before it is done and again when it is answered. Two servers, one of them without
 * the log, are sent the same submissions in turn, so that whatever the machine does meets both.
 */
import { withServer } from "../bench-server.ts"
import { type Kind, newDatabase } from "../databases.ts"
import { proxyConfig, submit } from "../job-bodies.ts"
import { makeClient, median } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"

const rounds = 600
const warmUp = 100

export const audit = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const [logged, plain] = [await newDatabase(kind), await newDatabase(kind)]
  const options = { local: false, cores: "all" } as const
  return withServer({ ...options, config: `${proxyConfig}audit: {enabled: true}\n`, database: logged }, (withLog) =>
    withServer({ ...options, config: proxyConfig, database: plain }, async (without) => {
      const servers = [withLog, without].map((server) => {
        const client = makeClient(server.url, 1)
        const times: Array<number> = []
        return { server, client, times, begun: 0 }
      })
      for (let round = 0; round < rounds + warmUp; round++)
        for (const one of servers) {
          if (round === warmUp) one.begun = one.server.processorSeconds()
          const begin = performance.now()
          await submit(one.client, { name: `audited ${round}`, benchmarks: 1 })
          if (round >= warmUp) one.times.push(performance.now() - begin)
        }
      const [first, second] = servers.map(({ server, client, times, begun }) => {
        client.close()
        return { wall: median(times), processor: ((server.processorSeconds() - begun) / rounds) * 1e6 }
      })
      const [wall, processor] = [
        (first?.wall ?? Number.NaN) - (second?.wall ?? Number.NaN),
        (first?.processor ?? Number.NaN) - (second?.processor ?? Number.NaN)
      ]
      const beside = `without: ${shown(second?.wall ?? Number.NaN)} ms; ${shown(processor / 2)} µs of processor an entry`
      const what = "audit log: added to a write by its two entries, p50"
      return [atMost("P20", what, wall, "ms", 5, { database: logged.label, beside })]
    })
  )
}
