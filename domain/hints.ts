/** What was most likely meant by the name of something that does not exist. */
import { nearest } from "../values/nearest.ts"

/** something that is named by its id, and that people know by its name */
export interface Named {
  readonly id: string
  readonly name: string
}

/** searches of one check: more hints than these help nobody, and each one costs */
const mostSearches = 5
/** definitions looked at in one search */
const mostKnown = 1000

/**
 * Finds what was most likely meant, a few times; then it finds nothing. `known` is asked only when it is searched. The answer continues
 * a sentence that ends with "does not exist".
 */
export const makeHints = () => {
  let left = mostSearches
  return (name: string, known: () => ReadonlyArray<Named>): string => {
    if (left === 0) return ""
    left -= 1
    const all = known().slice(0, mostKnown)
    const text = nearest(
      name,
      all.flatMap((one) => (one.id === one.name ? [one.id] : [one.id, one.name]))
    )
    const found =
      text === undefined ? undefined : (all.find(({ id }) => id === text) ?? all.find((one) => one.name === text))
    if (found === undefined) return ""
    return `, did you mean '${found.id}'${found.id === text ? "" : ` (${found.name})`}?`
  }
}

export type Hints = ReturnType<typeof makeHints>
