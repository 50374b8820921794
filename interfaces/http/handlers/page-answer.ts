/** A page of stored texts as the list envelope, with links and an entity tag. Reference: api.md, "Lists". */
import { Stream } from "effect"
import { LRUCache } from "lru-cache"
import { pageLinks } from "../../../domain/paging.ts"
import { defined } from "../../../values/defined.ts"
import type { Answer, Exchange } from "../exchange.ts"
import { tagged, tagOf, tagOfParts } from "../middleware/conditional.ts"

export interface Page {
  readonly items: ReadonlyArray<string>
  readonly total: number
  /** undefined: this list does not report unreadable records */
  readonly errors: ReadonlyArray<string> | undefined
  /** how often which values occur, as it is answered */
  readonly facets?: string
  /** cursor after the last item, when more exist */
  readonly next?: string
  /** places of the list that the page takes, where records may be left out of it; default as many as there are items */
  readonly taken?: number
}

export interface PageRequest {
  readonly limit: number
  readonly offset: number
  /** present in a cursor query, empty on its first page */
  readonly cursor?: ReadonlyArray<string> | undefined
}

const link = (href: string | undefined, rel: string): ReadonlyArray<string> =>
  href === undefined ? [] : [`<${href}>; rel="${rel}"`]

interface Envelope {
  /** before and after the items */
  readonly head: string
  readonly tail: string
  readonly links: string
}

const envelope = (
  { path, search }: Exchange,
  { limit, offset, cursor }: PageRequest,
  { items, total, errors, facets, next, taken = items.length }: Page
): Envelope => {
  const links = pageLinks({
    path,
    query: [...new URLSearchParams(search)],
    page: { limit, offset, ...defined({ after: cursor }) },
    returned: taken,
    total,
    ...defined({ nextCursor: next })
  })
  const nextMember = links.next === undefined ? "" : `"next":{"href":${JSON.stringify(links.next)}},`
  const errorsMember = errors === undefined ? "" : `,"errors":${JSON.stringify(errors)}`
  const facetsMember = facets === undefined ? "" : `,"facets":${facets}`
  const head = `{"first":{"href":${JSON.stringify(links.first)}},${nextMember}"limit":${limit},"total_count":${total},"items":[`
  return {
    head,
    tail: `]${errorsMember}${facetsMember}}`,
    links: [...link(links.first, "first"), ...link(links.next, "next"), ...link(links.prev, "prev")].join(", ")
  }
}

const textOf = ({ head, tail }: Envelope, items: ReadonlyArray<string>): string => `${head}${items.join(",")}${tail}`

/** characters of a page that is sent at once, and of a piece of a larger one */
const [atOnce, piece] = [512 * 1024, 64 * 1024]

const encoder = new TextEncoder()

/** the page's text in pieces, each as long as `piece` or as one record, so that a reader that is slow holds no second copy of the page */
const pieces = function* ({ head, tail }: Envelope, items: ReadonlyArray<string>): Generator<string> {
  let text = head
  for (const [position, item] of items.entries()) {
    text += position === 0 ? item : `,${item}`
    if (text.length < piece) continue
    yield text
    text = ""
  }
  yield text + tail
}

const streamed = (envelope: Envelope, items: ReadonlyArray<string>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() =>
    Stream.map(Stream.fromIterable({ [Symbol.iterator]: () => pieces(envelope, items) }), (text) =>
      encoder.encode(text)
    )
  ).pipe(Stream.rechunk(1))

const isLarge = ({ items }: Page): boolean => items.reduce((sum, { length }) => sum + length, 0) > atOnce

/** a large page goes out as fast as it is read */
export const pageAnswer = (exchange: Exchange, request: PageRequest, page: Page): Answer<never> => {
  const made = envelope(exchange, request, page)
  const text = isLarge(page) ? undefined : textOf(made, page.items)
  const etag = text === undefined ? tagOfParts(pieces(made, page.items)) : tagOf(text)
  return tagged(exchange.headers, text ?? streamed(made, page.items), etag, { link: made.links })
}

interface Kept {
  readonly page: Page
  readonly bytes: Uint8Array
  readonly etag: string
  readonly links: string
}

/** pages kept, each distinct query is one, and their bytes together */
const [maxKept, maxKeptBytes] = [64, 16 * 1024 * 1024]

const sameTexts = (a: ReadonlyArray<string> | undefined, b: ReadonlyArray<string> | undefined): boolean =>
  a?.length === b?.length && (a ?? []).every((text, at) => text === b?.[at])

const same = (a: Page, b: Page): boolean =>
  a.total === b.total &&
  a.next === b.next &&
  a.facets === b.facets &&
  sameTexts(a.items, b.items) &&
  sameTexts(a.errors, b.errors)

/**
 * Like `pageAnswer`, for lists whose texts seldom change: the bytes and their tag of a page that is not large are made once per query and content. Unchanged texts are
 * the same strings in memory, so that comparing them costs next to nothing.
 */
export const keptPages = () => {
  const kept = new LRUCache<string, Kept>({
    max: maxKept,
    maxSize: maxKeptBytes,
    sizeCalculation: ({ bytes }) => bytes.length
  })
  return (exchange: Exchange, request: PageRequest, page: Page): Answer<never> => {
    const before = kept.get(exchange.search)
    if (before !== undefined && same(before.page, page))
      return tagged(exchange.headers, before.bytes, before.etag, { link: before.links })
    if (isLarge(page)) return pageAnswer(exchange, request, page)
    const parts = envelope(exchange, request, page)
    const { links } = parts
    const body = textOf(parts, page.items)
    const made: Kept = { page, bytes: Buffer.from(body), etag: tagOf(body), links }
    kept.set(exchange.search, made)
    return tagged(exchange.headers, made.bytes, made.etag, { link: links })
  }
}

/** only the asked top-level members of a record, `resource.id` always */
export const onlyFields = (record: string, fields: ReadonlySet<string> | undefined): string => {
  if (fields === undefined) return record
  const { resource, ...rest } = JSON.parse(record) as {
    readonly resource: { readonly id: string }
    readonly [member: string]: unknown
  }
  const kept = Object.entries(rest).filter(([name]) => fields.has(name))
  return JSON.stringify({
    resource: fields.has("resource") ? resource : { id: resource.id },
    ...Object.fromEntries(kept)
  })
}
