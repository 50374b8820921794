/** Pages of lists: limit and offset, opaque keyset cursors, and the links between pages. Reference: api.md, "Lists". */
import { Either, Encoding } from "effect"
import { parseJson } from "../values/json.ts"
import { shown, type Violation, violation } from "./violation.ts"

const defaultLimit = 50
const maxLimit = 100
/** beyond it a database could not count */
const maxOffset = Number.MAX_SAFE_INTEGER
const maxCursor = 1024

export interface PageRequest {
  /** 1..100 */
  readonly limit: number
  /** ≥ 0; 0 with a cursor */
  readonly offset: number
  /** sort keys of the last item of the page before */
  readonly after?: ReadonlyArray<string>
}

const invalid = (message: string): Violation => violation([], message, "query_parameter_invalid")

const integer = (
  name: string,
  text: string | undefined,
  fallback: number,
  min: number,
  max: number
): Either.Either<number, Violation> => {
  if (text === undefined) return Either.right(fallback)
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return Either.right(value)
  const range = max === maxOffset ? `of at least ${min}` : `from ${min} to ${max}`
  return Either.left(invalid(`query parameter '${name}' is ${shown(text)}, but must be a whole number ${range}`))
}

/** an opaque text for the sort keys of an item; URL-safe */
export const encodeCursor = (keys: ReadonlyArray<string>): string =>
  Encoding.encodeBase64Url(JSON.stringify(["1", ...keys]))

/** the sort keys again; anything that this server did not make is refused */
export const decodeCursor = (text: string, keys: number): Either.Either<ReadonlyArray<string>, Violation> => {
  const refused = invalid("query parameter 'cursor' is not one that this server gave; start again without it")
  const decoded = Encoding.decodeBase64UrlString(text.slice(0, maxCursor))
  if (text.length > maxCursor || Either.isLeft(decoded)) return Either.left(refused)
  const parts = parseJson(decoded.right)
  if (!Array.isArray(parts)) return Either.left(refused)
  const [version, ...values] = parts as ReadonlyArray<unknown>
  const texts = values.filter((value): value is string => typeof value === "string")
  return version === "1" && texts.length === keys && values.length === keys ? Either.right(texts) : Either.left(refused)
}

/** reads `limit`, `offset` and `cursor`; all problems at once. `keys`: how many sort keys a cursor of this list holds */
export const readPage = (
  query: {
    readonly limit?: string | undefined
    readonly offset?: string | undefined
    readonly cursor?: string | undefined
  },
  keys: number
): Either.Either<PageRequest, ReadonlyArray<Violation>> => {
  const limit = integer("limit", query.limit, defaultLimit, 1, maxLimit)
  const offset = integer("offset", query.offset, 0, 0, maxOffset)
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, keys)
  const problems: Array<Violation> = []
  for (const read of [limit, offset]) if (Either.isLeft(read)) problems.push(read.left)
  if (after !== undefined && Either.isLeft(after)) problems.push(after.left)
  if (query.cursor !== undefined && query.offset !== undefined)
    problems.push(invalid("query parameters 'cursor' and 'offset' exclude each other; give one of them"))
  if (problems.length > 0 || Either.isLeft(limit) || Either.isLeft(offset)) return Either.left(problems)
  return Either.right({
    limit: limit.right,
    offset: offset.right,
    ...(after !== undefined && Either.isRight(after) ? { after: after.right } : {})
  })
}

/** the bytes of its records that a page holds at most, unless it holds a single one */
export const maxPageBytes = 8 * 1024 * 1024

/** of items with these sizes, in order, how many a page holds: as many as fit into so many bytes, and at least one, so that every list comes to its end */
export const itemsOfPage = (sizes: ReadonlyArray<number>, most = maxPageBytes): number => {
  let room = most
  const fitting = sizes.findIndex((size) => {
    room -= size
    return room < 0
  })
  return fitting === -1 ? sizes.length : Math.max(1, fitting)
}

export interface PageLinks {
  readonly first: string
  readonly next?: string
  readonly prev?: string
}

/**
 * References of a page. `path`: what precedes `?`; `query`: all parameters of the request, in order; `returned`: places of the list that
 * this page takes, those of records that cannot be shown included.
 * The first page is the same query with offset 0; `next` exists only when more items do, and a cursor query goes on with a cursor.
 */
export const pageLinks = (input: {
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly page: PageRequest
  readonly returned: number
  readonly total: number
  /** cursor after the last item, when more exist */
  readonly nextCursor?: string
}): PageLinks => {
  const { page, query, path } = input
  const kept = query.filter(([name]) => name !== "offset" && name !== "cursor" && name !== "limit")
  const href = (position: readonly [name: string, value: string]) => {
    const text = new URLSearchParams()
    for (const [name, value] of [...kept, ["limit", String(page.limit)] as const, position]) text.append(name, value)
    return `${path}?${text.toString()}`
  }
  const byCursor = page.after !== undefined
  const end = page.offset + input.returned
  const more = byCursor ? input.nextCursor !== undefined : input.returned > 0 && end < input.total
  const next =
    byCursor && input.nextCursor !== undefined ? href(["cursor", input.nextCursor]) : href(["offset", String(end)])
  return {
    first: href(["offset", "0"]),
    ...(more ? { next } : {}),
    ...(!byCursor && page.offset > 0 ? { prev: href(["offset", String(Math.max(0, page.offset - page.limit))]) } : {})
  }
}
