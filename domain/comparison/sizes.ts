/** How small a difference a number of items can show, and how many items a difference needs: with a chance of 80 % to see it. Reference: comparison-and-gates.md, "Items needed". */
import { normalQuantile } from "../../values/distributions.ts"

const power = 0.8

/** what is known of the spread of the differences */
export interface Spread {
  readonly n: number
  /** of one difference */
  readonly variance: number
  /** how many times the squared error is what it were without clusters */
  readonly inflation: number
}

/** on items that were tested one-sidedly at `alpha` */
const reach = (alpha: number): number => normalQuantile(1 - alpha) + normalQuantile(power)

export const detectable = ({ n, variance, inflation }: Spread, alpha: number): number =>
  reach(alpha) * Math.sqrt((variance * inflation) / n)

/** undefined where no number of items is enough */
export const itemsNeeded = ({ variance, inflation }: Spread, alpha: number, distance: number): number | undefined =>
  distance > 0 ? Math.ceil((reach(alpha) ** 2 * variance * inflation) / distance ** 2) : undefined
