/** Sends the corpus to a server and keeps what may not differ from server to server: ids, tags and positions become their first occurrence. */
import { Effect } from "effect"
import { at, HttpApp } from "./http-app.ts"
import type { Answered } from "./http-client.ts"
import { type CorpusRequest, corpus } from "./request-corpus.ts"

const compared = [
  ...[
    "allow",
    "cache-control",
    "content-type",
    "etag",
    "idempotent-replayed",
    "link",
    "location",
    "retry-after",
    "vary",
    "warning",
    "www-authenticate"
  ],
  ...["x-request-id", "connection"]
] as const

const patterns: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["id", /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ["cursor", /(?<=cursor=)[\w%-]{8,}/g],
  ["etag", /(?<=^etag: ).+$/gm]
]
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

const makeNormal = () => {
  const seen = new Map<string, string>()
  let numbers = 0
  const stand = (kind: string) => (found: string) => {
    const known = seen.get(found) ?? `<${kind} ${++numbers}>`
    seen.set(found, known)
    return known
  }
  return (text: string) =>
    patterns
      .reduce((rest, [kind, pattern]) => rest.replaceAll(pattern, stand(kind)), text.replaceAll(time, "<time>"))
      .replaceAll(/^id: \d+/gm, "id: <n>")
}

interface Remembered {
  readonly id: string
  readonly etag: string
  readonly next: string
}

const remembered = (answer: Answered): Remembered => ({
  id: String(at(answer.json, "resource.id") ?? "none"),
  etag: String(answer.headers["etag"] ?? '"none"'),
  next: String(at(answer.json, "next.href") ?? "/nothing-more")
})

const filled = (text: string, known: ReadonlyMap<string, Remembered>): string =>
  text.replaceAll(
    /\{([\w/]+)(?:\.(etag|next))?\}/g,
    (whole, label: string, part: "etag" | "next" | undefined) => known.get(label)?.[part ?? "id"] ?? whole
  )

/** strings keep what is no placeholder, so that broken JSON stays broken */
const bodyOf = (body: unknown, known: ReadonlyMap<string, Remembered>): string | undefined =>
  body === undefined ? undefined : filled(typeof body === "string" ? body : JSON.stringify(body), known)

const shown = ({ method, path, headers = {}, body }: CorpusRequest) =>
  `${method} ${path} ${JSON.stringify(headers)} ${(typeof body === "string" ? body : (JSON.stringify(body) ?? "")).slice(0, 300)}`

/** a request of the corpus as it was sent, and its answer */
export interface Exchanged {
  readonly request: CorpusRequest
  readonly sent: {
    readonly method: string
    readonly path: string
    readonly headers: { readonly [name: string]: string }
    readonly body: string | undefined
  }
  readonly answer: Answered
}

export const exchanged = (requests: ReadonlyArray<CorpusRequest> = corpus) =>
  Effect.gen(function* () {
    const { send } = yield* HttpApp
    const known = new Map<string, Remembered>()
    const all: Array<Exchanged> = []
    for (const [position, request] of requests.entries()) {
      const headers = Object.fromEntries(
        Object.entries(request.headers ?? {}).map(([name, value]) => [
          name,
          Buffer.from(filled(value, known)).toString("latin1")
        ])
      )
      const body = bodyOf(request.body, known)
      const path = filled(request.path, known)
      const answer = yield* send(request.method, path, {
        headers: { "x-request-id": `corpus-${position}`, ...headers },
        ...(body === undefined ? {} : { body })
      })
      if (request.label !== undefined) known.set(request.label, remembered(answer))
      all.push({ request, sent: { method: request.method, path, headers, body }, answer })
    }
    return all
  })

/** one text per request: the request as the corpus has it, and the comparable answer */
export const answersTo = (requests: ReadonlyArray<CorpusRequest> = corpus) =>
  Effect.map(exchanged(requests), (all) => {
    const normal = makeNormal()
    return all.map(({ request, answer }, position) => {
      const head = compared.flatMap((name) =>
        answer.headers[name] === undefined ? [] : [`${name}: ${String(answer.headers[name])}`]
      )
      return normal([`${position} ${shown(request)}`, `-> ${answer.status}`, ...head, answer.text].join("\n"))
    })
  })

/** statuses and how often they were answered, to see that a run says something */
export const statusesOf = (answers: ReadonlyArray<string>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const answer of answers) {
    const status = Number(/^-> (\d+)$/m.exec(answer)?.[1])
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}

/** the first answers that differ, in full */
export const differences = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> =>
  one
    .flatMap((answer, position) =>
      answer === other[position] ? [] : [`${answer}\n   but elsewhere\n${other[position] ?? "nothing"}`]
    )
    .slice(0, 10)
