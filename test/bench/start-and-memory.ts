/** P1 start to the first 200, P2 idle memory. */
import { request } from "node:http"
import { freePort } from "../support/free-port.ts"
import { startServer } from "./bench-server.ts"
import { median, wait } from "./load.ts"
import { atMost, type Measure, shown } from "./measure.ts"

const starts = 7

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

export const startAndMemory = async (): Promise<ReadonlyArray<Measure>> => {
  const rounds: Array<{ readonly millis: number; readonly processor: number; readonly rss: number }> = []
  for (let round = 0; round < starts; round++) {
    const port = await freePort()
    const answered = first200(port, performance.now())
    const server = await startServer({
      local: true,
      config: "log: {level: info}\n",
      environment: { PORT: String(port) }
    })
    const millis = await answered
    const processor = server.processorSeconds()
    await wait(1500)
    rounds.push({ millis, processor, rss: server.rssBytes() })
    await server.stop()
  }
  const processor = median(rounds.map((round) => round.processor))
  return [
    atMost(
      "P1",
      "start of `evald server` to the first 200, all built-in definitions loaded",
      median(rounds.map(({ millis }) => millis)) / 1000,
      "s",
      0.6,
      {
        beside: `${shown(processor)} s of processor; first start of the run ${shown((rounds[0]?.millis ?? Number.NaN) / 1000)} s`
      }
    ),
    atMost("P2", "idle memory (RSS)", median(rounds.map(({ rss }) => rss)) / 1e6, "MB", 120)
  ]
}
