/**
 * Quantiles and tails of the beta, Student's t and the normal distribution, the former from the regularised incomplete beta function. Small enough to be ours: the
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

/** the probability that Student's t with these degrees of freedom (any number > 0) exceeds `t` */
export const tAbove = (t: number, degrees: number): number => {
  const beyond = betaProbability(degrees / 2, 0.5)(degrees / (degrees + t * t)) / 2
  return t >= 0 ? beyond : 1 - beyond
}

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)

/** the probability that a standard normal value exceeds `z`: a series in the middle (Marsaglia 2004), a continued fraction in the tail */
export const normalAbove = (z: number): number => {
  if (z < 0) return 1 - normalAbove(-z)
  if (z > 2.5) {
    let below = z
    for (let term = 200; term >= 1; term--) below = z + term / below
    return density(z) / below
  }
  let [sum, term] = [z, z]
  for (let odd = 3; Math.abs(term) > 1e-18; odd += 2) {
    term *= (z * z) / odd
    sum += term
  }
  return 0.5 - density(z) * sum
}

/** the z that a standard normal value does not exceed with this probability, between 0 and 1: Newton's steps from a first guess (Hastings 1955) */
export const normalQuantile = (probability: number): number => {
  if (probability < 0.5) return -normalQuantile(1 - probability)
  const above = 1 - probability
  const t = Math.sqrt(-2 * Math.log(above))
  let z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  for (let step = 0; step < 4; step++) z += (normalAbove(z) - above) / density(z)
  return z
}

/** the probability of at least `k` heads in `n` throws of a fair coin, exact also where it is tiny: summed from the largest term on, in logarithms */
export const headsAtLeast = (k: number, n: number): number => {
  if (k <= 0) return 1
  if (k > n) return 0
  if (2 * k <= n) return 1 - headsAtLeast(n - k + 1, n)
  let [sum, term] = [0, 1]
  for (let heads = k; heads <= n && term > sum * 1e-17; heads++) {
    sum += term
    term *= (n - heads) / (heads + 1)
  }
  const first = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) - n * Math.LN2
  return Math.min(1, Math.exp(first + Math.log(sum)))
}
