/** P7: how soon a watcher hears of an event while a thousand others watch jobs in which nothing happens. */
import { get, type IncomingMessage } from "node:http"
import { withServer } from "./bench-server.ts"
import { type Kind, newDatabase } from "./databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "./job-bodies.ts"
import { figuresOf, makeClient, openLoop, wait } from "./load.ts"
import { atMost, type Measure, shown } from "./measure.ts"

const idle = 1000
const watched = 4
const benchmarks = 100
const rate = 20

/** `onData`: what came of the stream, event by event */
const watch = (base: string, id: string, onData: (text: string) => void): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = get(
      `${base}${jobsPath}/${id}/watch`,
      { headers: { ...proxyHeaders, accept: "text/event-stream" }, agent: false },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`watch: ${response.statusCode}`))
        let rest = ""
        response.setEncoding("utf8").on("data", (chunk: string) => {
          const parts = (rest + chunk).split("\n\n")
          rest = parts.pop() ?? ""
          for (const part of parts) onData(part)
        })
        return resolve(response)
      }
    )
    request.once("error", reject)
  })

interface Shown {
  readonly status: { readonly benchmarks: ReadonlyArray<{ readonly status: string }> }
}

/** calls `heard` once for every benchmark that the stream shows as running */
const runningIn = (heard: (index: number) => void) => {
  const known = new Set<number>()
  return (text: string) => {
    const data = /^data: (.*)$/m.exec(text)?.[1]
    if (data === undefined) return
    for (const [index, { status }] of (JSON.parse(data) as Shown).status.benchmarks.entries()) {
      if (status !== "running" || known.has(index)) continue
      known.add(index)
      heard(index)
    }
  }
}

export const watchers = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database }, async (server) => {
    const client = makeClient(server.url, 16)
    const ids = await Promise.all(
      Array.from({ length: idle }, (_, n) => submit(client, { name: `idle ${n}`, benchmarks: 1 }))
    )
    const open: Array<IncomingMessage> = []
    for (let start = 0; start < ids.length; start += 50) {
      open.push(...(await Promise.all(ids.slice(start, start + 50).map((id) => watch(server.url, id, () => {})))))
    }
    const sent = new Map<string, number>()
    const latencies: Array<number> = []
    const live: Array<string> = []
    for (let job = 0; job < watched; job++) {
      const id = await submit(client, { name: `watched ${job}`, benchmarks })
      live.push(id)
      const hear = runningIn((index) => latencies.push(performance.now() - (sent.get(`${id} ${index}`) ?? Number.NaN)))
      open.push(await watch(server.url, id, hear))
    }
    await wait(500)
    const before = server.processorSeconds()
    const seconds = (watched * benchmarks) / rate
    const events = await openLoop(client, rate, seconds, (n) => {
      const [id, index] = [live[n % watched] ?? "", Math.floor(n / watched)]
      sent.set(`${id} ${index}`, performance.now())
      return eventOf(id, index, "running")
    })
    const busy = (server.processorSeconds() - before) / seconds
    for (let tries = 0; latencies.length < watched * benchmarks && tries < 300; tries++) await wait(100)
    const rss = server.rssBytes() / 1e6
    for (const response of open) response.destroy()
    client.close()
    if (events.failures > 0 || latencies.length < watched * benchmarks)
      throw new Error(`${latencies.length} of ${watched * benchmarks} events were heard`)
    const { p50, p99 } = figuresOf(latencies, seconds, 0)
    const beside = `p50 ${shown(p50)} ms; ${shown(100 * busy)} % of one processor at ${rate} events/s, ${shown(rss)} MB`
    return [
      atMost("P7", `event sent to watcher (SSE), ${shown(idle)} idle watchers, p99`, p99, "ms", 100, {
        database: database.label,
        beside
      })
    ]
  })
}
