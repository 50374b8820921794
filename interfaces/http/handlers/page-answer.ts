/** A page of stored texts as the list envelope, with links and an entity tag. Spec: "List envelope"; decisions 1, "Lists". */
import { pageLinks } from "../../../domain/paging.ts"
import type { Answer, Exchange } from "../exchange.ts"
import { tagged, tagOf } from "../middleware/conditional.ts"

export interface Page {
  readonly items: ReadonlyArray<string>
  readonly total: number
  /** undefined: this list does not report unreadable records */
  readonly errors: ReadonlyArray<string> | undefined
  /** cursor after the last item, when more exist */
  readonly next?: string
}

export interface PageRequest {
  readonly limit: number
  readonly offset: number
  /** present in a cursor query, empty on its first page */
  readonly cursor?: ReadonlyArray<string> | undefined
}

const link = (href: string | undefined, rel: string): ReadonlyArray<string> => (href === undefined ? [] : [`<${href}>; rel="${rel}"`])

export const pageAnswer = ({ path, search, headers }: Exchange, { limit, offset, cursor }: PageRequest, { items, total, errors, next }: Page): Answer => {
  const links = pageLinks({
    path,
    query: [...new URLSearchParams(search)],
    page: { limit, offset, ...(cursor === undefined ? {} : { after: cursor }) },
    returned: items.length,
    total,
    ...(next === undefined ? {} : { nextCursor: next })
  })
  const nextMember = links.next === undefined ? "" : `"next":{"href":${JSON.stringify(links.next)}},`
  const errorsMember = errors === undefined ? "" : `,"errors":${JSON.stringify(errors)}`
  const body = `{"first":{"href":${JSON.stringify(links.first)}},${nextMember}"limit":${limit},"total_count":${total},"items":[${items.join(",")}]${errorsMember}}`
  return tagged(headers, body, tagOf(body), { link: [...link(links.first, "first"), ...link(links.next, "next"), ...link(links.prev, "prev")].join(", ") })
}

/** only the asked top-level members of a record, `resource.id` always */
export const onlyFields = (record: string, fields: ReadonlySet<string> | undefined): string => {
  if (fields === undefined) return record
  const { resource, ...rest } = JSON.parse(record) as { readonly resource: { readonly id: string }; readonly [member: string]: unknown }
  const kept = Object.entries(rest).filter(([name]) => fields.has(name))
  return JSON.stringify({ resource: fields.has("resource") ? resource : { id: resource.id }, ...Object.fromEntries(kept) })
}
