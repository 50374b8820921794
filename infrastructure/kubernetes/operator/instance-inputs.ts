/** What an instance is made from beside its resource: definitions, and the certificates that others are to trust. */
import { Effect } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import {
  type DefinitionProblem,
  type OfferedDefinition,
  placeTenantDefinitions,
  selectDefinitions
} from "../../../domain/operator/definitions.ts"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import type { KubeError } from "../client/kube-error.ts"
import { configMaps, type KubeObject } from "../client/resources.ts"
import type { Certificates } from "../manifests/certificates.ts"
import { offeredBy, shardNaming } from "../manifests/definitions.ts"
import { tlsModeOf } from "../manifests/server-config.ts"
import { bundleOf } from "./authority.ts"
import { type Operator, say } from "./operator-context.ts"

export interface Definitions {
  readonly selected: ReadonlyArray<OfferedDefinition>
  readonly providers: ReadonlyArray<string>
  readonly collections: ReadonlyArray<string>
  readonly shards: ReadonlyArray<{ readonly [key: string]: string }>
  readonly problems: ReadonlyArray<DefinitionProblem>
}

/** a ConfigMap is read once; whoever changes it makes another object of it */
const read = new WeakMap<KubeObject, ReadonlyArray<OfferedDefinition>>()

const offered = (object: KubeObject, domain: string): ReadonlyArray<OfferedDefinition> => {
  const found = read.get(object) ?? offeredBy(object, domain)
  read.set(object, found)
  return found
}

export const definitionsOf = (
  { sight, options }: Operator,
  instance: Instance,
  tenants: ReadonlyArray<string>
): Definitions => {
  const { domain, namespace } = options.platform
  const of = (place: string) => sight.definitionsIn(place).flatMap((object) => offered(object, domain))
  const selection = selectDefinitions(
    { providers: instance.spec.providers, ...defined({ collections: instance.spec.collections }) },
    of(namespace),
    instance.namespace === namespace ? [] : of(instance.namespace)
  )
  const brought = instance.spec.tenantDefinitions
    ? placeTenantDefinitions(tenants.flatMap(of), selection, shardNaming)
    : { shards: [], problems: [] }
  return {
    selected: [...selection.providers, ...selection.collections],
    providers: selection.providers.map(({ id }) => id),
    collections: selection.collections.map(({ id }) => id),
    shards: brought.shards,
    problems: [...selection.problems, ...brought.problems]
  }
}

/** of the installation, by kind and id; those of tenants come and go without a word */
const mountedOf = ({ selected }: Definitions): ReadonlyMap<string, string> =>
  new Map(selected.map(({ kind, id, text }) => [`${kind} ${id}`, text]))

/** says what is mounted now and was not before, or otherwise; nothing in the first pass after a start */
export const tellDefinitions = (operator: Operator, instance: Instance, definitions: Definitions) =>
  Effect.gen(function* () {
    const memory = operator.memoryOf(instance)
    const [before, now] = [memory.definitions, mountedOf(definitions)]
    memory.definitions = now
    if (before === undefined) return
    const parts = [
      ["added", [...now.keys()].filter((one) => !before.has(one))],
      ["changed", [...now].flatMap(([one, text]) => (before.has(one) && before.get(one) !== text ? [one] : []))],
      ["removed", [...before.keys()].filter((one) => !now.has(one))]
    ] as const
    const message = parts.flatMap(([what, ones]) => (ones.length === 0 ? [] : [`${what}: ${ones.sort().join(", ")}`]))
    if (message.length > 0) yield* say(operator, instance, "DefinitionsChanged", message.join("; "))
  })

/** one key of somebody's ConfigMap; undefined: there is none */
const keyOfMap = (
  { client }: Operator,
  namespace: string,
  { name, key }: { readonly name: string; readonly key: string }
): Effect.Effect<string | undefined, KubeError> =>
  client.get({ resource: configMaps, namespace, name, lane: "launch" }).pipe(
    Effect.map(({ data }) => {
      const value = isObject(data) ? data[key] : undefined
      return typeof value === "string" ? value : undefined
    }),
    Effect.catchIf(
      (error) => error.class === "not_found",
      () => Effect.succeed(undefined)
    )
  )

/** reads them now */
export const readCertificates = (operator: Operator, instance: Instance): Effect.Effect<Certificates, KubeError> =>
  Effect.gen(function* () {
    const mode = tlsModeOf(instance, operator.options.platform)
    const { tls, tracker } = instance.spec
    const service =
      mode === "Issued"
        ? bundleOf(yield* operator.authorities)
        : mode === "Secret" && tls?.caConfigMap !== undefined
          ? yield* keyOfMap(operator, instance.namespace, tls.caConfigMap)
          : undefined
    const bundle =
      tracker?.caBundle === undefined ? undefined : yield* keyOfMap(operator, instance.namespace, tracker.caBundle)
    const certificates = defined({ service, tracker: bundle })
    operator.memoryOf(instance).certificates = certificates
    return certificates
  })

/** as the last pass over the instance found them */
export const certificatesOf = (operator: Operator, instance: Instance): Effect.Effect<Certificates, KubeError> => {
  const known = operator.memoryOf(instance).certificates
  return known === undefined ? readCertificates(operator, instance) : Effect.succeed(known)
}
