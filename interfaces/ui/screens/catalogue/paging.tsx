/** The way to the other pages of a list that is counted from its beginning. */
import { useLocation } from "preact-iso/router"

export interface Counted {
  readonly limit: number
  readonly total_count: number
}

/** the number of items before the page that the address names */
export const offsetOf = (query: URLSearchParams): number => {
  const offset = Number(query.get("offset") ?? "0")
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0
}

export const Paging = ({
  page: { limit, total_count: total },
  query
}: {
  readonly page: Counted
  readonly query: URLSearchParams
}) => {
  const { path } = useLocation()
  const offset = offsetOf(query)
  const address = (to: number) => {
    const next = new URLSearchParams(query)
    next.delete("offset")
    if (to > 0) next.set("offset", String(to))
    const search = next.toString()
    return search === "" ? path : `${path}?${search}`
  }
  if (total <= limit && offset === 0) return null
  return (
    <nav class="pages" aria-label="Pages of the list">
      {offset > 0 && <a href={address(Math.max(0, offset - limit))}>Previous</a>}
      {offset + limit < total && <a href={address(offset + limit)}>Next</a>}
    </nav>
  )
}
