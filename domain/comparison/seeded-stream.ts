/** Random bits that are the same on every machine, so that a comparison made again gives the same figures. */

/** sfc32 (Doty-Humphrey 2010), warmed up: words of 32 bits, always the same ones */
export const seededStream = (): (() => number) => {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
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
