/** One text per JSON value: sorted member names, no spaces. Digests of events and prompts are made over it. Contract: adapter 4.2, 9.2. */
import { createHash } from "node:crypto"

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** `undefined` members are left out, as `JSON.stringify` does; numbers are written as JavaScript writes them */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compare(a, b))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

/** SHA-256 (hex) of the canonical text */
export const digestOf = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex")
