/** TLS mode Issued: one certificate for each instance, signed by the operator's authority. */
import { Clock, Effect } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { secrets } from "../client/resources.ts"
import { placeOf } from "../manifests/instance.ts"
import { type ManagedObject, own, tlsSecret } from "../manifests/managed.ts"
import { pairData, textOf } from "./authority.ts"
import { type Operator, say } from "./operator-context.ts"
import { issueLeaf, leafState } from "./x509.ts"

const lane = "launch" as const

const read = (client: KubeClient["Type"], namespace: string, name: string) =>
  Effect.catchIf(
    client.get({ resource: secrets, namespace, name, lane }),
    (error) => error.class === "not_found",
    () => Effect.succeed(undefined)
  )

const namesOf = ({ name, namespace, spec }: Instance): ReadonlyArray<string> => [
  `${name}.${namespace}.svc`,
  `${name}.${namespace}.svc.cluster.local`,
  `${name}.${namespace}`,
  name,
  ...(spec.expose.host === undefined ? [] : [spec.expose.host])
]

export type TlsResult =
  | { readonly _tag: "Ready"; readonly notAfter: string }
  /** the right to write the Secret was granted a moment ago and is not in force everywhere */
  | { readonly _tag: "Soon" }
  | { readonly _tag: "Foreign" }
  | { readonly _tag: "Failed"; readonly error: KubeError }

const graceMillis = 30_000

const ensure = (operator: Operator, instance: Instance): Effect.Effect<TlsResult, KubeError> =>
  Effect.gen(function* () {
    const { client, applier, options } = operator
    const { signing: authority } = yield* operator.authorities
    const now = yield* Clock.currentTimeMillis
    const names = namesOf(instance)
    const found = yield* read(client, instance.namespace, tlsSecret(instance))
    const state = leafState(textOf(found, "tls.crt") ?? "", authority, names, now)
    if (state?.isGood === true) return { _tag: "Ready", notAfter: state.notAfter } as const
    const leaf = issueLeaf(authority, names, now)
    const body: ManagedObject = own(
      placeOf(options.platform, instance),
      ["v1", "Secret"],
      { name: tlsSecret(instance), component: "api" },
      { type: "kubernetes.io/tls", data: pairData(leaf) }
    )
    const applied = yield* applier.apply({ resource: secrets, namespace: instance.namespace, body })
    if (applied._tag === "NotOurs") return { _tag: "Foreign" } as const
    const issued = leafState(leaf.certificate, authority, names, now)
    yield* say(operator, instance, "CertificateIssued", `for ${names[0]}, until ${issued?.notAfter}`)
    return { _tag: "Ready", notAfter: issued?.notAfter ?? "" } as const
  })

/** the instance's certificate is there and good for 30 days at least */
export const ensureCertificate = (operator: Operator, instance: Instance): Effect.Effect<TlsResult> =>
  Effect.gen(function* () {
    const memory = operator.memoryOf(instance)
    const result = yield* Effect.catchAll(ensure(operator, instance), (error) =>
      Effect.succeed<TlsResult>({ _tag: "Failed", error })
    )
    if (result._tag !== "Failed" || result.error.class !== "forbidden") {
      memory.tlsRefusedSince = undefined
      return result
    }
    const now = yield* steadyMillis
    memory.tlsRefusedSince ??= now
    return now - memory.tlsRefusedSince < graceMillis ? { _tag: "Soon" } : result
  })
