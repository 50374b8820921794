/** What the address of a screen says after its path. */
import { useLocation } from "preact-iso/router"

// a page within a frame may have an address of its own that nothing is relative to
export const useQuery = (): URLSearchParams => new URL(useLocation().url, "http://page").searchParams

/** those of the members that are there and not empty */
export const givenIn = <Name extends string>(
  query: URLSearchParams,
  names: ReadonlyArray<Name>
): { readonly [N in Name]?: string } => {
  const given: { [N in Name]?: string } = {}
  for (const name of names) {
    const value = query.get(name)
    if (value) given[name] = value
  }
  return given
}
