/** Why a request did not get out or got no answer, told the same way for everybody who asks another server. */

export type OutboundReason = "blocked" | "overloaded" | "timeout" | "tls" | "unreachable" | "invalid"

/** the message is one sentence without secrets */
export class OutboundError extends Error {
  readonly reason: OutboundReason
  /** the system's word for it, such as `ECONNREFUSED` */
  readonly code: string | undefined
  constructor(reason: OutboundReason, message: string, code?: string) {
    super(message)
    this.reason = reason
    this.code = code
  }
}

/** whose certificates are verified, for the message of a handshake that failed */
export interface Peer {
  /** such as `the tracking server` */
  readonly name: string
  /** where its private CA belongs, as the end of a sentence */
  readonly remedy: string
}

/** errors of the handshake, told apart from those of the network */
const tlsFailures = new WeakMap<Error, Peer>()

/** from now on this error is one of the handshake with `peer` */
export const markTlsFailure = (error: Error, peer: Peer): void => void tlsFailures.set(error, peer)

export const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : error.message

/** `host`: whom the request was for */
export const failureOf = (error: Error, host: string): OutboundError => {
  if (error instanceof OutboundError) return error
  const code = codeOf(error)
  const peer = tlsFailures.get(error)
  if (peer !== undefined)
    return new OutboundError("tls", `TLS to ${peer.name} '${host}' failed: ${code}; ${peer.remedy}`, code)
  return new OutboundError("unreachable", `no answer from '${host}': ${code}`, code)
}
