/** Lists of the fake: selected, ordered, in pages that all show the version of the first. */
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import { fieldSelector, labelSelector } from "./selector.ts"
import { badRequest, expired } from "./status.ts"
import type { FakeStore } from "./store.ts"

const sortKey = ({ metadata }: KubeObject) => `${metadata.namespace ?? ""}/${metadata.name}`

/** does an object pass the selectors of this query? */
export const selected = (kind: Kind, query: URLSearchParams): ((object: KubeObject) => boolean) => {
  const labels = labelSelector(query.get("labelSelector") ?? "")
  const fields = query.get("fieldSelector")
  const matches = fields === null || fields === "" ? () => true : fieldSelector(kind, fields)
  return (object) => labels(object) && matches(object)
}

/** what `PartialObjectMetadata` leaves of an object */
export const metadataOnly = ({ metadata }: KubeObject) => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata
})

/** items of a list have no kind of their own */
const bare = ({ kind: _, apiVersion: __, ...object }: KubeObject) => object

interface Rest {
  readonly version: number
  readonly items: ReadonlyArray<KubeObject>
}

export type ListPage = (kind: Kind, namespace: string | undefined, query: URLSearchParams, partial: boolean) => unknown

export const makePages = (store: FakeStore): ListPage => {
  const rests = new Map<string, Rest>()
  const restOf = (token: string): Rest => {
    const rest = rests.get(token)
    if (rest === undefined) throw badRequest("invalid continue token: continue key is not valid")
    if (!store.remembers(rest.version))
      throw expired("The provided continue parameter is too old to display a consistent list result.")
    return rest
  }
  return (kind, namespace, query, partial) => {
    const limit = Number(query.get("limit") ?? "0")
    if (!Number.isSafeInteger(limit))
      throw badRequest(`strconv.ParseInt: parsing "${query.get("limit")}": invalid syntax`)
    const token = query.get("continue") ?? ""
    const all = (): Rest => ({
      version: store.version(),
      items: store
        .all(kind, namespace)
        .filter(selected(kind, query))
        .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
    })
    const { version, items } = token === "" ? all() : restOf(token)
    const page = limit <= 0 ? items : items.slice(0, limit)
    const left = items.slice(page.length)
    const next = Buffer.from(`${version} ${rests.size}`).toString("base64url")
    if (left.length > 0) rests.set(next, { version, items: left })
    return {
      kind: partial ? "PartialObjectMetadataList" : `${kind.kind}List`,
      apiVersion: partial ? "meta.k8s.io/v1" : apiVersionOf(kind),
      metadata: {
        resourceVersion: String(version),
        ...(left.length > 0 ? { continue: next, remainingItemCount: left.length } : {})
      },
      items: page.map(partial ? metadataOnly : bare)
    }
  }
}
