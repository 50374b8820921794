/** Seeded randomness: the same parts give the same numbers on every machine and version. Never used for secrets. */

import { sfc32 } from "../../values/sfc32.ts"

export interface SeededRandom {
  /** uniform in [0, 1) */
  readonly next: () => number
  /** uniform integer, both ends included */
  readonly int: (min: number, max: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly shuffle: <A>(values: ReadonlyArray<A>) => ReadonlyArray<A>
  /** `count` different members in random order; all of them when there are fewer */
  readonly sample: <A>(values: ReadonlyArray<A>, count: number) => ReadonlyArray<A>
}

/** FNV-1a over UTF-16 code units with an avalanche at the end, so that neighbouring seeds give unrelated streams */
const hash = (text: string, basis: number): number => {
  let value = basis >>> 0
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 16777619)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

const stream = (text: string): (() => number) => {
  const word = sfc32(hash(text, 2166136261), hash(text, 0x9e3779b9), hash(text, 0x243f6a88))
  return () => word() / 4294967296
}

/** a generator whose stream is decided by the parts alone, e.g. `seededRandom("arith_basic", 1, seed, "easy", index)` */
export const seededRandom = (...parts: ReadonlyArray<string | number>): SeededRandom => {
  const next = stream(JSON.stringify(parts))
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const sample = <A>(values: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
    const rest = [...values]
    const taken: Array<A> = []
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(int(0, rest.length - 1), 1))
    return taken
  }
  return {
    next,
    int,
    pick: <A>(values: ReadonlyArray<A>): A => {
      if (values.length === 0) throw new RangeError("pick needs at least one value")
      return values[int(0, values.length - 1)] as A
    },
    shuffle: (values) => {
      const mixed = [...values]
      for (let i = mixed.length - 1; i > 0; i--) {
        const j = int(0, i)
        const held = mixed[i] as (typeof mixed)[number]
        mixed[i] = mixed[j] as (typeof mixed)[number]
        mixed[j] = held
      }
      return mixed
    },
    sample
  }
}
