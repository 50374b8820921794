/** Equality of values that came from JSON. */
import { isObject } from "../../../values/json.ts"

/** member order does not matter, 1 and 1.0 are one number */
export const jsonEqual = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]))
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left)
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && jsonEqual(left[name], right[name]))
    )
  }
  return left === right
}
