/** What each resource accepts beyond the quantity grammar. Reference: cluster-objects.md, "Hardware profiles". */
import { Either } from "effect"
import {
  compareQuantity,
  parseQuantity,
  problem,
  type Quantity,
  type QuantityProblem,
  quantityOfNumber
} from "../quantity.ts"

/** `cpu` counts cores, `memory` and `storage` bytes, `device` whole accelerators */
export type ResourceKind = "cpu" | "memory" | "storage" | "device"

const nano = 10n ** 9n
const milli = 10n ** 6n
/** below this container runtimes refuse to start */
const smallestMemoryLimit: Quantity = { nanos: 6n * 1024n * 1024n * nano, format: "binary" }

const checked = (quantity: Quantity, kind: ResourceKind): Either.Either<Quantity, QuantityProblem> => {
  if (quantity.nanos < 0n) return problem("must not be negative")
  if (kind === "cpu" && quantity.nanos % milli !== 0n) return problem("is finer than 1m (0.001 of a core)")
  if (kind === "device" && quantity.nanos % nano !== 0n) return problem("must be a whole number of devices")
  return Either.right(quantity)
}

/** a quantity text as this resource accepts it; the problem completes "<member> '<text>' …" */
export const parseAmount = (text: string, kind: ResourceKind): Either.Either<Quantity, QuantityProblem> =>
  Either.flatMap(parseQuantity(text), (quantity) => checked(quantity, kind))

/** a JSON number (hardware profiles hold int-or-string): CPU in steps of 0.001, everything else whole */
export const numberAmount = (value: number, kind: ResourceKind): Either.Either<Quantity, QuantityProblem> => {
  if (Number.isFinite(value) && kind !== "cpu" && !Number.isInteger(value)) return problem("must be a whole number")
  return Either.flatMap(quantityOfNumber(value), (quantity) => checked(quantity, kind))
}

/** a limit additionally has a floor for memory */
export const parseLimit = (text: string, kind: ResourceKind): Either.Either<Quantity, QuantityProblem> =>
  Either.flatMap(parseAmount(text, kind), (quantity) => limitChecked(quantity, kind))

export const limitChecked = (quantity: Quantity, kind: ResourceKind): Either.Either<Quantity, QuantityProblem> =>
  kind === "memory" && compareQuantity(quantity, smallestMemoryLimit) < 0
    ? problem("is too small: containers need a memory limit of at least 6Mi")
    : Either.right(quantity)

/** why `name` is no extended resource (`<domain>/<name>`, not `kubernetes.io/…`); undefined when it is one */
export const extendedResourceProblem = (name: string): string | undefined => {
  const [domain = "", local = "", ...rest] = name.split("/")
  const legal =
    rest.length === 0 &&
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(domain) &&
    domain.length <= 253 &&
    /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(local) &&
    domain !== "kubernetes.io" &&
    !domain.endsWith(".kubernetes.io")
  return legal
    ? undefined
    : "must be an extended resource name such as example.com/gpu (a domain, '/', a name; not kubernetes.io)"
}
