/** Names that nobody can guess, for exchanges and upload addresses. One call for randomness costs as much as a fifth of an exchange, so it is fetched in stock. */
import { randomFillSync } from "node:crypto"

const nameBytes = 16
const stock = 128

/** each call gives a new text of 22 letters of `[A-Za-z0-9_-]`: 128 random bits, none of them given twice; `fill`: with random bytes */
export const makeRandomNames = (fill: (bytes: Buffer) => unknown = randomFillSync): (() => string) => {
  const bytes = Buffer.alloc(nameBytes * stock)
  let at = bytes.length
  return () => {
    if (at === bytes.length) {
      fill(bytes)
      at = 0
    }
    const name = bytes.toString("base64url", at, at + nameBytes)
    // what was given lies nowhere any more
    bytes.fill(0, at, at + nameBytes)
    at += nameBytes
    return name
  }
}
