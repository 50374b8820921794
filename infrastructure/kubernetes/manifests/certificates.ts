/** ConfigMaps with the certificates that the service and the tracker are checked with. Reference: operator.md, "TLS". */
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { core, type ManagedObject, type Meta, managed, type Place } from "./managed.ts"
import { tlsModeOf } from "./server-config.ts"

const injectAnnotation = "service.beta.openshift.io/inject-cabundle"

/** certificates as the operator found or made them, PEM */
export interface Certificates {
  /** of the service: the operator's own bundle, or the copy of `tls.caConfigMap`; undefined: the system's roots */
  readonly service?: string
  /** the copy of `tracker.caBundle` */
  readonly tracker?: string
}

export const serviceCa = (instance: Instance, place: Place, meta: Meta, { service }: Certificates): ManagedObject => {
  const mode = tlsModeOf(instance, place.platform)
  // the platform writes `data`: it is never sent
  if (mode === "ServiceCA")
    return managed(place, core("ConfigMap"), { ...meta, annotations: { [injectAnnotation]: "true" } }, {})
  const data = mode === "Disabled" || service === undefined ? {} : { "service-ca.crt": service }
  return managed(place, core("ConfigMap"), meta, { data })
}

export const trackerCa = (place: Place, meta: Meta, { tracker }: Certificates): ManagedObject =>
  managed(place, core("ConfigMap"), meta, { data: tracker === undefined ? {} : { "ca-bundle.crt": tracker } })
