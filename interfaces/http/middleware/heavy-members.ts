/**
 * Shortens what an event carries too much of, on its bytes and before anything is parsed. Losing a terminal event is worse than losing the
 * end of a list, so a member with too many values keeps its first ones.
 */

export interface Shortened {
  readonly bytes: Buffer
  /** names of the members that were shortened, as they are written */
  readonly names: ReadonlyArray<string>
}

const quote = 0x22
const backslash = 0x5c

/** depth of the members of the one object that the document wraps */
const memberDepth = 2

/** `keep`: commas and opening brackets that each member of the wrapped object may hold; a first entry that is larger is left out as well */
export const shortenMembers = (bytes: Buffer, keep: number): Shortened => {
  const pieces: Array<Uint8Array> = []
  const names: Array<string> = []
  let copied = 0
  let depth = 0
  let name = { start: 0, end: 0 }
  // of the member that is being read
  let values = 0
  let fitting = 0
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote: {
        const start = at + 1
        for (at = start; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
        if (depth === memberDepth) name = { start, end: at }
        break
      }
      case 0x2c:
        if (depth <= memberDepth) break
        values++
        if (depth === memberDepth + 1 && values <= keep) fitting = at
        break
      case 0x7b:
      case 0x5b:
        depth++
        if (depth === memberDepth + 1) {
          values = 0
          fitting = at + 1
        } else if (depth > memberDepth + 1) values++
        break
      case 0x7d:
      case 0x5d:
        if (depth === memberDepth + 1 && values > keep) {
          pieces.push(bytes.subarray(copied, fitting))
          copied = at
          names.push(bytes.toString("utf8", name.start, Math.min(name.end, name.start + 256)))
        }
        depth--
    }
  }
  pieces.push(bytes.subarray(copied))
  return { bytes: names.length === 0 ? bytes : Buffer.concat(pieces), names }
}
