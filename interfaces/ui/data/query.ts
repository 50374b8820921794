/** What the address of a screen says after its path. */
import { useLocation } from "preact-iso/router"

export const useQuery = (): URLSearchParams => new URL(useLocation().url, location.href).searchParams

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
