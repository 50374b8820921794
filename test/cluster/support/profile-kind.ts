/** The HardwareProfile kind as a platform installs it, as loosely as the real one: what it holds is for its readers to judge. */
import { Effect } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { Resource } from "../../../infrastructure/kubernetes/client/resources.ts"

const definitions: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition"
}
const name = "hardwareprofiles.infrastructure.opendatahub.io"

export const hardwareProfiles: Resource = {
  group: "infrastructure.opendatahub.io",
  version: "v1",
  plural: "hardwareprofiles",
  kind: "HardwareProfile"
}

export const installProfileKind = (client: KubeClient["Type"]) =>
  client.create(
    { resource: definitions, lane: "launch" },
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: {
        group: hardwareProfiles.group,
        scope: "Namespaced",
        names: { plural: "hardwareprofiles", singular: "hardwareprofile", kind: "HardwareProfile" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
              }
            }
          }
        ]
      }
    }
  )

export const removeProfileKind = (client: KubeClient["Type"]) =>
  Effect.ignore(client.remove({ resource: definitions, name, lane: "launch" }, { propagation: "Background" }))
