/** The calls of a node to the API server, under the node's own identity. */
import { Effect } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import {
  configMaps,
  events,
  pathOf,
  pods,
  secrets,
  serviceAccounts
} from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject } from "../../../values/json.ts"
import type { Pod } from "./pod.ts"

const lane = "launch" as const

export interface TokenWish {
  readonly audience?: string
  readonly expirationSeconds?: number
}

export interface NodeApi {
  /** `undefined`: there is no such object */
  readonly keysOf: (
    kind: "configmap" | "secret",
    namespace: string,
    name: string
  ) => Effect.Effect<ReadonlyMap<string, Buffer> | undefined, KubeError>
  /** a token of the pod's service account, bound to the pod */
  readonly tokenFor: (pod: Pod, wish: TokenWish) => Effect.Effect<string, KubeError>
  readonly patchStatus: (pod: Pod, status: unknown) => Effect.Effect<void, KubeError>
  /** the last delete, after which the object is gone */
  readonly removePod: (pod: Pod) => Effect.Effect<void, KubeError>
  readonly tell: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => Effect.Effect<void>
}

const textMap = (value: unknown, encoding: BufferEncoding): ReadonlyArray<readonly [string, Buffer]> =>
  isObject(value) ? Object.entries(value).map(([key, text]) => [key, Buffer.from(String(text), encoding)] as const) : []

export const nodeApi = (client: KubeClient["Type"], node: string, now: () => number): NodeApi => {
  let told = 0
  return {
    keysOf: (kind, namespace, name) =>
      client.get({ resource: kind === "secret" ? secrets : configMaps, namespace, name, lane }).pipe(
        Effect.map(
          (object): ReadonlyMap<string, Buffer> | undefined =>
            new Map([
              ...textMap(object["data"], kind === "secret" ? "base64" : "utf8"),
              ...textMap(object["binaryData"], "base64")
            ])
        ),
        Effect.catchIf(
          (error) => error.class === "not_found",
          () => Effect.succeed(undefined)
        )
      ),
    tokenFor: ({ metadata, spec }, { audience, expirationSeconds }) =>
      Effect.map(
        client.send(
          {
            method: "POST",
            path: `${pathOf(serviceAccounts, metadata.namespace, spec.serviceAccountName ?? "default")}/token`,
            body: {
              apiVersion: "authentication.k8s.io/v1",
              kind: "TokenRequest",
              spec: {
                expirationSeconds: expirationSeconds ?? 3600,
                ...(audience === undefined ? {} : { audiences: [audience] }),
                boundObjectRef: { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid }
              }
            }
          },
          lane
        ),
        (answer) => {
          const status = isObject(answer) ? answer["status"] : undefined
          return isObject(status) ? String(status["token"]) : ""
        }
      ),
    patchStatus: ({ metadata }, status) =>
      Effect.asVoid(
        client.send(
          {
            method: "PATCH",
            path: `${pathOf(pods, metadata.namespace, metadata.name)}/status`,
            body: { metadata: { uid: metadata.uid }, status },
            // conditions of others are kept: lists of conditions are merged by type
            contentType: "application/strategic-merge-patch+json"
          },
          lane
        )
      ),
    removePod: ({ metadata }) =>
      Effect.asVoid(
        client.send(
          {
            method: "DELETE",
            path: pathOf(pods, metadata.namespace, metadata.name),
            body: {
              apiVersion: "v1",
              kind: "DeleteOptions",
              gracePeriodSeconds: 0,
              preconditions: { uid: metadata.uid }
            }
          },
          lane
        )
      ),
    tell: ({ metadata }, type, reason, message) => {
      told += 1
      const at = new Date(now()).toISOString()
      return Effect.ignore(
        client.create(
          { resource: events, namespace: metadata.namespace, lane },
          {
            apiVersion: "v1",
            kind: "Event",
            metadata: { name: `${metadata.name}.${told.toString(16).padStart(8, "0")}`, namespace: metadata.namespace },
            involvedObject: {
              apiVersion: "v1",
              kind: "Pod",
              namespace: metadata.namespace,
              name: metadata.name,
              uid: metadata.uid
            },
            type,
            reason,
            message: message.slice(0, 1024),
            source: { component: "kubelet", host: node },
            firstTimestamp: at,
            lastTimestamp: at,
            count: 1
          }
        )
      )
    }
  }
}
