/** The part of JSONPath that scripts use: `.a.b`, `['a']`, `[0]`, `[-1]`, `[*]`, in braces or not, from `$` or not. */
import { exits, Stop } from "./exit.ts"

const step = /^(?:\.?\[\*\]|\.\*|\.([A-Za-z_][\w-]*)|\.?\['([^']*)'\]|\.?\[(-?\d+)\])/

const childrenOf = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value) : []

const member = (value: unknown, name: string): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? [(value as { readonly [name: string]: unknown })[name]]
    : []

/** every value that the expression finds, in order */
export const jsonPath = (root: unknown, expression: string): ReadonlyArray<unknown> => {
  let rest = expression.replace(/^\{(.*)\}$/s, "$1").replace(/^\$/, "")
  if (rest !== "" && !/^[.[]/.test(rest)) rest = `.${rest}`
  let found: ReadonlyArray<unknown> = [root]
  while (rest !== "" && rest !== ".") {
    const match = step.exec(rest)
    if (match === null)
      throw new Stop(exits.usage, `jsonpath: '${rest}' is not understood; known are .a, ['a'], [0], [-1] and [*]`)
    const [all, name, quoted, index] = match
    rest = rest.slice(all.length)
    const key = name ?? quoted
    if (key !== undefined) found = found.flatMap((value) => member(value, key))
    else if (index !== undefined)
      found = found.flatMap((value) => (Array.isArray(value) ? value.slice(Number(index)).slice(0, 1) : []))
    else found = found.flatMap(childrenOf)
  }
  return found
}
