/** Lists of the fake: selected, ordered, in pages. */
import type { KubeObject } from "../../../infrastructure/kubernetes/resources.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import { fieldSelector, labelSelector } from "./selector.ts"
import { badRequest } from "./status.ts"
import type { FakeStore } from "./store.ts"

const sortKey = ({ metadata }: KubeObject) => `${metadata.namespace ?? ""}/${metadata.name}`

/** does an object pass the selectors of this query? */
export const selected = (query: URLSearchParams): ((object: KubeObject) => boolean) => {
  const labels = labelSelector(query.get("labelSelector") ?? "")
  const fields = query.get("fieldSelector")
  const matches = fields === null || fields === "" ? () => true : fieldSelector(fields)
  return (object) => labels(object) && matches(object)
}

/** what `PartialObjectMetadata` leaves of an object */
export const metadataOnly = ({ metadata }: KubeObject) => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata })

export const listPage = (store: FakeStore, kind: Kind, namespace: string | undefined, query: URLSearchParams, partial: boolean) => {
  const after = Buffer.from(query.get("continue") ?? "", "base64url").toString("utf8")
  const limit = Number(query.get("limit") ?? "0")
  if (!Number.isSafeInteger(limit) || limit < 0) throw badRequest("limit must be a whole number")
  const matching = store
    .all(kind, namespace)
    .filter(selected(query))
    .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
    .filter((object) => sortKey(object) > after)
  const items = limit === 0 ? matching : matching.slice(0, limit)
  const last = items.at(-1)
  const more = last !== undefined && items.length < matching.length
  return {
    kind: partial ? "PartialObjectMetadataList" : `${kind.kind}List`,
    apiVersion: partial ? "meta.k8s.io/v1" : apiVersionOf(kind),
    metadata: { resourceVersion: String(store.version()), ...(more ? { continue: Buffer.from(sortKey(last), "utf8").toString("base64url") } : {}) },
    items: partial ? items.map(metadataOnly) : items
  }
}
