/** What a tool is: its description for the agent, and a question to the API. */

import { opened, type RecordOf, recordOf } from "../cli/client/exit.ts"
import type { Client, Outcome } from "../client/client.ts"
import type { EndpointName } from "../http/api.ts"
import type { Writing } from "./writing.ts"

/** what agents may see of a tenant besides figures, names and messages */
export interface Seen {
  /** prompts and responses of samples */
  readonly content: boolean
}

export interface Asking {
  readonly client: Client
  readonly seen: Seen
  /** absent: agents only read */
  readonly writing?: Writing
  readonly signal: AbortSignal
}

interface Argument {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object"
  readonly description: string
  readonly [keyword: string]: unknown
}

export interface ToolText {
  readonly title: string
  /** written for the agent */
  readonly description: string
  /** schemas of the arguments by their names */
  readonly takes: { readonly [name: string]: Argument }
  readonly needs?: ReadonlyArray<string>
  /** leaves a record of what was asked, and changes nothing else */
  readonly records?: true
}

export interface Tool extends ToolText {
  readonly name: string
  /** the arguments fit `takes` */
  readonly ask: (asking: Asking, args: Arguments) => Promise<unknown>
}

export type Arguments = { readonly [name: string]: unknown }

export const textOf = (args: Arguments, name: string): string | undefined => args[name] as string | undefined
export const numberOf = (args: Arguments, name: string): number | undefined => args[name] as number | undefined
export const textsOf = (args: Arguments, name: string): ReadonlyArray<string> =>
  (args[name] ?? []) as ReadonlyArray<string>

/** a record of the API; a refusal is thrown with its code and message */
export const record = async <Name extends EndpointName>(outcome: Promise<Outcome<Name>>): Promise<RecordOf<Name>> =>
  recordOf(await outcome)

/** the end of an answer that is text, of at most so many bytes: an answer may be larger than what is told of it, and is not kept */
export const endOfText = async (
  response: Promise<Response>,
  bytes: number
): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  const parts: Array<Uint8Array> = []
  let [kept, read] = [0, 0]
  for await (const part of await opened(await response)) {
    parts.push(part)
    read += part.length
    kept += part.length
    for (let first = parts[0]; first !== undefined && kept - first.length >= bytes; first = parts[0]) {
      kept -= first.length
      parts.shift()
    }
  }
  return { text: Buffer.concat(parts).subarray(-bytes).toString("utf8"), isWhole: read <= bytes }
}

/** position after this page, from the link that the server gives */
export const cursorOf = (page: { readonly next?: { readonly href: string } | undefined }): string | undefined =>
  page.next === undefined
    ? undefined
    : (new URL(page.next.href, "http://server").searchParams.get("cursor") ?? undefined)
