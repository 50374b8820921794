/** The load that a benchmark id and the parameters ask for. Pure. Reference: providers-and-collections.md, "GuideLLM". */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import type { PlanRequest } from "../sdk/framework/wrapper.ts"

export interface Load {
  readonly profile: string
  /** requests per second, streams of the concurrent profile, or points of the sweep; empty for profiles without */
  readonly rates: ReadonlyArray<number>
  /** of one measurement */
  readonly maxSeconds?: number
  /** share below 1, else seconds or requests */
  readonly warmup?: number
  readonly cooldown?: number
}

const withRate: { readonly [profile: string]: "whole" | "any" } = {
  concurrent: "whole",
  constant: "any",
  poisson: "any",
  sweep: "whole"
}

/** `profile=sweep rate=5 max_seconds=30` */
const rowDefaults = (task: string | undefined): { readonly [name: string]: string } =>
  Object.fromEntries(
    (task ?? "")
      .split(" ")
      .flatMap((pair) => (pair.includes("=") ? [[pair.replace(/=.*$/, ""), pair.replace(/^[^=]*=/, "")]] : []))
  )

const phase = (name: string, value: unknown): Either.Either<number | undefined, AdapterError> => {
  if (value === undefined) return Either.right(undefined)
  const percent = typeof value === "string" ? /^(\d+(?:\.\d+)?)%$/.exec(value)?.[1] : undefined
  const number = percent === undefined ? (typeof value === "number" ? value : Number.NaN) : Number(percent) / 100
  const good = Number.isFinite(number) && number >= 0 && (percent === undefined || number < 1)
  return good
    ? Either.right(number)
    : Either.left(
        invalidParameter(
          `${name} (${JSON.stringify(value)}) must be a number of at least 0, or a percentage below 100%`
        )
      )
}

const ratesOf = (profile: string, given: unknown): Either.Either<ReadonlyArray<number>, AdapterError> => {
  const kind = withRate[profile]
  if (kind === undefined) return Either.right([])
  const list: ReadonlyArray<unknown> = given === undefined ? [] : Array.isArray(given) ? given : [given]
  const numbers = list.flatMap((one) =>
    typeof one === "number" && Number.isFinite(one) && one > 0 && (kind === "any" || Number.isInteger(one)) ? [one] : []
  )
  if (list.length === 0) return Either.left(invalidParameter(`profile ${profile} needs the parameter rate`))
  if (numbers.length < list.length || (profile === "sweep" && (numbers.length > 1 || (numbers[0] ?? 0) < 2))) {
    const what =
      profile === "sweep"
        ? "one whole number of points, at least 2"
        : kind === "whole"
          ? "whole numbers above 0"
          : "numbers above 0"
    return Either.left(invalidParameter(`rate (${JSON.stringify(given)}) of the profile ${profile} must be ${what}`))
  }
  return Either.right(numbers)
}

/** left: `invalid_parameter`. The row's rate counts only for the row's own profile. */
export const loadOf = ({ row, parameters }: PlanRequest): Either.Either<Load, AdapterError> =>
  Either.gen(function* () {
    const defaults = rowDefaults(row.task)
    const profile = parameters.text("profile") ?? defaults["profile"] ?? "synchronous"
    const rowRate =
      profile === defaults["profile"] && defaults["rate"] !== undefined ? Number(defaults["rate"]) : undefined
    const rates = yield* ratesOf(profile, parameters.value("rate") ?? rowRate)
    const rowSeconds = defaults["max_seconds"] === undefined ? undefined : Number(defaults["max_seconds"])
    // a limit by requests alone is a limit
    const maxSeconds =
      parameters.number("max_seconds") ?? (parameters.given("max_requests") ? undefined : (rowSeconds ?? 60))
    if (maxSeconds !== undefined && maxSeconds <= 0)
      return yield* Either.left(invalidParameter(`max_seconds (${maxSeconds}) must be more than 0`))
    const warmup = yield* phase("warmup", parameters.value("warmup"))
    const cooldown = yield* phase("cooldown", parameters.value("cooldown"))
    return {
      ...{ profile, rates },
      ...defined({ maxSeconds, warmup, cooldown })
    }
  })

/** measurements that the load consists of */
export const measurements = ({ profile, rates }: Load): number =>
  profile === "sweep" ? (rates[0] ?? 1) : Math.max(1, rates.length)
