/** Ids from the operating system's randomness. */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer } from "effect"
import { Identifiers } from "../../application/ports/identifiers.ts"
import { type Bytes, portions } from "./random-portions.ts"

/** UUIDv7 (RFC 9562): 48 bits of milliseconds, 12 bits that count within one millisecond, 62 random bits */
const uuid = (millis: number, count: number, random: Buffer): string => {
  const time = millis.toString(16).padStart(12, "0").slice(-12)
  const tail = random.toString("hex")
  const variant = (8 + (Number.parseInt(tail[0] ?? "0", 16) % 4)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-${variant}${tail.slice(1, 4)}-${tail.slice(4, 16)}`
}

const make = (bytes: Bytes) => {
  const few = portions(bytes)
  let last = -1
  let count = 0
  /** never runs backwards: a clock that jumps back, and more than 4096 ids in a millisecond, borrow from the next one */
  const position = (now: number): readonly [number, number] => {
    if (now > last) {
      last = now
      count = 0
    } else if (count === 0xfff) {
      last += 1
      count = 0
    } else count += 1
    return [last, count]
  }
  return Identifiers.of({
    next: Effect.map(Clock.currentTimeMillis, (now) => uuid(...position(now), few(8))),
    secret: Effect.sync(() => bytes(32).toString("base64url"))
  })
}

export const layer: Layer.Layer<Identifiers> = Layer.sync(Identifiers, () => make(randomBytes))
