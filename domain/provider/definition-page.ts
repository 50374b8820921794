/** Lists of providers and collections: built-ins first, then by name and id; pages by offset or by cursor. Reference: api.md, "Lists". */
import type { PageRequest } from "../paging.ts"
import { encodeCursor, itemsOfPage } from "../paging.ts"
import type { RecordOrigin } from "./provider.ts"

export const scopes = ["system", "tenant"] as const
export type Scope = (typeof scopes)[number]

interface Listed extends RecordOrigin {
  readonly id: string
  readonly name: string
}

/** sort keys in a cursor: scope, name, id */
export const definitionCursorKeys = 3

const keysOf = (record: Listed): ReadonlyArray<string> => [record.scope, record.name, record.id]

const compareKeys = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  for (const [position, key] of a.entries()) {
    const other = b[position] ?? ""
    if (key !== other) return key < other ? -1 : 1
  }
  return 0
}

/** system ones first, then by name and id */
export const inListOrder = <R extends Listed>(records: ReadonlyArray<R>): ReadonlyArray<R> =>
  records.toSorted((a, b) => compareKeys(keysOf(a), keysOf(b)))

export interface DefinitionPage {
  /** as they were rendered */
  readonly items: ReadonlyArray<string>
  readonly total: number
  /** cursor after the last item; present when more exist */
  readonly next?: string
}

/** the page of those records that match, in list order: as many as were asked for and as a page may hold in bytes */
export const definitionPage = <R extends Listed>(
  records: ReadonlyArray<R>,
  matches: (record: R) => boolean,
  page: PageRequest,
  render: (record: R) => string
): DefinitionPage => {
  const kept = inListOrder(records.filter(matches))
  const { after } = page
  const rest =
    after === undefined ? kept.slice(page.offset) : kept.filter((record) => compareKeys(keysOf(record), after) > 0)
  const asked = rest.slice(0, page.limit).map(render)
  const items = asked.slice(0, itemsOfPage(asked.map(({ length }) => length)))
  const last = rest[items.length - 1]
  return {
    items,
    total: kept.length,
    ...(last !== undefined && rest.length > items.length ? { next: encodeCursor(keysOf(last)) } : {})
  }
}
