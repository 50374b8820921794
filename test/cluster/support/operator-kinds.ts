/** Kinds that the operator makes, as cluster tests address them, and writing an object the way the operator does. */
import { Effect, Option } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import { pathOf, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { customResourceDefinition } from "../../../infrastructure/kubernetes/manifests/crd.ts"
import { fieldManager } from "../../../infrastructure/kubernetes/manifests/managed.ts"
import { eventually } from "./eventually.ts"

type Client = KubeClient["Type"]

export const evaluationServices: Resource = {
  group: "evald.internal",
  version: "v1alpha1",
  plural: "evaluationservices",
  kind: "EvaluationService"
}

const plurals: { readonly [kind: string]: string } = {
  NetworkPolicy: "networkpolicies",
  Ingress: "ingresses"
}

interface Written {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [member: string]: unknown
}

export const resourceOf = ({ apiVersion, kind }: Written): Resource => {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion]
  return { group: group ?? "", version: version ?? "", kind, plural: plurals[kind] ?? `${kind.toLowerCase()}s` }
}

/** server-side apply; `force` as the operator uses it for its own objects */
export const apply = (client: Client, object: Written, namespace = object.metadata.namespace) =>
  client.send(
    {
      method: "PATCH",
      path: `${pathOf(resourceOf(object), namespace, object.metadata.name)}?fieldManager=${fieldManager}&force=true`,
      contentType: "application/apply-patch+yaml",
      body: object
    },
    "launch"
  )

/** installs the custom resource, the same for all test files, and waits until it is served */
export const installDefinition = (client: Client) =>
  Effect.gen(function* () {
    yield* apply(client, customResourceDefinition(evaluationServices.group))
    yield* eventually(
      "the resource is served",
      Effect.option(client.list({ resource: evaluationServices, lane: "launch" })),
      Option.isSome
    )
  })
