/**
 * L2 of a launch: do the secrets that the job names exist, and may they be used? Of the model secret only the key names are kept; of the
 * others not even those are read. Reference: cluster-objects.md, "Launching", "Volumes".
 */
import { Clock, Effect } from "effect"
import type { LaunchRefused, Unit } from "../../../application/ports/runtime.ts"
import { type AdapterSecret, planAdapterSecret } from "../../../domain/credentials/placeholders.ts"
import { isObject } from "../../../values/json.ts"
import type { KubeClient } from "../client/client.ts"
import { modelGatewayOf } from "../client/documents.ts"
import type { KubeError } from "../client/kube-error.ts"
import { type KubeObject, secrets } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"

const refused = (message: string): LaunchRefused => ({ _tag: "LaunchRefused", code: "secret_not_found", message })

const tries = 3
const serviceAccountOf = "kubernetes.io/service-account.name"

interface Wanted {
  readonly member: string
  readonly name: string
  /** the names of the keys are needed */
  readonly keys: boolean
}

const noSecret: LaunchRefused = refused(
  "test_data_ref.s3.secret_ref is missing: on a cluster test data come from an object storage, whose keys a secret holds."
)

const wanted = (unit: Unit): ReadonlyArray<Wanted> => {
  const auth = unit.request.model.auth
  const s3 = unit.benchmark.entry.testData?.s3
  const connection = unit.request.exports?.oci.connection
  return [
    ...(auth === undefined ? [] : [{ member: "model.auth.secret_ref", name: auth.secretRef, keys: true }]),
    ...(s3?.secretRef === undefined
      ? []
      : [{ member: "test_data_ref.s3.secret_ref", name: s3.secretRef, keys: false }]),
    ...(connection === undefined ? [] : [{ member: "exports.oci.k8s.connection", name: connection, keys: false }])
  ]
}

const checkUse = (
  { member, name }: Wanted,
  { metadata }: KubeObject,
  options: ClusterOptions
): LaunchRefused | undefined => {
  if (metadata.annotations?.[serviceAccountOf] !== undefined)
    return refused(`Secret '${name}' of ${member} may not be used: it is the token of a service account.`)
  const label = `${options.domain}/usable-by`
  if (options.secretLabelRequired && metadata.labels?.[label] !== "evaluations")
    return refused(`Secret '${name}' of ${member} may not be used: it needs the label ${label}=evaluations.`)
  return undefined
}

/** asked three times within the grace period: the secret may be made together with the job */
const find = (
  client: KubeClient["Type"],
  namespace: string,
  of: Wanted,
  options: ClusterOptions
): Effect.Effect<KubeObject, KubeError | LaunchRefused> => {
  const target = { resource: secrets, namespace, name: of.name, lane: "launch" } as const
  const ask = of.keys ? client.get(target) : client.getMetadata(target)
  const pause = (options.secretGraceSeconds * 1000) / (tries - 1)
  const attempt = (left: number): Effect.Effect<KubeObject, KubeError | LaunchRefused> =>
    Effect.catchIf(
      ask,
      (error): error is KubeError => error.class === "not_found",
      () =>
        left > 1
          ? Effect.zipRight(Clock.sleep(pause), attempt(left - 1))
          : Effect.fail(refused(`Secret '${of.name}' of ${of.member} does not exist in namespace '${namespace}'.`))
    )
  return attempt(tries)
}

const keysOf = (secret: KubeObject): ReadonlyArray<string> => {
  const data = secret["data"]
  return isObject(data) ? Object.keys(data) : []
}

/** what the adapter may see of the model secret; undefined without `model.auth` */
export const checkSecrets = (
  client: KubeClient["Type"],
  unit: Unit,
  options: ClusterOptions
): Effect.Effect<AdapterSecret | undefined, KubeError | LaunchRefused> => {
  const s3 = unit.benchmark.entry.testData?.s3
  if (s3 !== undefined && s3.secretRef === undefined) return Effect.fail(noSecret)
  return Effect.map(
    Effect.forEach(
      wanted(unit),
      (of) =>
        Effect.flatMap(find(client, unit.tenant, of, options), (secret) => {
          const problem = checkUse(of, secret, options)
          if (problem !== undefined) return Effect.fail(problem)
          return Effect.succeed(of.keys ? planAdapterSecret(keysOf(secret), modelGatewayOf(options)) : undefined)
        }),
      { concurrency: 3 }
    ),
    (plans) => plans.find((plan) => plan !== undefined)
  )
}
