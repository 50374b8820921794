/**
 * Kubernetes resource quantities, exactly: `500m`, `2`, `4Gi`, `1.5e3`. Values are counted in nano-units as bigint, so that
 * comparing and adding never rounds. Text finer than a nano-unit is rounded up, as Kubernetes does.
 * Reference: cluster-objects.md, "Resources", "Hardware profiles".
 */
import { Either } from "effect"

/** how a quantity was written and is printed again */
export type QuantityFormat = "decimal" | "binary" | "exponent"

export interface Quantity {
  /** 10^-9 of the unit; negative values parse, hardware rules refuse them */
  readonly nanos: bigint
  readonly format: QuantityFormat
}

export interface QuantityProblem {
  readonly _tag: "QuantityProblem"
  /** completes the sentence "<member> '<text>' …" */
  readonly message: string
}

const nano = 10n ** 9n
/** the largest amount Kubernetes can hold: 2^63 − 1 units */
const maxNanos = (2n ** 63n - 1n) * nano
const maxText = 128

const decimalExponents: { readonly [suffix: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18
}
const binaryExponents: { readonly [suffix: string]: number } = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const decimalSuffixes: ReadonlyMap<number, string> = new Map(
  Object.entries(decimalExponents).map(([suffix, exponent]) => [exponent, suffix])
)
const binarySuffixes: ReadonlyMap<number, string> = new Map(
  Object.entries(binaryExponents).map(([suffix, exponent]) => [exponent, suffix])
)

const shape = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(.*)$/s
const exponentShape = /^[eE]([+-]?\d+)$/

export const problem = (message: string): Either.Either<never, QuantityProblem> =>
  Either.left({ _tag: "QuantityProblem", message })
const tooLarge = () => problem("is larger than 2^63−1 units")

/** digits × 10^(scale), in nano-units, rounded away from zero when finer */
const scaled = (digits: bigint, exponent: number): bigint => {
  const power = exponent + 9
  if (power >= 0) return digits * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  return (digits + divisor - 1n) / divisor
}

/** reads the full grammar: optional sign, digits with optional fraction, one suffix (n u m k M G T P E, Ki…Ei) or an exponent (e3, E-3) */
export const parseQuantity = (text: string): Either.Either<Quantity, QuantityProblem> => {
  if (text.trim() === "") return problem("must not be blank")
  if (text.length > maxText) return problem(`must have at most ${maxText} characters`)
  const found = shape.exec(text)
  if (found === null) return problem("must be a number with an optional suffix, such as 500m, 2 or 4Gi")
  const [, sign, whole = "", fraction = "", bareFraction = "", suffix = ""] = found
  const decimals = fraction + bareFraction
  const digits = BigInt(`0${whole}${decimals}`)
  const signed = (nanos: bigint, format: QuantityFormat) =>
    nanos > maxNanos ? tooLarge() : Either.right({ nanos: sign === "-" ? -nanos : nanos, format })

  const binary = Object.hasOwn(binaryExponents, suffix) ? binaryExponents[suffix] : undefined
  if (binary !== undefined) return signed(scaled(digits * 2n ** BigInt(binary), -decimals.length), "binary")
  const decimal = Object.hasOwn(decimalExponents, suffix) ? decimalExponents[suffix] : undefined
  if (decimal !== undefined) return signed(scaled(digits, decimal - decimals.length), "decimal")

  const exponent = exponentShape.exec(suffix)?.[1]
  if (exponent === undefined)
    return problem(
      `has the unknown suffix '${suffix.slice(0, 16)}'; known are n u m k M G T P E, Ki Mi Gi Ti Pi Ei and exponents such as e3`
    )
  if (digits === 0n) return signed(0n, "exponent")
  const power = Number(exponent)
  // beyond these bounds the answer is known without computing astronomically large powers
  if (power > maxText + 19) return tooLarge()
  if (power < -maxText - 9) return signed(1n, "exponent")
  return signed(scaled(digits, power - decimals.length), "exponent")
}

/** a JSON number as quantity: its shortest decimal text, so that 0.5 is `500m` */
export const quantityOfNumber = (value: number): Either.Either<Quantity, QuantityProblem> =>
  Number.isFinite(value)
    ? Either.map(parseQuantity(String(value)), ({ nanos }) => ({ nanos, format: "decimal" }))
    : problem("must be a finite number")

export const compareQuantity = (left: Quantity, right: Quantity): -1 | 0 | 1 =>
  left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0

const bounded = (nanos: bigint, format: QuantityFormat): Either.Either<Quantity, QuantityProblem> =>
  nanos > maxNanos || nanos < -maxNanos ? tooLarge() : Either.right({ nanos, format })

/** the sum, in the format of the first operand that is not zero; Left when it leaves the range */
export const addQuantity = (left: Quantity, right: Quantity): Either.Either<Quantity, QuantityProblem> =>
  bounded(left.nanos + right.nanos, left.nanos === 0n ? right.format : left.format)

/** `quantity` taken `count` times (a whole number); Left when `count` is not whole or the product leaves the range */
export const multiplyQuantity = (quantity: Quantity, count: number): Either.Either<Quantity, QuantityProblem> =>
  Number.isSafeInteger(count)
    ? bounded(quantity.nanos * BigInt(count), quantity.format)
    : problem("can only be multiplied by a whole number")

/** takes out factors of `base` from a non-zero amount */
const withoutFactors = (amount: bigint, base: bigint): readonly [rest: bigint, count: number] => {
  let rest = amount
  let count = 0
  while (rest % base === 0n) {
    rest /= base
    count += 1
  }
  return [rest, count]
}

const printDecimal = (nanos: bigint, format: QuantityFormat): string => {
  const [digits, zeros] = withoutFactors(nanos, 10n)
  const exponent = zeros - 9
  const step = exponent - (((exponent % 3) + 3) % 3)
  const mantissa = digits * 10n ** BigInt(exponent - step)
  if (format !== "exponent") return `${mantissa}${decimalSuffixes.get(step) ?? ""}`
  return step === 0 ? String(mantissa) : `${mantissa}e${step}`
}

/**
 * The canonical text: no fraction, the largest suffix that keeps the value exact, exponents in steps of three. A binary quantity
 * below 1024 or with a fraction prints in decimal form, as Kubernetes does.
 */
export const printQuantity = ({ nanos, format }: Quantity): string => {
  if (nanos === 0n) return "0"
  const small = nanos > -1024n * nano && nanos < 1024n * nano
  if (format !== "binary" || small || nanos % nano !== 0n) return printDecimal(nanos, format)
  const [rest, count] = withoutFactors(nanos / nano, 1024n)
  return count === 0 ? String(rest) : `${rest}${binarySuffixes.get(count * 10) ?? ""}`
}
