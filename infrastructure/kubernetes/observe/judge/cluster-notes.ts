/** What the cluster says about an object in its Events: the only place where some failures are explained. Reference: cluster-objects.md, "Observing". */
import { Effect } from "effect"
import { isObject } from "../../../../values/json.ts"
import type { KubeClient } from "../../client/client.ts"
import { cleanMessage, type KubeError } from "../../client/kube-error.ts"
import { events } from "../../client/resources.ts"
import type { ClusterNote } from "./sight.ts"

/** oldest first; our own signals are no news */
export const notesAbout = (
  client: KubeClient["Type"],
  namespace: string,
  uid: string
): Effect.Effect<ReadonlyArray<ClusterNote>, KubeError> =>
  Effect.map(
    client.list({ resource: events, namespace, lane: "observe", fieldSelector: `involvedObject.uid=${uid}` }),
    ({ items }) =>
      items.flatMap((event) => {
        const { involvedObject, source, reason, message } = event as { readonly [member: string]: unknown }
        const isOwn = isObject(source) && source["component"] === "evald"
        const concerns = isObject(involvedObject) && involvedObject["uid"] === uid
        return !concerns || isOwn || typeof reason !== "string" || typeof message !== "string"
          ? []
          : [{ reason, message: cleanMessage(message) }]
      })
  )
