/** The known name that a misspelt one most likely meant. */

/** letters added, dropped, replaced, or swapped with their neighbour */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, position) => position)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/** spelling differences in case and separators count little: `providerId` is near `provider_id` */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const longest = 64

/** undefined when nothing is near: at most a third of the letters may differ */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longest) return undefined
  const wanted = folded(name)
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const other = folded(candidate)
    // names of lengths that differ so much can not be near
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue
    const steps = distance(wanted, other)
    if (steps < bestDistance) {
      best = candidate
      bestDistance = steps
    }
  }
  return best
}
