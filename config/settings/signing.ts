/** The key that results are signed with. */
import { secret } from "./kinds.ts"

export const signing = {
  "signing.key": secret("private Ed25519 key in PEM form with which results are signed; unset, nothing is signed", {
    variable: "EVALD_SIGNING_KEY"
  })
} as const
