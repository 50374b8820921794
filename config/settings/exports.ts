/** Results that leave the server: as artifacts of a registry, and signed. */
import { flag, optionalText, secret } from "./kinds.ts"

export const oci = {
  "oci.artifact_type": optionalText("artifact type of exported results; default application/vnd.eval-hub.github.io"),
  "oci.annotation_prefix": optionalText("prefix of our annotations on exported results; default io.github.eval-hub"),
  "oci.insecure": flag(false, "push to registries over plain http; loopback registries always are")
} as const

export const signing = {
  "signing.key": secret("private Ed25519 key in PEM form with which results are signed; unset, nothing is signed", {
    variable: "EVALD_SIGNING_KEY"
  })
} as const
