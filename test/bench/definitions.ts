/** P13: all providers with their benchmarks, whole and unchanged. */
import { withServer } from "./bench-server.ts"
import { type Kind, newDatabase } from "./databases.ts"
import { proxyConfig, proxyHeaders } from "./job-bodies.ts"
import { type Call, closedLoop, makeClient } from "./load.ts"
import { atLeast, type Measure, shown } from "./measure.ts"
import { atMostLoad, ofBare } from "./reads-and-writes.ts"

const clients = 8

export const definitions = async (kind: Kind, seconds: number): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database }, async (server) => {
    const client = makeClient(server.url, clients)
    const whole: Call = { method: "GET", path: "/api/v1/evaluations/providers?limit=100", headers: proxyHeaders }
    const { head, text } = await client.send(whole)
    const etag = /\netag: (\S+)/i.exec(head)?.[1] ?? ""
    const unchanged: Call = { ...whole, headers: { ...proxyHeaders, "if-none-match": etag } }
    const { status } = await client.send(unchanged)
    if (status !== 304) throw new Error(`a request with the current tag was answered with ${status}`)
    await closedLoop(client, clients, 1, () => whole)
    const full = await atMostLoad(server, client, clients, seconds, () => whole)
    await closedLoop(client, clients, 1, () => unchanged)
    const tagged = await atMostLoad(server, client, clients, seconds, () => unchanged)
    client.close()
    const bare = await ofBare(text, whole, clients, seconds)
    const size = `${Math.round(Buffer.byteLength(text) / 1000)} KB`
    return [
      atLeast("P13", `GET providers with benchmarks (${size}), eight clients`, full.perSecond, "req/s", 1500, {
        database: database.label,
        beside: `${Math.round(full.micros)} µs of processor each; bare node:http with the same bytes ${shown(bare.perSecond)} req/s, ${Math.round(bare.micros)} µs`
      }),
      atLeast("P13", "the same, ETag hits", tagged.perSecond, "req/s", 5000, {
        database: database.label,
        beside: `${Math.round(tagged.micros)} µs of processor each`
      })
    ]
  })
}
