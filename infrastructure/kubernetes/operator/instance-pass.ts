/** One pass over an instance: from its resource to all of its objects, its tenants and its status. */
import { Clock, Effect, Either } from "effect"
import { decodeInstance, type Instance } from "../../../domain/operator/custom-resource.ts"
import { nextStatus, type TenantOutcome } from "../../../domain/operator/instance-status.ts"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import type { KubeError } from "../client/kube-error.ts"
import type { KubeObject } from "../client/resources.ts"
import type { Outcome } from "../controller/work-queue.ts"
import { type DesiredInstance, desiredInstance } from "../manifests/instance.ts"
import { finalizerOf, type ManagedObject, podLabels } from "../manifests/managed.ts"
import { tlsModeOf, urlOf } from "../manifests/server-config.ts"
import { desiredTenant } from "../manifests/tenant.ts"
import { exposureOf } from "./exposure.ts"
import { deploymentNow, findingsOf, labelledOwn, unavailableCause } from "./instance-findings.ts"
import { type Definitions, definitionsOf, readCertificates, tellDefinitions } from "./instance-inputs.ts"
import { removeInstance, removeOutside } from "./instance-removal.ts"
import { ensureCertificate, type TlsResult } from "./issued-certificate.ts"
import { isTenantObject, type Key } from "./keys.ts"
import { claims } from "./kinds.ts"
import {
  afterAll,
  afterError,
  applyEach,
  isNamed,
  nameOf,
  type Operator,
  say,
  type Trouble
} from "./operator-context.ts"
import { latestStatus, resourceOf, writeStatus } from "./status-writer.ts"
import { accountHolder, done, tenantsOf } from "./tenant-pass.ts"

const soonMillis = 1000

const withFinalizer = ({ client, options }: Operator, instance: Instance, object: KubeObject) => {
  const finalizer = finalizerOf(options.platform)
  const { name, namespace, uid, finalizers } = instance
  if (finalizers.includes(finalizer)) return Effect.void
  return Effect.asVoid(
    client.mergePatch(
      { resource: resourceOf(options.platform), namespace, name, lane: "launch" },
      { metadata: { uid, resourceVersion: object.metadata.resourceVersion, finalizers: [...finalizers, finalizer] } }
    )
  )
}

const isOptional = ({ metadata }: ManagedObject): boolean =>
  metadata.labels["app.kubernetes.io/component"] === "hardware-profiles"

interface Made {
  readonly troubles: ReadonlyArray<Trouble>
  readonly tls: TlsResult | undefined
}

/** in the order in which one needs the other; what can not be made does not keep the rest from being made, but for the pods */
const make = (operator: Operator, instance: Instance, wanted: DesiredInstance) =>
  Effect.gen(function* () {
    const access = yield* applyEach(operator, wanted.access)
    const issued = tlsModeOf(instance, operator.options.platform) === "Issued"
    const memory = operator.memoryOf(instance)
    const tls = issued ? yield* ensureCertificate(operator, instance) : undefined
    if (tls?._tag === "Ready") memory.certificateEnds = Date.parse(tls.notAfter)
    else if (!issued) memory.certificateEnds = undefined
    const config = yield* applyEach(operator, wanted.config)
    const blocking = [...access, ...config].filter(({ object }) => !isOptional(object))
    const keep = (object: KubeObject) => {
      memory.deployment = object
    }
    const deployment = blocking.length > 0 ? [] : yield* applyEach(operator, [wanted.deployment], keep)
    const serving = yield* applyEach(operator, wanted.serving)
    return { troubles: [...access, ...config, ...deployment, ...serving], tls } satisfies Made
  })

/** what was wanted once and is no longer; a claim is never among it */
const prune = (operator: Operator, instance: Instance, wanted: DesiredInstance): Effect.Effect<void, KubeError> => {
  const kept = [...wanted.access, ...wanted.config, wanted.deployment, ...wanted.serving]
  const stale = operator.sight
    .madeFor(instance)
    .filter(
      ([resource, object]) =>
        resource !== claims &&
        !isTenantObject(object) &&
        object.metadata.deletionTimestamp === undefined &&
        !isNamed(object, kept, resource.kind)
    )
  return Effect.forEach(stale, ([resource, object]) => operator.applier.remove(resource, object), { discard: true })
}

/** tenants that have to be looked at because of this pass: all when what they are made from changed, else those that are unknown */
const enqueueTenants = (operator: Operator, instance: Instance, tenants: ReadonlyArray<string>) => {
  const memory = operator.memoryOf(instance)
  const { platform } = operator.options
  // what any namespace would get: much of a resource does not concern its tenants
  const { all } = desiredTenant({ platform, instance, tenant: "", certificates: memory.certificates ?? {} })
  const holder = accountHolder(operator, instance) ?? ""
  const input = digestOf(JSON.parse(JSON.stringify([all, instance.uid, holder])))
  const isNew = memory.tenantInput !== input
  memory.tenantInput = input
  const holding = operator.sight
    .madeFor(instance)
    .flatMap(([, object]) => (isTenantObject(object) ? (object.metadata.namespace ?? []) : []))
  for (const tenant of new Set([...tenants, ...holding]))
    if (isNew || (tenants.includes(tenant) ? !memory.outcomes.has(tenant) : true))
      operator.queue.add({ instance, tenant })
}

const outcomesOf = (operator: Operator, instance: Instance, tenants: ReadonlyArray<string>) => {
  const { outcomes } = operator.memoryOf(instance)
  for (const known of [...outcomes.keys()]) if (!tenants.includes(known)) outcomes.delete(known)
  const known = tenants.flatMap((tenant): ReadonlyArray<TenantOutcome> => {
    const outcome = outcomes.get(tenant)
    return outcome === undefined ? [] : [outcome]
  })
  return { known, isWhole: known.length === tenants.length }
}

const tell = (operator: Operator, instance: Instance, made: Made, rejected: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (rejected.length > 0) yield* say(operator, instance, "ConfigRejected", rejected.join("; "))
    for (const { object, notOurs } of made.troubles)
      if (notOurs !== undefined)
        yield* say(operator, instance, notOurs === "other" ? "NameConflict" : "ForeignObject", nameOf(object))
    for (const name of labelledOwn(operator, instance))
      yield* say(operator, instance, "OwnNamespaceIgnored", `${name} carries the tenant's label and is no tenant`)
  })

interface Ended {
  readonly made: Made
  readonly rejected: ReadonlyArray<string>
  readonly definitions: Definitions
  readonly tenants: ReadonlyArray<string>
  readonly hash: string | undefined
}

const report = (operator: Operator, instance: Instance, { made, rejected, definitions, tenants, hash }: Ended) =>
  Effect.gen(function* () {
    const { platform, version } = operator.options
    const previous = latestStatus(operator, instance)
    const { known, isWhole } = outcomesOf(operator, instance, tenants)
    // after a start nothing is known of tenants for a moment: what was said before is still true
    if (!isWhole && previous.observedGeneration === instance.generation) return
    const cause = yield* unavailableCause(operator, instance)
    const error = made.troubles.find((one) => one.error !== undefined)
    const status = nextStatus({
      previous,
      generation: instance.generation,
      deleting: false,
      findings: findingsOf(operator, instance, {
        troubles: made.troubles,
        definitions,
        tls: made.tls,
        tenants: known,
        rejected,
        cause
      }),
      deployment: deploymentNow(operator, instance),
      ...defined({
        cause: cause ?? (error === undefined ? undefined : `${nameOf(error.object)}: ${error.error?.message}`),
        externalURL: exposureOf(operator, instance)?.url,
        configHash: hash ?? previous.configHash
      }),
      tenants: known,
      selector: Object.entries(podLabels(instance))
        .map(([name, value]) => `${name}=${value}`)
        .join(","),
      url: urlOf(instance, platform),
      activeProviders: definitions.providers,
      activeCollections: definitions.collections,
      tls: {
        mode: tlsModeOf(instance, platform),
        ...(made.tls?._tag === "Ready" ? { notAfter: made.tls.notAfter } : {})
      },
      version,
      now: new Date(yield* Clock.currentTimeMillis).toISOString().replace(/\.\d+Z$/, "Z")
    })
    yield* writeStatus(operator, instance, status)
    if (previous.configHash !== undefined && hash !== undefined && previous.configHash !== hash)
      yield* say(operator, instance, "RolloutStarted", `the configuration changed to ${hash.slice(0, 12)}`)
  })

const reconcile = (operator: Operator, instance: Instance, object: KubeObject) =>
  Effect.gen(function* () {
    const { platform, authRules } = operator.options
    yield* withFinalizer(operator, instance, object)
    const tenants = tenantsOf(operator, instance)
    const definitions = definitionsOf(operator, instance, tenants)
    const certificates = yield* readCertificates(operator, instance)
    const planned = desiredInstance({
      platform,
      instance,
      authRules,
      definitions: definitions.selected,
      shards: definitions.shards,
      certificates,
      apis: operator.sight.apis()
    })
    const rejected = Either.isLeft(planned) ? planned.left : []
    const wanted = Either.getOrUndefined(planned)
    const made: Made = wanted === undefined ? { troubles: [], tls: undefined } : yield* make(operator, instance, wanted)
    if (wanted !== undefined) {
      yield* prune(operator, instance, wanted)
      yield* tellDefinitions(operator, instance, definitions)
    }
    enqueueTenants(operator, instance, tenants)
    yield* tell(operator, instance, made, rejected)
    yield* report(operator, instance, { made, rejected, definitions, tenants, hash: wanted?.hash })
    const errors = made.troubles.flatMap(({ error }) => error ?? [])
    if (made.tls?._tag === "Soon") return { _tag: "After", millis: soonMillis } as const
    return afterAll([...errors, ...(made.tls?._tag === "Failed" ? [made.tls.error] : [])], done(operator))
  })

/** nothing of it may stay where its resource can not be: the finalizer was taken away by force, or the operator was away */
const sweep = (operator: Operator, { instance }: Key): Effect.Effect<Outcome, KubeError> =>
  Effect.gen(function* () {
    const { client, options, sight } = operator
    operator.forget(instance)
    const outside = sight
      .madeFor(instance)
      .filter(([, object]) => isTenantObject(object) || object.metadata.namespace !== instance.namespace)
    if (outside.length === 0) return { _tag: "Done" }
    const found = yield* Effect.catchIf(
      client.getMetadata({ resource: resourceOf(options.platform), ...instance, lane: "launch" }),
      (error) => error.class === "not_found",
      () => Effect.succeed(undefined)
    )
    if (found !== undefined) return { _tag: "After", millis: soonMillis }
    yield* Effect.logWarning(
      `${instance.namespace}/${instance.name} is gone and left ${outside.length} objects behind: they are removed`
    )
    const left = yield* removeOutside(operator, instance)
    return left.length === 0 ? { _tag: "Done" } : { _tag: "BackOff" }
  })

export const instancePass = (operator: Operator, key: Key): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const object = operator.sight.instance(key.instance)
    if (object === undefined) return yield* sweep(operator, key)
    const decoded = decodeInstance(object)
    if (Either.isLeft(decoded)) {
      yield* Effect.logError(
        `${key.instance.namespace}/${key.instance.name} can not be read: ${decoded.left.join("; ")}`
      )
      return done(operator)
    }
    const instance = decoded.right
    if (instance.deleting) return yield* removeInstance(operator, instance, object.metadata.resourceVersion ?? "")
    return yield* reconcile(operator, instance, object)
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(
        error.class === "conflict"
          ? Effect.void
          : Effect.logWarning(`${key.instance.namespace}/${key.instance.name}: ${error.operation}: ${error.message}`),
        afterError(error)
      )
    )
  )
