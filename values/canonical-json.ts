/** One text per JSON value: sorted member names, no spaces. Digests of events and prompts are made over it. Reference: adapter-contract.md, "Events", "Sample records". */

/** `undefined` members are left out, as `JSON.stringify` does; numbers are written as JavaScript writes them */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  let text = ""
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item)}`
    return `[${text}]`
  }
  // the order of UTF-16 units, which is how texts compare
  for (const name of Object.keys(value).sort()) {
    const member = (value as { readonly [name: string]: unknown })[name]
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
