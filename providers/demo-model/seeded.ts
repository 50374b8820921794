/** Reproducible choices: the same parts give the same numbers, on every machine and in every order of requests. */
import { createHash } from "node:crypto"

/** uniform in 0..1, a function of the parts alone */
export const hashShare = (...parts: ReadonlyArray<string | number>): number =>
  createHash("sha256").update(parts.join("\u0000")).digest().readUInt32BE(0) / 2 ** 32

/** an endless sequence of shares, begun by the parts */
export const seededShares = (...parts: ReadonlyArray<string | number>): (() => number) => {
  let state = createHash("sha256").update(parts.join("\u0000")).digest().readUInt32BE(4)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
