/**
 * Objects as they go out: members without a value are left out, and so are empty texts and empty objects, because existing clients
 * raise on them (api.md, "Answers"). Arrays stay as they are.
 */

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0)

/** the members that have a value, in the order given */
export const present = (members: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } => {
  const kept: { [member: string]: unknown } = {}
  for (const member in members) {
    const value = members[member]
    if (!isEmpty(value)) kept[member] = value
  }
  return kept
}

/** `"a":1,"b":2`: the inside of an object's text, to be joined with other parts; empty when nothing has a value */
export const inside = (members: { readonly [member: string]: unknown }): string =>
  JSON.stringify(present(members)).slice(1, -1)
