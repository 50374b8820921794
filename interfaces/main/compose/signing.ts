/** Setting `signing.key` as what signs. A key that cannot be used stops the start. Reference: signing.md, "Keys". */
import { Either, Redacted } from "effect"
import type { Settings } from "../../../config/settings.ts"
import { type Envelope, seal, signingKey } from "../../../values/dsse.ts"

export const signer = (settings: Settings): Either.Either<{ readonly seal?: (text: string) => Envelope }, string> => {
  const pem = settings["signing.key"]
  if (pem === undefined) return Either.right({})
  return Either.try({
    try: () => {
      const key = signingKey(Redacted.value(pem))
      return { seal: (text: string) => seal(text, key) }
    },
    catch: (error) => `signing.key: ${error instanceof Error ? error.message : "it can not be read"}`
  })
}
