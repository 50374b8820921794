/**
 * Rules for texts that people give: names, tags, descriptions, and any string at all. Lengths count characters (code points), not
 * bytes. Reference: api.md, "Bodies".
 */
import { given, type Path } from "./path.ts"
import { member, say } from "./sentence.ts"
import { shown, type Violation, violation } from "./violation.ts"

const unpaired = /\p{Surrogate}/u
// C0 and C1 controls, DEL, and the characters that override the direction of the text around them
const disguising = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const maxProblems = 50

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** code points; a lone surrogate counts as one */
export const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** bytes of the text in UTF-8 */
export const utf8Length = (text: string): number => {
  let bytes = 0
  for (let position = 0; position < text.length; position += 1) {
    const unit = text.charCodeAt(position)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && position + 1 < text.length) {
      bytes += 4
      position += 1
    } else bytes += 3
  }
  return bytes
}

/** what no string may hold, wherever it stands: NUL (databases refuse it) and lone surrogates (no UTF-8 form) */
const unstorable = (text: string): string | undefined => {
  if (text.includes("\0")) return "contains the character NUL (U+0000); remove it"
  return unpaired.test(text) ? "contains half of a surrogate pair, which is no character; remove it" : undefined
}

/** where a value stands; made a path only when there is something to tell, because most values are fine */
interface Place {
  readonly above: Place | undefined
  readonly name: string | number
}

const pathTo = (root: Path, place: Place | undefined): Path => {
  const steps: Array<Path[number]> = []
  for (let at = place; at !== undefined; at = at.above)
    steps.push(typeof at.name === "number" ? at.name : given(at.name))
  return [...root, ...steps.reverse()]
}

/**
 * Every string below `value`, member names included, at its path. Free-form objects are looked through completely, without
 * recursion, so that no nesting depth is a problem. At most 50 problems are collected.
 */
export const checkStrings = (value: unknown, path: Path): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const open: Array<readonly [value: unknown, place: Place | undefined]> = [[value, undefined]]
  for (let next = open.pop(); next !== undefined && found.length < maxProblems; next = open.pop()) {
    const [current, place] = next
    if (typeof current === "string") {
      const problem = unstorable(current)
      if (problem !== undefined) {
        const at = pathTo(path, place)
        found.push(violation(at, say`${member(at)} ${shown(current)} ${problem}`))
      }
    } else if (Array.isArray(current)) {
      for (let index = current.length - 1; index >= 0; index -= 1)
        if (isWorthALook(current[index])) open.push([current[index], { above: place, name: index }])
    } else if (typeof current === "object" && current !== null) {
      const members = current as { readonly [name: string]: unknown }
      const names = Object.keys(members)
      for (let index = names.length - 1; index >= 0 && found.length < maxProblems; index -= 1) {
        const name = names[index] ?? ""
        const problem = unstorable(name)
        if (problem !== undefined) {
          const at = pathTo(path, place)
          found.push(violation(at, say`${member(at)} has a member name ${shown(name)} that ${problem}`))
        } else if (isWorthALook(members[name])) open.push([members[name], { above: place, name }])
      }
    }
  }
  return found
}

/** numbers, booleans and null hold no text */
const isWorthALook = (value: unknown): boolean => typeof value === "string" || typeof value === "object"

/** a text of at most `max` characters that may span lines: descriptions, messages */
export const checkText = (text: string, path: Path, max: number): ReadonlyArray<Violation> => {
  // a character is one or two units: what is far too long need not be counted to the end
  const length = text.length > max && text.length <= 2 * max ? lengthOf(text) : text.length
  if (length > max) return [violation(path, say`${member(path)} has ${length} characters; at most ${max} are allowed`)]
  return checkStrings(text, path)
}

/** a name of 1 to `max` characters on one line; `text` is judged as it is stored, that is trimmed */
export const checkName = (text: string, path: Path, max: number): ReadonlyArray<Violation> => {
  const name = text.trim()
  if (name === "") return [violation(path, say`${member(path)} must not be blank; give 1 to ${max} characters`)]
  const long = checkText(name, path, max)
  if (long.length > 0) return long
  const character = disguising.exec(name)?.[0]
  return character === undefined
    ? []
    : [
        violation(
          path,
          say`${member(path)} ${shown(name)} contains a control or text-direction character (${codeOf(character)}); remove it`
        )
      ]
}

const maxTags = 50
const maxTagLength = 128

/** at most 50 tags of 1 to 128 characters; `,` and `|` are operators of the tag filter */
export const checkTags = (tags: ReadonlyArray<string>, path: Path): ReadonlyArray<Violation> => {
  const many =
    tags.length > maxTags
      ? [violation(path, say`${member(path)} has ${tags.length} tags; at most ${maxTags} are allowed`)]
      : []
  const each = tags.slice(0, maxTags).flatMap((tag, index) => {
    const at: Path = [...path, index]
    const operator = /[,|]/.test(tag)
      ? [violation(at, say`${member(at)} ${shown(tag)} must not contain ',' or '|', which separate tags in a filter`)]
      : []
    return [...checkName(tag, at, maxTagLength), ...operator]
  })
  return [...many, ...each]
}

/** a list of texts that only have to be storable and of a sane length */
export const checkTexts = (texts: ReadonlyArray<string>, path: Path, max: number): ReadonlyArray<Violation> =>
  texts.flatMap((text, index) => checkText(text, [...path, index], max)).slice(0, maxProblems)
