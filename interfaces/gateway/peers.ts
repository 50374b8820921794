/** Those whom the gateway asks, and where their private CA belongs; what went wrong with one as the gateway's own answer. */
import {
  failureOf,
  type OutboundError,
  type OutboundReason,
  type Peer
} from "../../infrastructure/outbound/outbound-error.ts"
import { Fault, type FaultCode } from "./fault.ts"

/** the model of a job, whose CA comes with the job's secret */
export const modelPeer: Peer = {
  name: "the model",
  remedy: "if its certificate is private, put the CA into key 'ca_cert' of the model secret"
}

/** there is no setting for a CA of its own */
export const registryPeer: Peer = {
  name: "the registry",
  remedy: "its certificate must come from an authority that the system trusts"
}

const answers: { readonly [R in OutboundReason]: readonly [status: number, code: FaultCode] } = {
  blocked: [403, "upstream_blocked"],
  overloaded: [503, "overloaded"],
  timeout: [504, "upstream_timeout"],
  tls: [502, "upstream_tls_failed"],
  unreachable: [502, "upstream_unreachable"],
  invalid: [502, "upstream_invalid"]
}

export const outboundFault = ({ reason, message }: OutboundError): Fault => {
  const [status, code] = answers[reason]
  return new Fault(status, code, message, reason === "overloaded" ? { "retry-after": "1" } : {})
}

/** the answer for a failed upstream request */
export const faultOf = (error: Error, host: string): Fault =>
  error instanceof Fault ? error : outboundFault(failureOf(error, host))
