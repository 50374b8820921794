/**
 * A number for a JSON value, by which the witness tells questions and answers apart without keeping them. Half the time of a cryptographic hash, which would
 * have to be given the value as one text; nobody is hurt by a forged one, since it never leaves the process. Reference: validity.md, "What the gateway sees".
 */

/** two numbers of 32 bits, mixed apart from each other */
interface Lanes {
  one: number
  other: number
}

const start = (): Lanes => ({ one: 0x243f6a88, other: 0x13198a2e })

const turned = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by))

const mix = (lanes: Lanes, unit: number): void => {
  lanes.one = turned(Math.imul(lanes.one ^ unit, 0x9e3779b1), 15)
  lanes.other = turned(Math.imul(lanes.other ^ unit, 0x85ebca6b), 13)
}

/** two UTF-16 units at a time */
const mixText = (lanes: Lanes, text: string): void => {
  const { length } = text
  mix(lanes, length)
  for (let at = 0; at < length; at += 2) {
    const second = at + 1 < length ? text.charCodeAt(at + 1) : 0
    mix(lanes, text.charCodeAt(at) | (second << 16))
  }
}

/** every bit of the result hangs on every bit */
const finished = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

const kinds = { text: 1, list: 2, object: 3, other: 4 }

/** added up, since their order says nothing */
const mixMembers = (lanes: Lanes, object: object): void => {
  let one = 0
  let other = 0
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    const member = start()
    mixText(member, name)
    mixValue(member, value)
    one = (one + finished(member.one)) | 0
    other = (other + finished(member.other)) | 0
  }
  mix(lanes, one)
  mix(lanes, other)
}

const mixValue = (lanes: Lanes, value: unknown): void => {
  if (typeof value === "string") {
    mix(lanes, kinds.text)
    mixText(lanes, value)
  } else if (Array.isArray(value)) {
    mix(lanes, kinds.list)
    mix(lanes, value.length)
    for (const item of value) mixValue(lanes, item)
  } else if (typeof value === "object" && value !== null) {
    mix(lanes, kinds.object)
    mixMembers(lanes, value)
  } else {
    mix(lanes, kinds.other)
    mixText(lanes, String(value))
  }
}

/** an integer of 53 bits; the same for equal JSON values, whatever the order of their members; `undefined` members are left out */
export const valueHash = (value: unknown): number => {
  const lanes = start()
  mixValue(lanes, value)
  const other = finished(lanes.other)
  return (finished(lanes.one ^ other) >>> 0) * 2 ** 21 + (other >>> 11)
}
