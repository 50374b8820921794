/** The kinds of settings: how each is read from text, and what it must be. */
import { Either, Redacted } from "effect"
import { type Allowance, readAllowance } from "../../values/allowance.ts"
import { isHost } from "../../values/host.ts"
import { modelPrefixProblem } from "../../values/sidecar-paths.ts"

/** how one setting is read from text; `Left` is the reason shown to the operator */
export interface Setting<A> {
  readonly meaning: string
  readonly variable: string | undefined
  readonly initial: A
  /** shown instead of the default in tables and messages */
  readonly secret: boolean
  readonly read: (text: string) => Either.Either<A, string>
}

interface Extra {
  readonly variable?: string
}

const make = <A>(
  initial: A,
  read: Setting<A>["read"],
  meaning: string,
  extra: Extra = {},
  secret = false
): Setting<A> => ({
  meaning,
  initial,
  read,
  secret,
  variable: extra.variable
})

export const optionalText = (meaning: string, extra?: Extra) =>
  make<string | undefined>(undefined, (text) => Either.right(text), meaning, extra)
/** `host[:port][/path]`, as it begins a reference of an image: no scheme, no slash at the end */
export const optionalRegistry = (meaning: string, extra?: Extra) =>
  make<string | undefined>(
    undefined,
    (value) =>
      /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/.test(value)
        ? Either.right(value)
        : Either.left("expected a registry as it begins a reference, such as registry.example:5000/mirror"),
    meaning,
    extra
  )
/** a path that the sidecar has the model below, apart from its own ones */
export const optionalModelPrefix = (meaning: string, extra?: Extra) =>
  make<string | undefined>(
    undefined,
    (value) => {
      const problem = modelPrefixProblem(value)
      return problem === undefined ? Either.right(value) : Either.left(`expected a path such as /m, which ${problem}`)
    },
    meaning,
    extra
  )
export const text = (initial: string, meaning: string, extra?: Extra) =>
  make<string>(initial, (value) => Either.right(value), meaning, extra)
export const secret = (meaning: string, extra?: Extra) =>
  make<Redacted.Redacted | undefined>(undefined, (value) => Either.right(Redacted.make(value)), meaning, extra, true)

const chosen = <A extends string>(choices: ReadonlyArray<A>, value: string): Either.Either<A, string> => {
  const found = choices.find((choice) => choice === value)
  return found === undefined ? Either.left(`expected one of ${choices.join(", ")}`) : Either.right(found)
}
export const oneOf = <const A extends string>(
  choices: ReadonlyArray<A>,
  initial: NoInfer<A>,
  meaning: string,
  extra?: Extra
) => make<A>(initial, (value) => chosen(choices, value), meaning, extra)

export const optionalOneOf = <const A extends string>(choices: ReadonlyArray<A>, meaning: string, extra?: Extra) =>
  make<A | undefined>(undefined, (value) => chosen(choices, value), meaning, extra)

export const flag = (initial: boolean, meaning: string, extra?: Extra) =>
  make<boolean>(
    initial,
    (value) => {
      const low = value.trim().toLowerCase()
      if (low === "true" || low === "1" || low === "yes" || low === "on") return Either.right(true)
      if (low === "false" || low === "0" || low === "no" || low === "off") return Either.right(false)
      return Either.left("expected true or false")
    },
    meaning,
    extra
  )

const readInteger =
  (minimum: number, maximum: number) =>
  (value: string): Either.Either<number, string> => {
    const number = /^-?\d+$/.test(value.trim()) ? Number(value) : Number.NaN
    return Number.isSafeInteger(number) && number >= minimum && number <= maximum
      ? Either.right(number)
      : Either.left(`expected a whole number from ${minimum} to ${maximum}`)
  }
export const integer = (initial: number, minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number>(initial, readInteger(minimum, maximum), meaning, extra)
export const share = (initial: number, meaning: string, extra?: Extra) =>
  make<number>(
    initial,
    (value) =>
      /^(0|1|0?\.\d+|1\.0+)$/.test(value.trim())
        ? Either.right(Number(value))
        : Either.left("expected a share from 0 to 1, such as 0.05"),
    meaning,
    extra
  )
export const optionalInteger = (minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number | undefined>(undefined, readInteger(minimum, maximum), meaning, extra)

const secondsIn: { readonly [unit: string]: number } = { "": 1, s: 1, m: 60, h: 3600 }

/** whole seconds, or a whole number with its unit; -1 is for what can be switched off that way */
const readSeconds =
  (minimum: number, maximum: number) =>
  (value: string): Either.Either<number, string> => {
    const [, count, unit = ""] = /^(-?\d+) *([smh]?)$/.exec(value.trim().toLowerCase()) ?? []
    const seconds = Number(count ?? Number.NaN) * (secondsIn[unit] ?? Number.NaN)
    return Number.isSafeInteger(seconds) && seconds >= minimum && seconds <= maximum
      ? Either.right(seconds)
      : Either.left(`expected a duration from ${minimum} to ${maximum} seconds, such as 30, 30s or 2m`)
  }
export const duration = (initial: number, minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number>(initial, readSeconds(minimum, maximum), meaning, extra)
export const optionalDuration = (minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number | undefined>(undefined, readSeconds(minimum, maximum), meaning, extra)

const partsOf = (value: string): ReadonlyArray<string> =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

export const list = (initial: ReadonlyArray<string>, meaning: string, extra?: Extra) =>
  make<ReadonlyArray<string>>(initial, (value) => Either.right(partsOf(value)), meaning, extra)

/** some of `choices` */
export const someOf = <const A extends string>(choices: ReadonlyArray<A>, meaning: string, extra?: Extra) =>
  make<ReadonlyArray<A>>([], (value) => Either.all(partsOf(value).map((part) => chosen(choices, part))), meaning, extra)

/** `host` or `host:port` each, as they stand in an address */
export const hosts = (meaning: string, extra?: Extra) =>
  make<ReadonlyArray<string>>(
    [],
    (value) => {
      const parts = partsOf(value.toLowerCase())
      const wrong = parts.find((part) => !isHost(part))
      return wrong === undefined
        ? Either.right(parts)
        : Either.left(`expected hosts such as model.example.com or 10.0.0.7:8000, and '${wrong}' is none`)
    },
    meaning,
    extra
  )

export const optionalAllowance = (meaning: string, extra?: Extra) =>
  make<Allowance | undefined>(
    undefined,
    (value) =>
      Either.fromNullable(readAllowance(value), () => "expected sums such as requests=200,tokens=100000,cost=1.5"),
    meaning,
    extra
  )

export const day = 86_400
