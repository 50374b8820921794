/**
 * Quantiles of the beta and of Student's t distribution, from the regularised incomplete beta function. Small enough to be ours: the
 * packages that offer them bring hundreds of others. Agree with scipy to nine digits. Reference: states-and-scores.md, "Intervals and bounds".
 */

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
]

/** ln Γ(x) for x > 0, by Lanczos' approximation (g = 7) */
const logGamma = (x: number): number => {
  const series = lanczos.reduce((sum, coefficient, at) => sum + coefficient / (x + at), 0.99999999999980993)
  const t = x + 6.5
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t + Math.log(series)
}

const tiny = 1e-300
const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
const maxTerms = 100_000

/** the continued fraction of the incomplete beta function, by Lentz' method; converges quickly for x < (a + 1) / (a + b + 2) */
const fraction = (x: number, a: number, b: number): number => {
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m <= maxTerms; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return value
}

/** I_x(a, b) as a function of x, for a, b > 0: the distribution function of Beta(a, b) */
const betaProbability = (a: number, b: number): ((x: number) => number) => {
  const constant = logGamma(a + b) - logGamma(a) - logGamma(b)
  return (x) => {
    if (x <= 0) return 0
    if (x >= 1) return 1
    const front = Math.exp(constant + a * Math.log(x) + b * Math.log1p(-x))
    return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
  }
}

/** the x for which Beta(a, b) is at most x with this probability; a, b > 0 */
export const betaQuantile = (probability: number, a: number, b: number): number => {
  const below = betaProbability(a, b)
  let [low, high] = [0, 1]
  // halving 0..1 reaches neighbouring doubles in at most 1,075 steps, and a hundred give 30 digits of what is not tiny
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) break
    if (below(middle) < probability) low = middle
    else high = middle
    if (high - low <= 1e-16 * high) break
  }
  return (low + high) / 2
}

/** the probability that of `n` independent trials of this chance at most `k` succeed; 0 <= k <= n */
export const binomialAtMost = (k: number, n: number, chance: number): number =>
  k >= n ? 1 : 1 - betaProbability(k + 1, n - k)(chance)

/** the t that Student's distribution with these degrees of freedom (any number > 0) does not exceed with this probability, 0.5 to 1 */
export const tQuantile = (probability: number, degrees: number): number => {
  const share = betaQuantile(2 * probability - 1, 0.5, degrees / 2)
  return Math.sqrt((degrees * share) / (1 - share))
}
