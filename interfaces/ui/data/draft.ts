/** The body of a request while somebody fills it in: members are named by JSON pointers, as the problems of its answer are. */
import { isObject } from "../../../values/json.ts"

const membersOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"))

/** a member's name within a pointer */
export const pointed = (member: string): string => member.replaceAll("~", "~0").replaceAll("/", "~1")

export const valueAt = (draft: unknown, pointer: string): unknown =>
  membersOf(pointer).reduce<unknown>(
    (value, member) =>
      Array.isArray(value)
        ? value[Number(member)]
        : isObject(value) && Object.hasOwn(value, member)
          ? value[member]
          : undefined,
    draft
  )

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const replaced = (draft: unknown, [member, ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  if (member === undefined) return value
  if (Array.isArray(draft)) return draft.map((item, at) => (at === Number(member) ? replaced(item, rest, value) : item))
  const before = isObject(draft) ? draft : {}
  const next = replaced(Object.hasOwn(before, member) ? before[member] : undefined, rest, value)
  const { [member]: _, ...others } = before
  return next === undefined || isEmptyObject(next) ? others : { ...before, [member]: next }
}

/** `undefined` takes the member away, and what is empty without it; items of lists are replaced only */
export const withValue = <Draft extends object>(draft: Draft, pointer: string, value: unknown): Draft =>
  // what a member must be is the server's to judge, at its field
  replaced(draft, membersOf(pointer), value) as Draft
