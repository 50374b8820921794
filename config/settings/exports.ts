/** Results as artifacts of a registry. */
import { flag, optionalText } from "./kinds.ts"

export const oci = {
  "oci.artifact_type": optionalText("artifact type of exported results; default application/vnd.eval-hub.github.io"),
  "oci.annotation_prefix": optionalText("prefix of our annotations on exported results; default io.github.eval-hub"),
  "oci.insecure": flag(false, "push to registries over plain http; loopback registries always are")
} as const
