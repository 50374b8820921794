/** Whether an endpoint that names another model than was asked means the same one. Reference: validity.md, "Flags". */

const suffix = /[-_@:](20\d{2}-?\d{2}-?\d{2}|\d{3,4}|v\d+(\.\d+)*|latest|preview|stable)$/

/** lower case, without organisation, date or version */
const plain = (name: string): string => {
  let text = name.toLowerCase().split("/").at(-1) ?? ""
  for (let shorter = text.replace(suffix, ""); shorter !== text && shorter !== ""; shorter = text.replace(suffix, ""))
    text = shorter
  return text
}

export const isAlias = (asked: string, served: string): boolean =>
  asked === served || (asked !== "" && plain(asked) === plain(served))
