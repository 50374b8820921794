/** The environment of a container: `envFrom`, then `env` in order, with `$(NAME)` expanded and `$$(` left as `$(`. */
import { Data, Effect } from "effect"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import type { NodeApi } from "./node-api.ts"
import { type Container, fieldOf, type KeyReference, type Pod } from "./pod.ts"

/** what makes a container wait as `CreateContainerConfigError` */
export class ConfigMissing extends Data.TaggedError("ConfigMissing")<{ readonly message: string }> {}

export type Environment = { readonly [name: string]: string }

/** references to names that are not set stay as they are written */
export const expand = (text: string, env: Environment): string =>
  text.replaceAll(/\$\$|\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)/g, (whole, name: string | undefined) => {
    if (whole === "$$") return "$"
    return name === undefined ? whole : (env[name] ?? whole)
  })

export const environmentOf = (
  pod: Pod,
  container: Container,
  /** of the image, then of the services */
  given: Environment,
  api: NodeApi
): Effect.Effect<Environment, ConfigMissing | KubeError> =>
  Effect.gen(function* () {
    const env: Record<string, string> = { ...given }
    const keysOf = (kind: "configmap" | "secret", name: string, optional: boolean) =>
      Effect.flatMap(api.keysOf(kind, pod.metadata.namespace, name), (found) =>
        found === undefined && !optional
          ? Effect.fail(new ConfigMissing({ message: `${kind} "${name}" not found` }))
          : Effect.succeed(found)
      )
    const keyOf = (kind: "configmap" | "secret", { name, key, optional = false }: KeyReference) =>
      Effect.flatMap(keysOf(kind, name, optional), (found) => {
        const value = found?.get(key)?.toString("utf8")
        return value === undefined && !optional
          ? Effect.fail(
              new ConfigMissing({ message: `couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}` })
            )
          : Effect.succeed(value)
      })
    for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
      const [kind, from] =
        configMapRef === undefined ? (["secret", secretRef] as const) : (["configmap", configMapRef] as const)
      const found = yield* keysOf(kind, from?.name ?? "", from?.optional ?? false)
      for (const [key, value] of found ?? []) env[`${prefix}${key}`] = value.toString("utf8")
    }
    for (const { name, value, valueFrom } of container.env ?? []) {
      if (valueFrom === undefined) env[name] = expand(value ?? "", env)
      else if (valueFrom.fieldRef !== undefined) env[name] = fieldOf(pod, valueFrom.fieldRef.fieldPath)
      else {
        const { configMapKeyRef, secretKeyRef } = valueFrom
        const found =
          configMapKeyRef !== undefined
            ? yield* keyOf("configmap", configMapKeyRef)
            : secretKeyRef !== undefined
              ? yield* keyOf("secret", secretKeyRef)
              : undefined
        if (found !== undefined) env[name] = found
      }
    }
    return env
  })
