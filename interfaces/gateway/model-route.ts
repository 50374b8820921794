/** everything that is not the gateway's own goes to the model, with the credential that `domain/credentials/resolve.ts` decides. */
import { Redacted } from "effect"
import type {
  Authorization,
  CredentialPolicy,
  ModelSecret,
  RefusalCode,
  resolveRequest
} from "../../domain/credentials/resolve.ts"
import type { Upstream } from "../../domain/credentials/upstream.ts"
import { Fault } from "./fault.ts"
import { valuesOf } from "./headers.ts"
import { forwardMetered, type Metering } from "./metered-exchange.ts"
import type { MountedFile } from "./mounted-files.ts"
import { type Caller, forward, type ProxySettings, refuse, type Target, targetOf } from "./proxy.ts"
import { roleHeader, type Witness } from "./witness/witness.ts"

export interface ModelRoute {
  readonly upstream: Upstream
  /** undefined: no secret is mounted */
  readonly secret: () => ModelSecret | undefined
  /** undefined: there is no pod, and the policy never asks for its token */
  readonly podToken: MountedFile | undefined
  readonly policy: CredentialPolicy
  readonly decide: typeof resolveRequest
  readonly publicBase: string
  /** a credential goes over plain http to a host outside the cluster */
  readonly onExposed: (host: string) => void
  readonly settings: ProxySettings
  /** looks on */
  readonly witness?: Witness | undefined
  /** of jobs that may be resumed */
  readonly log?: Metering["log"]
  /** of jobs that have one */
  readonly budget?: Metering["budget"]
}

const route = "model"
const dropped: ReadonlySet<string> = new Set(["x-tenant", roleHeader])
const unchanged: ReadonlyMap<string, string> = new Map()

/** the address that a secret names is not the caller's fault */
const refusalStatus: { readonly [Code in RefusalCode]: 400 | 403 | 502 } = {
  authorization_ambiguous: 400,
  credential_empty: 400,
  credential_invalid: 400,
  credential_ref_not_allowed: 400,
  credential_ref_unknown: 400,
  upstream_blocked: 403,
  upstream_invalid: 502
}

const headerOf = (authorization: Authorization, podToken: ModelRoute["podToken"]): string | undefined | Fault => {
  switch (authorization._tag) {
    case "Omit":
      return undefined
    case "Keep":
      return authorization.value
    case "Inject":
      return Redacted.value(authorization.value)
    case "PodToken": {
      const token = podToken?.current()?.trim()
      return token === undefined || token === ""
        ? new Fault(502, "credential_unavailable", "the pod's service account token cannot be read")
        : `Bearer ${token}`
    }
  }
}

export const toModel = (caller: Caller, model: ModelRoute): void => {
  const { request } = caller
  const { refHeaders } = model.policy
  const named = refHeaders.flatMap((name) => valuesOf(request.rawHeaders, name).map((value) => [name, value] as const))
  const decision = model.decide(
    { authorization: valuesOf(request.rawHeaders, "authorization"), named },
    model.secret(),
    model.upstream,
    model.policy
  )
  const authorization =
    decision._tag === "Refuse"
      ? new Fault(refusalStatus[decision.code], decision.code, decision.message)
      : headerOf(decision.authorization, model.podToken)
  if (decision._tag === "Refuse" || authorization instanceof Fault) {
    if (authorization instanceof Fault) refuse(caller, route, authorization, model.settings)
    return
  }
  if (decision.exposed) model.onExposed(decision.upstream.host)
  const path = targetOf(caller)
  const [role] = valuesOf(request.rawHeaders, roleHeader)
  const { log, budget, witness, settings } = model
  const isMetered = request.method === "POST" && (log !== undefined || budget !== undefined)
  const target: Target = {
    route,
    upstream: decision.upstream,
    path,
    authorization,
    drop: dropped,
    replace:
      decision.named.length === 0
        ? unchanged
        : new Map(decision.named.map(([name, value]) => [name, Redacted.value(value)])),
    publicBase: model.publicBase,
    // an exchange that is read before it leaves is looked at from then on
    witness: isMetered ? undefined : witness?.open(request.method ?? "GET", path, role)
  }
  if (isMetered) forwardMetered(caller, target, { log, budget, witness, role }, settings)
  else forward(caller, target, settings)
}
