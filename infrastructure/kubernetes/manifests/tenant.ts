/** What one instance needs in one tenant, in the order in which it is applied. Pure. Reference: operator.md, "Objects in a tenant". */
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { jobServiceAccount } from "../unit/names.ts"
import { type Certificates, serviceCa, trackerCa } from "./certificates.ts"
import { placeOf } from "./instance.ts"
import {
  apiAccount,
  bindingContent,
  core,
  type ManagedObject,
  type Meta,
  managed,
  outside,
  type Platform,
  rbac
} from "./managed.ts"
import { jobPolicy } from "./network-policies.ts"

export interface TenantInput {
  readonly platform: Platform
  readonly instance: Instance
  /** the namespace */
  readonly tenant: string
  readonly certificates: Certificates
}

/** bindings of the API's account, which go first when a tenant ends: after them it can start nothing there */
const apiRoles = ["jobs-writer", "job-config", "job-runtime", "model-secret", "tracker-access"] as const
/** bindings of the jobs' account */
const jobRoles = ["tracker-jobs-access", "tracker-jobs-runs"] as const

export interface DesiredTenant {
  /** the jobs' account; without it none of `jobBindings` may be made */
  readonly account: ManagedObject
  readonly role: ManagedObject
  readonly jobBindings: ReadonlyArray<ManagedObject>
  readonly apiBindings: ReadonlyArray<ManagedObject>
  readonly rest: ReadonlyArray<ManagedObject>
  /** all of them, in the order in which they are applied */
  readonly all: ReadonlyArray<ManagedObject>
}

export const desiredTenant = ({ platform, instance, tenant, certificates }: TenantInput): DesiredTenant => {
  const place = placeOf(platform, instance)
  const meta = (name: string): Meta => ({ name, namespace: tenant, component: "tenant" })
  const api = { name: apiAccount(instance), namespace: instance.namespace }
  const jobs = { name: jobServiceAccount(instance), namespace: tenant }
  const bound = (role: string, account: typeof api): ManagedObject =>
    managed(
      place,
      rbac("RoleBinding"),
      meta(outside(instance, role)),
      bindingContent({ kind: "ClusterRole", name: `${platform.rolePrefix}${role}` }, account)
    )
  const account = managed(place, core("ServiceAccount"), meta(jobs.name), { automountServiceAccountToken: false })
  const role = managed(place, rbac("Role"), meta(outside(instance, "job-access")), {
    rules: [{ apiGroups: [platform.groups.service], resources: ["status-events"], verbs: ["create"] }]
  })
  const jobBindings = [
    managed(
      place,
      rbac("RoleBinding"),
      meta(outside(instance, "job-access")),
      bindingContent({ kind: "Role", name: outside(instance, "job-access") }, jobs)
    ),
    ...jobRoles.map((name) => bound(name, jobs))
  ]
  const apiBindings = apiRoles.map((name) => bound(name, api))
  const { tracker, networkPolicy } = instance.spec
  const rest = [
    serviceCa(instance, place, meta(outside(instance, "service-ca")), certificates),
    ...(tracker?.caBundle === undefined ? [] : [trackerCa(place, meta(outside(instance, "tracker-ca")), certificates)]),
    ...(networkPolicy.enabled && networkPolicy.jobs.enabled ? [jobPolicy(instance, place, tenant)] : [])
  ]
  return {
    account,
    role,
    jobBindings,
    apiBindings,
    rest,
    all: [account, role, ...jobBindings, ...apiBindings, ...rest]
  }
}
