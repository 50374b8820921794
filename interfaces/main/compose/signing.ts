/** Setting `signing.key` as what signs. A key that cannot be used stops the start. Reference: signing.md, "Keys". */
import { Either, Redacted } from "effect"
import type { Signing } from "../../../application/ports/signer.ts"
import type { Settings } from "../../../config/settings.ts"
import { makeSigning } from "../../../infrastructure/signing/signing.ts"
import { signingKey } from "../../../values/dsse.ts"

export const signer = (settings: Settings): Either.Either<{ readonly signing?: Signing }, string> => {
  const pem = settings["signing.key"]
  if (pem === undefined) return Either.right({})
  return Either.try({
    try: () => ({ signing: makeSigning(signingKey(Redacted.value(pem))) }),
    catch: (error) => `signing.key: ${error instanceof Error ? error.message : "it can not be read"}`
  })
}
