/** The small fast counter generator of Doty-Humphrey 2010: the same numbers from the same state on every machine. Never used for secrets. */

/** words of 32 bits from 96 bits of state, warmed up by twelve rounds */
export const sfc32 = (first: number, second: number, third: number): (() => number) => {
  let [a, b, c, counter] = [first, second, third, 1]
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return t >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  return next
}
