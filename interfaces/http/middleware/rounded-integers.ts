/**
 * Integers of a JSON text that double precision can not hold: JSON has them, a parsed value has a neighbour in their place. Nobody is to
 * learn of that from a wrong ticket number, so they are named. Fractions and powers are approximations anyway.
 */
import { pointer } from "../../../values/json-pointer.ts"
import { isDigit } from "../../../values/json-text/json-scan.ts"

const quote = 0x22
const backslash = 0x5c
const minus = 0x2d
/** `.`, `e`, `E`, `+`: what makes digits before or behind it a part of another kind of number */
const ofOtherNumbers: ReadonlySet<number> = new Set([0x2e, 0x65, 0x45, 0x2b])

const leastDigits = 16
/** an integer with more is beyond the largest number, and refused */
const mostDigits = 309
const maxNamed = 5
/** digits that are looked at: more are in no record, and comparing them takes a nanosecond or more for each */
const mostLookedAt = 1_048_576

/** whether an answer shows other digits; from 1e21 on it shows a power, which is the same number or not */
const isChanged = (text: string, value: number): boolean => {
  const again = String(value)
  return Number.isFinite(value) && (again.includes("e") ? BigInt(value) !== BigInt(text) : again !== text)
}

/** the values that stand for such integers after parsing */
const roundedValues = (bytes: Buffer): ReadonlySet<number> => {
  const found = new Set<number>()
  let lookedAt = 0
  for (let at = 0; at < bytes.length && lookedAt < mostLookedAt; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
      continue
    }
    if (!isDigit(byte)) continue
    const start = at
    while (isDigit(bytes[at + 1] ?? 0)) at++
    const length = at + 1 - start
    const negative = bytes[start - 1] === minus
    const other =
      ofOtherNumbers.has(bytes[negative ? start - 2 : start - 1] ?? 0) || ofOtherNumbers.has(bytes[at + 1] ?? 0)
    if (length < leastDigits || length > mostDigits || other) continue
    lookedAt += length
    const text = bytes.toString("latin1", start, at + 1)
    const value = Number(text)
    if (isChanged(text, value)) found.add(negative ? -value : value)
  }
  return found
}

const placesOf = (value: unknown, wanted: ReadonlySet<number>, way: Array<string>, found: Array<string>): void => {
  if (found.length > maxNamed) return
  if (typeof value === "number" && wanted.has(value)) found.push(`${pointer(way)} became ${value}`)
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    way.push(name)
    placesOf(member, wanted, way, found)
    way.pop()
  }
}

/** `value`: what the bytes were parsed to. One sentence that names the first places, or none. */
export const roundedIntegers = (bytes: Buffer, value: unknown): ReadonlyArray<string> => {
  const wanted = roundedValues(bytes)
  if (wanted.size === 0) return []
  const found: Array<string> = []
  placesOf(value, wanted, [], found)
  if (found.length === 0) return []
  const more = found.length > maxNamed ? " and more" : ""
  return [
    `integers beyond 2^53 were rounded, send them as texts to keep every digit: ${found.slice(0, maxNamed).join(", ")}${more}`
  ]
}
