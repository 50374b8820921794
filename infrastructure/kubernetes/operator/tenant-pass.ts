/** One pass over what an instance has in one namespace: everything that jobs there need, or nothing. */
import { Effect, Either } from "effect"
import { decodeInstance, type Instance } from "../../../domain/operator/custom-resource.ts"
import type { TenantOutcome } from "../../../domain/operator/instance-status.ts"
import { holderBefore, isTenant } from "../../../domain/operator/tenancy.ts"
import { isObject } from "../../../values/json.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeError } from "../client/kube-error.ts"
import { configMaps, type KubeObject, namespaces } from "../client/resources.ts"
import type { Outcome } from "../controller/work-queue.ts"
import { outside } from "../manifests/managed.ts"
import { tlsModeOf } from "../manifests/server-config.ts"
import { desiredTenant } from "../manifests/tenant.ts"
import { jobServiceAccount } from "../unit/names.ts"
import { certificatesOf } from "./instance-inputs.ts"
import type { Key } from "./keys.ts"
import {
  afterAll,
  afterError,
  applyEach,
  isNamed,
  isTerminating,
  nameOf,
  type Operator,
  say,
  type Trouble
} from "./operator-context.ts"
import { viewOf } from "./sight.ts"
import { removeTenant, tenantObjects } from "./tenant-removal.ts"

/** a label that is gone for less was perhaps only lost for a moment */
const goneMillis = 5000
const wakeMillis = 1000

export const done = ({ options }: Pick<Operator, "options">): Outcome => ({
  _tag: "Done",
  againMillis: options.resyncSeconds * 1000
})

/** instances as they can be read; one that can not be read claims nothing */
const readableInstances = ({ sight }: Pick<Operator, "sight">): ReadonlyArray<Instance> =>
  sight
    .instances()
    .flatMap((object) => Either.match(decodeInstance(object), { onLeft: () => [], onRight: (one) => [one] }))

/** `namespace/name` of the older instance that has the name of this one's job account */
export const accountHolder = (operator: Operator, instance: Instance): string | undefined => {
  const claims = readableInstances(operator).map(({ name, namespace, uid, createdAt }) => ({
    instance: `${namespace}/${name}`,
    uid,
    createdAt,
    account: jobServiceAccount({ name, namespace })
  }))
  const own = claims.find(({ uid }) => uid === instance.uid)
  return own === undefined ? undefined : holderBefore(own, claims)?.instance
}

export const tenantsOf = ({ sight, options }: Operator, { namespace }: Instance): ReadonlyArray<string> =>
  sight
    .labelled()
    .filter((object) => isTenant(viewOf(object), options.platform.domain, [namespace, options.platform.namespace]))
    .map(({ metadata }) => metadata.name)

/** the namespace as it is now, label or not; undefined: there is none */
const readNamespace = ({ client }: Operator, name: string): Effect.Effect<KubeObject | undefined, KubeError> =>
  Effect.catchIf(
    client.getMetadata({ resource: namespaces, name, lane: "launch" }),
    (error) => error.class === "not_found",
    () => Effect.succeed(undefined)
  )

const record = (
  operator: Operator,
  instance: Instance,
  tenant: string,
  outcome: TenantOutcome | undefined,
  isNew = false
) =>
  Effect.gen(function* () {
    const { outcomes } = operator.memoryOf(instance)
    const before = outcomes.get(tenant)
    if (outcome === undefined) outcomes.delete(tenant)
    else outcomes.set(tenant, outcome)
    if (JSON.stringify(before) === JSON.stringify(outcome)) return
    operator.queue.addAfter({ instance }, wakeMillis)
    if (outcome?.failure !== undefined)
      yield* say(operator, instance, "TenantFailed", `${tenant}: ${outcome.failure.reason}: ${outcome.failure.message}`)
    else if (outcome !== undefined && isNew)
      yield* say(operator, instance, "TenantProvisioned", `${tenant} has everything that jobs need`)
  })

const reasonOf = ({ error, notOurs }: Trouble): string => {
  if (notOurs !== undefined) return notOurs === "other" ? "NameConflict" : "ForeignObject"
  if (error?.class === "forbidden") return /quota/i.test(error.message) ? "Rejected" : "Forbidden"
  return error?.class === "invalid" ? "Rejected" : "Unavailable"
}

const outcomeOf = (namespace: string, [first]: ReadonlyArray<Trouble>): TenantOutcome =>
  first === undefined
    ? { namespace }
    : {
        namespace,
        failure: {
          reason: reasonOf(first),
          message: `${nameOf(first.object)}: ${first.error?.message ?? "an object of that name belongs to somebody else"}`
        }
      }

const awaitingCa = (operator: Operator, instance: Instance, tenant: string): boolean => {
  if (tlsModeOf(instance, operator.options.platform) !== "ServiceCA") return false
  const found = operator.sight.find(configMaps, tenant, outside(instance, "service-ca"))
  return !(isObject(found?.["data"]) && found["data"]["service-ca.crt"] !== undefined)
}

const provision = (operator: Operator, instance: Instance, tenant: string) =>
  Effect.gen(function* () {
    const { platform } = operator.options
    const certificates = yield* certificatesOf(operator, instance)
    const wanted = desiredTenant({ platform, instance, tenant, certificates })
    const isNew = tenantObjects(operator, instance, tenant).length === 0
    const holder = accountHolder(operator, instance)
    const accountTrouble = holder === undefined ? yield* applyEach(operator, [wanted.account]) : []
    const isOurs = holder === undefined && accountTrouble.every(({ notOurs }) => notOurs === undefined)
    const rest = [wanted.role, ...(isOurs ? wanted.jobBindings : []), ...wanted.apiBindings, ...wanted.rest]
    const troubles = [...accountTrouble, ...(yield* applyEach(operator, rest))]
    const errors = troubles.flatMap(({ error }) => error ?? [])
    if (errors.some((error) => isTerminating(error) || error.class === "not_found")) {
      // it went while we were at it
      if (
        (yield* readNamespace(operator, tenant))?.metadata.deletionTimestamp !== undefined ||
        errors.some(isTerminating)
      ) {
        yield* record(operator, instance, tenant, undefined)
        return done(operator)
      }
    }
    const kept = isOurs
      ? wanted.all
      : wanted.all.filter((one) => one !== wanted.account && !wanted.jobBindings.includes(one))
    for (const [resource, object] of tenantObjects(operator, instance, tenant))
      if (!isNamed(object, kept, resource.kind) && object.metadata.deletionTimestamp === undefined)
        yield* operator.applier.remove(resource, object)
    const conflict: TenantOutcome = {
      namespace: tenant,
      failure: { reason: "NameConflict", message: `the job account's name is that of ${holder}, which is older` }
    }
    const awaited: TenantOutcome = {
      namespace: tenant,
      failure: { reason: "Unavailable", message: "the platform has not put its CA into the ConfigMap yet" }
    }
    const found = outcomeOf(tenant, troubles)
    const isAwaiting = found.failure === undefined && awaitingCa(operator, instance, tenant)
    yield* record(operator, instance, tenant, holder !== undefined ? conflict : isAwaiting ? awaited : found, isNew)
    return afterAll(errors, done(operator))
  })

const leave = (operator: Operator, instance: Instance, tenant: string): Effect.Effect<Outcome, KubeError> =>
  Effect.gen(function* () {
    const { leaving } = operator.memoryOf(instance)
    const { domain, namespace: home } = operator.options.platform
    if (tenantObjects(operator, instance, tenant).length === 0) {
      leaving.delete(tenant)
      yield* record(operator, instance, tenant, undefined)
      return { _tag: "Done" }
    }
    const now = yield* steadyMillis
    const since = leaving.get(tenant) ?? now
    leaving.set(tenant, since)
    if (now - since < goneMillis) return { _tag: "Done", againMillis: goneMillis - (now - since) }
    const isBack = Effect.map(
      readNamespace(operator, tenant),
      (found) => found !== undefined && isTenant(viewOf(found), domain, [instance.namespace, home])
    )
    const { stopped, complete } = yield* removeTenant(operator, instance, tenant, isBack)
    leaving.delete(tenant)
    // somebody may have made something between our look and now: the cache tells
    if (!complete) return { _tag: "Done", againMillis: wakeMillis }
    yield* record(operator, instance, tenant, undefined)
    yield* say(operator, instance, "TenantRemoved", `${tenant}: ${stopped} Jobs were stopped`)
    return { _tag: "Done" }
  })

/** a failure that no object is to blame for */
const failed = (operator: Operator, instance: Instance, tenant: string) => (error: KubeError) =>
  Effect.as(
    record(operator, instance, tenant, {
      namespace: tenant,
      failure: { reason: "Unavailable", message: error.message }
    }),
    afterError(error)
  )

export const tenantPass = (operator: Operator, { instance: id, tenant = "" }: Key): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { domain, namespace: home } = operator.options.platform
    const object = operator.sight.instance(id)
    const decoded = object === undefined ? undefined : decodeInstance(object)
    // removing an instance, and what is left of one, is the work of its own key
    if (decoded === undefined || Either.isLeft(decoded) || decoded.right.deleting) return { _tag: "Done" } as const
    const instance = decoded.right
    const pass = Effect.gen(function* () {
      const found = operator.sight.namespace(tenant) ?? (yield* readNamespace(operator, tenant))
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
        operator.memoryOf(instance).leaving.delete(tenant)
        yield* record(operator, instance, tenant, undefined)
        return { _tag: "Done" } as const
      }
      if (!isTenant(viewOf(found), domain, [instance.namespace, home])) return yield* leave(operator, instance, tenant)
      operator.memoryOf(instance).leaving.delete(tenant)
      return yield* provision(operator, instance, tenant)
    })
    return yield* Effect.catchAll(pass, failed(operator, instance, tenant))
  })
