/** Members that are there only when they have a value, for types whose optional members are absent rather than `undefined`. */

type Defined<A> = { [Name in keyof A as undefined extends A[Name] ? never : Name]: A[Name] } & {
  [Name in keyof A as undefined extends A[Name] ? Name : never]?: Exclude<A[Name], undefined>
}

/** the members without those that are `undefined`, in their order; `null` and empty texts stay */
export const defined = <A extends object>(members: A): Defined<A> => {
  const kept: { [name: string]: unknown } = {}
  // no pairs are made: this runs for every benchmark of every job
  for (const name in members) {
    const value = members[name]
    if (value !== undefined) kept[name] = value
  }
  // what was left out is what the type lets be absent
  return kept as Defined<A>
}
