/** Chance that is the same for the same seed. */
import { Effect, Random } from "effect"

export interface Dice {
  /** a whole number, both ends included */
  readonly between: (minimum: number, maximum: number) => number
  readonly oneOf: <A>(values: ReadonlyArray<A>) => A
  /** dice of their own for work at the same moment, so that its timing does not change what others throw */
  readonly split: () => Dice
}

export const seededDice = (seed: number): Dice => {
  const random = Random.make(`dice ${seed}`)
  const between = (minimum: number, maximum: number) => Effect.runSync(random.nextIntBetween(minimum, maximum + 1))
  return {
    between,
    oneOf: (values) => {
      const value = values[between(0, values.length - 1)]
      if (value === undefined) throw new Error("nothing to choose from")
      return value
    },
    split: () => seededDice(between(0, 2 ** 30))
  }
}
