/** Names that nobody can guess, for exchanges and upload addresses. */
import { crypto } from "../../values/node/crypto.ts"
import { type Bytes, portions } from "./random-portions.ts"

const nameBytes = 16

/** each call gives a new text of 22 letters of `[A-Za-z0-9_-]`: 128 random bits, none of them given twice */
export const makeRandomNames = (bytes: Bytes = (count) => crypto().randomBytes(count)): (() => string) => {
  const few = portions(bytes)
  return () => {
    const portion = few(nameBytes)
    const name = portion.toString("base64url")
    // what was given lies nowhere any more
    portion.fill(0)
    return name
  }
}
