import type { Peer } from "./outbound-error.ts"

/** the tracking server as a server asks it: for itself, and for local units */
export const trackerPeer: Peer = {
  name: "the tracking server",
  remedy: "if its certificate is private, the server's setting tracker.ca_cert_path must name a file with its CA"
}
