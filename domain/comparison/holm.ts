/** p values of several tests together, corrected so that one of them is wrong with at most the stated chance (Holm 1979). */

/** each with its correction, which may exceed one; `undefined` for what was not tested. Also of p values as shares of their own levels. */
export const holmRatios = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number | undefined> => {
  const order = values.flatMap((p, at) => (p === undefined ? [] : [{ p, at }])).sort((one, other) => one.p - other.p)
  const adjusted: Array<number | undefined> = values.map(() => undefined)
  let least = 0
  for (const [rank, { p, at }] of order.entries()) {
    least = Math.max(least, (order.length - rank) * p)
    adjusted[at] = least
  }
  return adjusted
}

/** corrected p values in the order of the given */
export const holm = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number | undefined> =>
  holmRatios(values).map((p) => (p === undefined ? undefined : Math.min(1, p)))
