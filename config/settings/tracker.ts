/** The tracking server that experiments go to. */
import { flag, optionalDuration, optionalText, secret } from "./kinds.ts"

export const tracker = {
  "tracker.tracking_uri": optionalText("tracking server; required for experiments", {
    variable: "TRACKER_TRACKING_URI"
  }),
  "tracker.http_timeout": optionalDuration(1, 600, "time limit of one tracker call in seconds"),
  "tracker.ca_cert_path": optionalText("CA bundle for TLS to the tracking server", {
    variable: "TRACKER_CA_CERT_PATH"
  }),
  "tracker.insecure_skip_verify": flag(false, "skip TLS verification of the tracking server", {
    variable: "TRACKER_INSECURE_SKIP_VERIFY"
  }),
  "tracker.token": secret("static bearer token for the tracking server"),
  "tracker.token_path": optionalText("file with the bearer token for the tracking server, read again when it changes", {
    variable: "TRACKER_TOKEN_PATH"
  }),
  "tracker.workspace": optionalText(
    "one workspace for all tenants where the tracking server has workspaces; default the tenant's name",
    {
      variable: "TRACKER_WORKSPACE"
    }
  )
} as const
