/** How an instance is reached from outside of the cluster: what its router says of the Ingress or Route that was made. */
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import type { Finding } from "../../../domain/operator/instance-status.ts"
import { defined } from "../../../values/defined.ts"
import { listMember, member, textMember } from "../../../values/json.ts"
import type { KubeObject } from "../client/resources.ts"
import { ingresses, routes } from "./kinds.ts"
import type { Operator } from "./operator-context.ts"

export interface Exposure {
  readonly finding: Finding
  /** absent: not reached, or by no name that is known */
  readonly url?: string
}

const type = "Exposed"
const urlOf = (host: string | undefined) => defined({ url: host === undefined ? undefined : `https://${host}` })

const admissionOf = (router: unknown) =>
  listMember(router, "conditions").find((one) => textMember(one, "type") === "Admitted")

/** every router that takes the Route has an entry; one that admits it is enough */
const ofRoute = (route: KubeObject | undefined, wanted: string | undefined): Exposure => {
  const routers = listMember(route?.["status"], "ingress")
  const admitting = routers.find((one) => textMember(admissionOf(one), "status") === "True")
  const refusal = routers.map(admissionOf).find((one) => textMember(one, "status") === "False")
  const host = textMember(admitting, "host") ?? wanted ?? textMember(route?.["spec"], "host")
  if (admitting !== undefined)
    return { finding: { type, holds: true, reason: "Admitted", message: `the router admits ${host}` }, ...urlOf(host) }
  if (refusal === undefined)
    return { finding: { type, holds: true, reason: "Applied", message: "the Route is there" }, ...urlOf(host) }
  const why = textMember(refusal, "message") ?? textMember(refusal, "reason") ?? "no reason is given"
  return { finding: { type, holds: false, reason: "NotAdmitted", message: `the router refuses the Route: ${why}` } }
}

/** a controller that takes it usually writes an address; one that does not is no failure */
const ofIngress = (ingress: KubeObject | undefined, host: string | undefined): Exposure => {
  const addresses = listMember(member(ingress?.["status"], "loadBalancer"), "ingress")
  const finding: Finding =
    addresses.length > 0
      ? { type, holds: true, reason: "Admitted", message: `the Ingress has ${addresses.length} addresses` }
      : { type, holds: true, reason: "Applied", message: "the Ingress is there" }
  return { finding, ...urlOf(host) }
}

/** undefined: it is not to be reached from outside */
export const exposureOf = ({ sight }: Pick<Operator, "sight">, instance: Instance): Exposure | undefined => {
  const { expose } = instance.spec
  if (expose.type === "None") return undefined
  if (expose.type === "Ingress") return ofIngress(sight.find(ingresses, instance.namespace, instance.name), expose.host)
  if (sight.apis().route) return ofRoute(sight.find(routes, instance.namespace, instance.name), expose.host)
  const message = "this cluster has no routes: use expose.type Ingress"
  return { finding: { type, holds: false, reason: "ApiMissing", message } }
}
