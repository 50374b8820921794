/** Writes the status of a resource when it says something else than before, and only then. */
import { Effect } from "effect"
import { type Instance, resourceNames } from "../../../domain/operator/custom-resource.ts"
import type { InstanceStatus } from "../../../domain/operator/instance-status.ts"
import { digestOf } from "../../../values/digest.ts"
import type { KubeError } from "../client/kube-error.ts"
import type { Resource } from "../client/resources.ts"
import type { Platform } from "../manifests/managed.ts"
import type { Operator } from "./operator-context.ts"

export const resourceOf = ({ groups }: Pick<Platform, "groups">): Resource => ({
  group: groups.service,
  version: resourceNames.version,
  plural: resourceNames.plural,
  kind: resourceNames.kind
})

/** as it is stored, or as it was written a moment ago and the cache has not heard of */
export const latestStatus = ({ memoryOf, sight }: Operator, instance: Instance): InstanceStatus => {
  const { written } = memoryOf(instance)
  const seen = Number(sight.instance(instance)?.metadata.resourceVersion)
  return written !== undefined && Number(written.version) > seen ? written.status : instance.status
}

export const writeStatus = (
  operator: Operator,
  instance: Instance,
  status: InstanceStatus
): Effect.Effect<void, KubeError> =>
  Effect.gen(function* () {
    if (
      digestOf(JSON.parse(JSON.stringify(status))) ===
      digestOf(JSON.parse(JSON.stringify(latestStatus(operator, instance))))
    )
      return
    const { platform } = operator.options
    const { name, namespace, uid } = instance
    const resource = resourceOf(platform)
    const object = yield* operator.applier.applyStatus({
      resource,
      namespace,
      body: {
        apiVersion: `${resource.group}/${resource.version}`,
        kind: resource.kind,
        metadata: { name, namespace, uid },
        status
      }
    })
    operator.memoryOf(instance).written = { version: object.metadata.resourceVersion ?? "", status }
  })
