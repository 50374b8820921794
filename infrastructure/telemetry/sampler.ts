/** Which traces are recorded, by the names of `OTEL_TRACES_SAMPLER`. Reference: metrics.md, "Traces". */
import { Either } from "effect"

/** `parent`: whether the span above is recorded; undefined: there is none */
export type Sampler = (traceId: string, parent: boolean | undefined) => boolean

const ratioOf = (argument: string): Either.Either<number, string> => {
  const ratio = /^\d*\.?\d+$/.test(argument.trim()) ? Number(argument) : Number.NaN
  return ratio >= 0 && ratio <= 1
    ? Either.right(ratio)
    : Either.left(`the share of recorded traces must be a number from 0 to 1, not '${argument.slice(0, 80)}'`)
}

/** the last digits of a trace id are random, so that every process of a trace decides alike */
const share =
  (ratio: number): Sampler =>
  (traceId) =>
    Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 >= 1 - ratio

const roots = ["always_on", "always_off", "traceidratio"] as const
const names = [...roots, ...roots.map((root) => `parentbased_${root}`)]

/** Left: a sentence about what is wrong. `argument` is the share from 0 to 1 of the samplers that end with `traceidratio`. */
export const samplerOf = (name: string, argument: string): Either.Either<Sampler, string> => {
  if (!names.includes(name))
    return Either.left(`the sampler '${name.slice(0, 80)}' is not known; known are ${names.join(", ")}`)
  const root = name.replace("parentbased_", "")
  const ratio = root === "traceidratio" ? ratioOf(argument) : Either.right(root === "always_on" ? 1 : 0)
  return Either.map(ratio, (known) => {
    const atRoot = share(known)
    return name === root ? atRoot : (traceId, parent) => parent ?? atRoot(traceId, undefined)
  })
}
