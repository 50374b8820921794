/** Steady load over a long time: what is counted is what succeeded, and everything else is kept as a problem. */
import { Agent, type IncomingMessage, request } from "node:http"

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

export interface Client {
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>
  ) => Promise<Answer>
  readonly close: () => void
}

const collect = async (answer: IncomingMessage): Promise<Answer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }
}

export const clientOf = (base: string): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  return {
    send: (method, path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const framing =
          text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }
        const sent = request(new URL(path, base), { method, agent, headers: { ...framing, ...headers } })
        sent.once("response", (answer) => void collect(answer).then(resolve, reject))
        sent.once("error", reject)
        sent.end(text)
      }),
    close: () => agent.destroy()
  }
}

export interface Load {
  done: number
  readonly problems: Array<string>
}

/**
 * `perSecond` rounds of work until the time is over, never more than `atOnce` at the same time: a machine that is too slow does less and
 * fails nothing. Resolves when the last round has ended.
 */
export const steady = async (
  { perSecond, atOnce, endsAt }: { readonly perSecond: number; readonly atOnce: number; readonly endsAt: number },
  round: (number: number) => Promise<void>
): Promise<Load> => {
  const load: Load = { done: 0, problems: [] }
  let next = 0
  const started = performance.now()
  const worker = async () => {
    while (performance.now() < endsAt) {
      const number = next
      next += 1
      const due = started + (number * 1000) / perSecond
      const wait = due - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      try {
        await round(number)
        load.done += 1
      } catch (error) {
        load.problems.push(error instanceof Error ? error.message : String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return load
}
