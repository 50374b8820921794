/** Times as adapters write them: RFC 3339 with any number of fraction digits; without a zone they are UTC. Reference: adapter-contract.md, "Events". */

const shape = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?$/

/** whether a time that can be read says which zone it is in */
export const hasZone = (text: string): boolean => /([Zz]|[+-]\d{2}:?\d{2})$/.test(text.trim())

/** ISO 8601 UTC with milliseconds (further digits are cut), or undefined when the text is no time */
export const readWireTime = (text: string): string | undefined => {
  const found = shape.exec(text.trim())
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = "", , sign, offsetHours = "0", offsetMinutes = "0"] =
    found
  const millis = Number(fraction.slice(0, 3).padEnd(3, "0"))
  const leap = second === "60"
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    leap ? 59 : Number(second),
    leap ? 999 : millis
  )
  const inRange =
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60 &&
    Number(offsetHours) < 24 &&
    Number(offsetMinutes) < 60
  // Date.UTC accepts 31 February, and reads years below 100 as 19xx
  const written = new Date(local).toISOString()
  if (!inRange || !written.startsWith(`${year}-${month}-${day}T`)) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  const utc = sign === undefined ? local : sign === "+" ? local - offset : local + offset
  const iso = new Date(utc).toISOString()
  return iso.length === 24 ? iso : undefined
}
