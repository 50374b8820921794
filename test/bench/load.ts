/** Load on a loopback address: closed loop for the maximum, open loop (fixed due times, lateness counted) for latency at a rate. */
import { Agent, request } from "node:http"

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Figures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

const figures = (latencies: Array<number>, seconds: number, failures: number): Figures => {
  latencies.sort((a, b) => a - b)
  return { perSecond: latencies.length / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), failures }
}

export const makeClient = (base: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(base)
  const send = ({ method, path, headers, body }: Call): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const ask = request(
        {
          agent,
          hostname,
          port,
          method,
          path,
          headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }) }
        },
        (response) => {
          let text = ""
          response
            .setEncoding("utf8")
            .on("data", (chunk: string) => {
              text += chunk
            })
            .once("end", () => resolve({ status: response.statusCode ?? 0, text }))
        }
      )
      ask.once("error", reject)
      ask.end(body)
    })
  return { send, close: () => agent.destroy() }
}
export type Client = ReturnType<typeof makeClient>

const ok = (status: number) => status >= 200 && status < 400

/** as many as `connections` callers get through, each waiting for its answer */
export const closedLoop = async (client: Client, connections: number, seconds: number, next: (n: number) => Call): Promise<Figures> => {
  const latencies: Array<number> = []
  let failures = 0
  let n = 0
  const start = performance.now()
  const end = start + seconds * 1000
  const caller = async () => {
    while (performance.now() < end) {
      const begin = performance.now()
      const { status } = await client.send(next(n++))
      if (ok(status)) latencies.push(performance.now() - begin)
      else failures++
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  return figures(latencies, (performance.now() - start) / 1000, failures)
}

/** `rate` calls a second at their due times; latency counts from the due time, so that a stalled server cannot hide */
export const openLoop = async (client: Client, rate: number, seconds: number, next: (n: number) => Call): Promise<Figures> => {
  const latencies: Array<number> = []
  let failures = 0
  const start = performance.now() + 20
  const pending: Array<Promise<void>> = []
  const total = Math.round(rate * seconds)
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1000) / rate
    const wait = due - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    pending.push(
      client.send(next(n)).then(({ status }) => {
        if (ok(status)) latencies.push(performance.now() - due)
        else failures++
      })
    )
  }
  await Promise.all(pending)
  return figures(latencies, (performance.now() - start) / 1000, failures)
}
