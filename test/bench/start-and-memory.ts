/** P1 start to the first 200, P2 idle memory. */
import { request } from "node:http"
import { removeFolder, startServer } from "./bench-server.ts"
import { atMost, type Measure } from "./measure.ts"

const first200 = (port: number, from: number): Promise<number> =>
  new Promise((resolve) => {
    const ask = () =>
      request({ hostname: "127.0.0.1", port, path: "/api/v1/health" }, (response) => {
        response.resume()
        resolve(performance.now() - from)
      })
        .once("error", () => setTimeout(ask, 2))
        .end()
    ask()
  })

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const startAndMemory = async (): Promise<ReadonlyArray<Measure>> => {
  const starts: Array<number> = []
  let rss = Number.NaN
  for (let i = 0; i < 5; i++) {
    const port = 18_400 + i
    const begin = performance.now()
    const answered = first200(port, begin)
    const server = await startServer({ local: true, config: "log: {level: info}\n", environment: { PORT: String(port) } })
    starts.push(await answered)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    rss = server.rssBytes()
    await server.stop()
    removeFolder(server.folder)
  }
  return [
    atMost("P1", "start of `evald server` to the first 200 (all built-in definitions)", median(starts) / 1000, "s", 0.6),
    atMost("P2", "idle memory (RSS)", rss / 1e6, "MB", 120)
  ]
}
