/** All orders of a few things. */
export const permutations = <A>(values: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  values.length <= 1
    ? [values]
    : values.flatMap((first, index) =>
        permutations(values.filter((_, other) => other !== index)).map((rest) => [first, ...rest])
      )
