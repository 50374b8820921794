/**
 * Load on a loopback address: closed loop for the maximum, open loop (fixed due times, lateness counted) for latency at a rate. The
 * client speaks just enough HTTP on bare sockets: node's own client costs more than the server that is measured.
 */
import { connect, type Socket } from "node:net"
import { type ChunkedBody, chunkedBody } from "./chunked.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Reply {
  readonly status: number
  /** status line and headers */
  readonly head: string
  readonly text: string
}

export interface Figures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
  /** milliseconds each, smallest first */
  readonly latencies: ReadonlyArray<number>
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

export const median = (values: ReadonlyArray<number>): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5
  )

export const wait = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export const figuresOf = (latencies: ReadonlyArray<number>, seconds: number, failures: number): Figures => {
  const sorted = latencies.toSorted((a, b) => a - b)
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)]
  return { perSecond: sorted.length / seconds, p50, p99, failures, latencies: sorted }
}

const replyOf = (status: number, head: string, body: Buffer): Reply => ({
  status,
  head,
  get text() {
    return body.toString("utf8")
  }
})

interface Waiting {
  readonly bytes: string
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

const endOfHead = Buffer.from("\r\n\r\n")

interface Line {
  readonly free: () => boolean
  readonly ask: (waiting: Waiting) => void
  readonly end: () => void
}

/** one kept-alive connection with at most one request under way */
const makeLine = (host: string, port: number, done: (line: Line) => void, lost: (line: Line) => void): Line => {
  let current: Waiting | undefined
  let before: Buffer = Buffer.alloc(0)
  let head = ""
  let length = -1
  let parts: Array<Buffer> = []
  let got = 0
  let chunked: ChunkedBody | undefined
  const socket: Socket = connect(port, host).setNoDelay(true)
  const finish = () => {
    const waiting = current
    const reply = replyOf(Number(head.slice(9, 12)), head, Buffer.concat(chunked?.parts ?? parts))
    current = undefined
    chunked = undefined
    length = -1
    parts = []
    got = 0
    waiting?.resolve(reply)
    done(line)
  }
  const fail = (error: Error) => {
    lost(line)
    current?.reject(error)
    current = undefined
  }
  const readHead = (chunk: Buffer) => {
    const all = before.length === 0 ? chunk : Buffer.concat([before, chunk])
    const end = all.indexOf(endOfHead)
    if (end < 0) {
      before = all
      return
    }
    before = Buffer.alloc(0)
    head = all.toString("latin1", 0, end)
    if (/\ntransfer-encoding: chunked\r?$/im.test(head)) {
      length = Number.POSITIVE_INFINITY
      chunked = chunkedBody()
      if (chunked.take(all.subarray(end + 4))) finish()
      return
    }
    const status = head.slice(9, 12)
    const stated = /\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (status !== "204" && status !== "304" && stated === undefined) {
      socket.destroy()
      fail(new Error(`an answer without a length: ${head}`))
      return
    }
    length = Number(stated ?? 0)
    parts = [all.subarray(end + 4)]
    got = all.length - end - 4
    if (got >= length) finish()
  }
  socket.on("data", (chunk) => {
    if (length < 0) return readHead(chunk)
    if (chunked !== undefined) return chunked.take(chunk) ? finish() : undefined
    parts.push(chunk)
    got += chunk.length
    if (got >= length) finish()
    return undefined
  })
  socket
    .once("error", fail)
    .once("close", () => fail(new Error("the connection was closed before the answer was complete")))
  const line: Line = {
    free: () => current === undefined,
    ask: (waiting) => {
      current = waiting
      socket.write(waiting.bytes)
    },
    end: () => socket.destroy()
  }
  return line
}

export const makeClient = (base: string, connections: number) => {
  const { hostname, port, host } = new URL(base)
  const lines = new Set<Line>()
  const idle: Array<Line> = []
  const queue: Array<Waiting> = []
  const done = (line: Line) => {
    const next = queue.shift()
    if (next === undefined) idle.push(line)
    else line.ask(next)
  }
  const lost = (line: Line) => {
    lines.delete(line)
    const at = idle.indexOf(line)
    if (at >= 0) idle.splice(at, 1)
  }
  const send = ({ method, path, headers = {}, body }: Call): Promise<Reply> =>
    new Promise((resolve, reject) => {
      let bytes = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
      for (const name in headers) bytes += `${name}: ${headers[name]}\r\n`
      if (body !== undefined && headers["content-type"] === undefined) bytes += "content-type: application/json\r\n"
      if (body !== undefined) bytes += `content-length: ${Buffer.byteLength(body)}\r\n`
      const waiting = { bytes: `${bytes}\r\n${body ?? ""}`, resolve, reject }
      const line = idle.pop()
      if (line !== undefined) return line.ask(waiting)
      if (lines.size >= connections) return queue.push(waiting)
      const added = makeLine(hostname, Number(port), done, lost)
      lines.add(added)
      return added.ask(waiting)
    })
  return {
    send,
    close: () => {
      for (const line of lines) line.end()
    }
  }
}
export type Client = ReturnType<typeof makeClient>

const ok = (status: number) => status >= 200 && status < 400

/** as many as `connections` callers get through, each waiting for its answer */
export const closedLoop = async (
  client: Client,
  connections: number,
  seconds: number,
  next: (n: number) => Call
): Promise<Figures> => {
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
  return figuresOf(latencies, (performance.now() - start) / 1000, failures)
}

/** one after the other, `runs` times */
export const inTurn = async (client: Client, runs: number, next: (n: number) => Call): Promise<Figures> => {
  const latencies: Array<number> = []
  const start = performance.now()
  for (let n = 0; n < runs; n++) {
    const begin = performance.now()
    const { status, text } = await client.send(next(n))
    if (!ok(status)) throw new Error(`${next(n).method} ${next(n).path}: ${status} ${text}`)
    latencies.push(performance.now() - begin)
  }
  return figuresOf(latencies, (performance.now() - start) / 1000, 0)
}

/** `rate` calls a second at their due times; latency counts from the due time, so that a stalled server cannot hide */
export const openLoop = async (
  client: Client,
  rate: number,
  seconds: number,
  next: (n: number) => Call,
  fine: (status: number) => boolean = ok
): Promise<Figures> => {
  const latencies: Array<number> = []
  let failures = 0
  const start = performance.now() + 20
  const pending: Array<Promise<void>> = []
  const total = Math.round(rate * seconds)
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1000) / rate
    const pause = due - performance.now()
    if (pause > 1) await wait(pause)
    pending.push(
      client.send(next(n)).then(({ status }) => {
        if (fine(status)) latencies.push(performance.now() - due)
        else failures++
      })
    )
  }
  await Promise.all(pending)
  return figuresOf(latencies, (performance.now() - start) / 1000, failures)
}
