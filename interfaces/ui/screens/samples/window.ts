/** Of a list with rows of one height those that are seen, and a few around them. */

/** pixels of a row, as style.css has it */
export const rowHeight = 56

/** drawn beyond what is seen, on each side */
const spare = 8

/** more would be higher than an element can be in every browser */
export const mostRows = 300_000

/** first row, and the one behind the last; `top`: pixels above what is seen; `height`: pixels that are seen */
export const windowOf = (top: number, height: number, count: number): readonly [from: number, to: number] => {
  const from = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - spare)
  return [from, Math.min(count, Math.ceil((top + height) / rowHeight) + spare)]
}

/** where the list has to be so that a row is seen, moved no further than needed */
export const topToShow = (row: number, top: number, height: number): number => {
  const begin = row * rowHeight
  if (begin < top) return begin
  return begin + rowHeight > top + height ? begin + rowHeight - height : top
}
