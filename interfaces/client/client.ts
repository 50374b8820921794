/**
 * A client of the API for the command line and for pages: its types come from the contract, its code is `fetch` and a generated table, and nothing of
 * Effect is loaded. Members and message codes of newer servers are passed on as they come. Reference: api.md, "Answers"; errors.md, "Error body".
 */
import type { EndpointName, Operation } from "../http/api.ts"
import type { ErrorOf } from "../http/groups/operation.ts"
import { operations } from "./operations.ts"

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

/** what a call takes, under the names that `HttpApiClient` has for them */
export type RequestOf<Name extends EndpointName> = Part<"path", Operation<Name>["path"]> &
  Part<"urlParams", Operation<Name>["query"]> &
  Part<"payload", Operation<Name>["payload"]> & {
    readonly headers?: { readonly [header: string]: string }
    readonly signal?: AbortSignal
  }

/** a success with its value: parsed JSON, text, or undefined without a body; or a refusal, which is no exception */
export type Outcome<Name extends EndpointName> =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Headers
      readonly value: Operation<Name>["success"]
    }
  | {
      readonly ok: false
      readonly status: number
      readonly headers: Headers
      /** undefined: a code that this client does not know, or no answer of the service */
      readonly code: Operation<Name>["anyCode"] | undefined
      /** the error body; undefined when the answer has none */
      readonly error: ErrorOf<Operation<Name>["anyCode"]> | undefined
    }

type Arguments<Name extends EndpointName> =
  Record<never, never> extends RequestOf<Name> ? [request?: RequestOf<Name>] : [request: RequestOf<Name>]

/** every operation of the contract by its name; a promise is rejected only when no answer came */
export type Client = { readonly [Name in EndpointName]: (...args: Arguments<Name>) => Promise<Outcome<Name>> } & {
  /** the answer unread, for streams */
  readonly open: <Name extends EndpointName>(name: Name, ...args: Arguments<Name>) => Promise<Response>
}

export interface ClientOptions {
  /** `http://127.0.0.1:8080` */
  readonly baseUrl: string
  /** sent with every call, such as `authorization` and `x-tenant` */
  readonly headers?: { readonly [header: string]: string }
  /** instead of the platform's, for those that have to go another way */
  readonly fetch?: typeof fetch
  /** told the name of each operation that is asked for */
  readonly onAsk?: (name: EndpointName) => void
}

interface Given {
  readonly path?: { readonly [name: string]: string }
  readonly urlParams?: object
  readonly payload?: unknown
  readonly headers?: { readonly [header: string]: string }
  readonly signal?: AbortSignal
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isError = (body: unknown): body is ErrorOf<never> =>
  typeof body === "object" && body !== null && "message_code" in body

export const makeClient = ({ baseUrl, headers: always, fetch: send = fetch, onAsk }: ClientOptions): Client => {
  const open = (
    name: EndpointName,
    { path = {}, urlParams = {}, payload, headers, signal }: Given = {}
  ): Promise<Response> => {
    const [method, pattern, names, mediaType] = operations[name]
    onAsk?.(name)
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(urlParams)) {
      if (!names.split(" ").includes(key)) throw new TypeError(`${name} has no query parameter '${key}'`)
      if (value !== undefined) query.append(key, String(value))
    }
    const address = pattern.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(path[key] ?? ""))
    const search = query.toString()
    return send(baseUrl + address + (search && `?${search}`), {
      method,
      headers: { ...(payload === undefined ? {} : { "content-type": mediaType }), ...always, ...headers },
      ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
      ...(signal && { signal })
    })
  }
  const call = async (name: EndpointName, given?: Given) => {
    const response = await open(name, given)
    const { ok, status, headers } = response
    const [, , , , codes, successes] = operations[name]
    const text = await response.text()
    const body = /^application\/json\b/.test(headers.get("content-type") ?? "") ? parsed(text) : undefined
    // such as 304, and what a server says that is not ready
    if (ok || (successes.includes(status) && !isError(body)))
      return { ok: true, status, headers, value: body ?? (text || undefined) }
    const error = isError(body) ? body : undefined
    const known = error !== undefined && codes.split(" ").includes(error.message_code)
    return { ok: false, status, headers, code: known ? error.message_code : undefined, error }
  }
  const calls = Object.keys(operations).map((name) => [name, (given?: Given) => call(name as EndpointName, given)])
  // the table has every operation of the contract, which its type says
  return { ...Object.fromEntries(calls), open } as unknown as Client
}
