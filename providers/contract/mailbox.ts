/**
 * The last message of a sidecar that could not deliver a terminal event: its container's termination message, which the observer reads
 * and applies as if the event had been posted. Reference: gateway.md, "Event spool".
 */
import { gunzipSync, gzipSync } from "node:zlib"
import { defined } from "../../values/defined.ts"
import { isObject, parseJson } from "../../values/json.ts"

type Json = { readonly [name: string]: unknown }

/** a container's termination message holds no more bytes */
const maxBytes = 4_096
/** what a compressed message may unfold to */
const maxUnfolded = 16 * 1024 * 1024

export interface Mailbox {
  /** events that were not delivered, the terminal one included */
  readonly unsent: number
  /** the `benchmark_status_event`, absent when none of the unsent events was terminal */
  readonly terminal?: Json
  /** the event did not fit: only identity, status and error are left */
  readonly cut: boolean
}

/** what is kept of an event that does not fit even compressed */
const essential: ReadonlyArray<string> = [
  "id",
  "provider_id",
  "benchmark_index",
  "status",
  "error_message",
  "completed_at"
]

const fits = (text: string): boolean => Buffer.byteLength(text) <= maxBytes

/** the message; `cut` when the event had to lose its metrics */
export const writeMailbox = (
  unsent: number,
  terminal: Json | undefined
): { readonly text: string; readonly cut: boolean } => {
  const plain = JSON.stringify({ v: 1, unsent, ...defined({ terminal }) })
  if (terminal === undefined || fits(plain)) return { text: plain, cut: false }
  const packed = JSON.stringify({
    v: 1,
    unsent,
    z: gzipSync(JSON.stringify(terminal), { level: 9 }).toString("base64")
  })
  if (fits(packed)) return { text: packed, cut: false }
  const kept = Object.fromEntries(Object.entries(terminal).filter(([name]) => essential.includes(name)))
  const short = JSON.stringify({ v: 1, unsent, cut: true, terminal: kept })
  if (fits(short)) return { text: short, cut: true }
  // an error message of kilobytes
  const { error_message: _, ...rest } = kept as Json & { readonly error_message?: unknown }
  return { text: JSON.stringify({ v: 1, unsent, cut: true, terminal: rest }), cut: true }
}

/** undefined for anything that is no mailbox message, such as the text of a crash */
export const readMailbox = (text: string): Mailbox | undefined => {
  const message = parseJson(text)
  if (!isObject(message)) return undefined
  const { v, unsent, terminal, z, cut } = message as {
    readonly v?: unknown
    readonly unsent?: unknown
    readonly terminal?: unknown
    readonly z?: unknown
    readonly cut?: unknown
  }
  if (v !== 1 || typeof unsent !== "number") return undefined
  const unpacked = (): unknown => {
    if (typeof z !== "string") return terminal
    try {
      return parseJson(gunzipSync(Buffer.from(z, "base64"), { maxOutputLength: maxUnfolded }).toString("utf8"))
    } catch {
      return undefined
    }
  }
  const event = unpacked()
  return { unsent, cut: cut === true, ...(isObject(event) ? { terminal: event } : {}) }
}
