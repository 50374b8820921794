/**
 * Query parameters as data: one table per route gives the reader, the refusals and the published documentation. Unknown names are
 * refused with the list of the known ones; all problems are reported at once. Reference: api.md, "Lists".
 */
import { type SchemaAST as AST, Either, Schema } from "effect"
import { wireSentence } from "../../../config/wire-names.ts"
import { given } from "../../../domain/path.ts"
import { shown, type Violation, violation } from "../../../domain/violation.ts"
import { nearest } from "../../../values/nearest.ts"
import { Refused } from "../error-response.ts"
import type { ReadAs } from "./read-as.ts"

/** read as `A` */
export interface Parameter<A, W extends Schema.Schema.AnyNoContext = typeof Schema.String> {
  readonly description: string
  /** how clients give it */
  readonly wire: W
  readonly schema: { readonly type: "string" | "integer" | "boolean"; readonly [keyword: string]: unknown }
  readonly initial: A
  /** left: what is wrong and what is allowed; completes "query parameter 'x' is 'y' …" */
  readonly read: (text: string) => Either.Either<A, string>
  readonly code: "query_parameter_invalid" | "query_parameter_value_invalid"
  /** may be given several times: the texts count as one with this between them */
  readonly joint?: string
}

// the reader of each parameter takes text, whatever it yields
type Spec = { readonly [name: string]: Parameter<unknown, Schema.Schema.AnyNoContext> }
export type Values<S extends Spec> = {
  readonly [K in keyof S]: S[K] extends Parameter<infer A, Schema.Schema.AnyNoContext> ? A : never
}
/** what clients may give, as they give it */
type Given<S extends Spec> = { readonly [K in keyof S]?: Schema.Schema.Type<S[K]["wire"]> }

export const integerParameter = (
  description: string,
  limits: { readonly minimum: number; readonly maximum?: number; readonly default: number }
): Parameter<number, typeof Schema.NumberFromString> => {
  const maximum = limits.maximum ?? Number.MAX_SAFE_INTEGER
  const range =
    limits.maximum === undefined ? `of at least ${limits.minimum}` : `from ${limits.minimum} to ${limits.maximum}`
  return {
    description,
    wire: Schema.NumberFromString,
    schema: { type: "integer", ...limits },
    initial: limits.default,
    code: "query_parameter_invalid",
    read: (text) => {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return Number.isSafeInteger(value) && value >= limits.minimum && value <= maximum
        ? Either.right(value)
        : Either.left(`but must be a whole number ${range}`)
    }
  }
}

export const flagParameter = (
  description: string,
  initial: boolean
): Parameter<boolean, typeof Schema.BooleanFromString> => ({
  description,
  wire: Schema.BooleanFromString,
  schema: { type: "boolean", default: initial },
  initial,
  code: "query_parameter_invalid",
  read: (text) =>
    text === "true"
      ? Either.right(true)
      : text === "false"
        ? Either.right(false)
        : Either.left("but must be true or false")
})

/** an empty value counts as absent */
export const textParameter = (description: string): Parameter<string | undefined> =>
  parsedParameter(description, (text) => Either.right(text), { pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*$" })

export const parsedParameter = <A>(
  description: string,
  read: (text: string) => Either.Either<A, string>,
  schema: Readonly<Record<string, unknown>> = {},
  code: Parameter<unknown>["code"] = "query_parameter_invalid"
): Parameter<A | undefined> => ({
  description,
  wire: Schema.String,
  schema: { type: "string", ...schema },
  initial: undefined,
  code,
  read: (text): Either.Either<A | undefined, string> => (text === "" ? Either.right(undefined) : read(text))
})

/** the parameter may be given several times: its texts count as one with `joint` between them, empty ones left out */
export const repeatable = <A, W extends Schema.Schema.AnyNoContext>(
  parameter: Parameter<A, W>,
  joint: string
): Parameter<A, W> => ({ ...parameter, joint })

export const choiceParameter = <const A extends string>(
  description: string,
  choices: ReadonlyArray<A>
): Parameter<A | undefined> =>
  parsedParameter(
    description,
    (text) => {
      const found = choices.find((choice) => choice === text)
      return found === undefined ? Either.left(`but must be one of ${choices.join(", ")}`) : Either.right(found)
    },
    { enum: choices },
    "query_parameter_value_invalid"
  )

const controlOrSurrogate = /[\p{Cc}\p{Surrogate}]/u

const unknownName = (name: string, known: ReadonlyArray<string>): Violation => {
  const similar = nearest(name, known)
  const hint =
    known.length === 0
      ? "this route takes none"
      : `known are ${known.join(", ")}${similar === undefined ? "" : `; did you mean '${similar}'?`}`
  return violation([given(name)], `query parameter ${shown(name)} is not known; ${hint}`, "query_bad_parameter")
}

/** the defaults of the table where the query says nothing */
const initialValues = (spec: Spec): Record<string, unknown> =>
  Object.fromEntries(Object.entries(spec).map(([name, { initial }]) => [name, initial]))

/** reads a raw query (without `?`) by the table */
export const reader = <const S extends Spec>(spec: S): ((search: string) => Either.Either<Values<S>, Refused>) => {
  const known = Object.keys(spec)
  const initial = initialValues(spec) as Values<S>
  return (search) => {
    if (search === "") return Either.right(initial)
    const values: Record<string, unknown> = { ...initial }
    const found: Array<Violation> = []
    const texts = new Map<string, string>()
    // one problem is enough: what is repeated thousands of times is not read thousands of times
    const refused = new Set<string>()
    const refuse = (name: string, message: string, code: Parameter<unknown>["code"] = "query_parameter_invalid") =>
      found.push(violation([given(name)], `query parameter '${name}' ${message}`, code))
    for (const [name, text] of new URLSearchParams(search)) {
      const parameter = Object.hasOwn(spec, name) ? spec[name] : undefined
      if (parameter === undefined) found.push(unknownName(name, known))
      else if (texts.has(name) && parameter.joint === undefined) refuse(name, "is given more than once; give it once")
      else if (controlOrSurrogate.test(text)) refuse(name, "has control characters; remove them")
      else if (!refused.has(name)) {
        const whole = [texts.get(name) ?? "", text].filter((part) => part !== "").join(parameter.joint)
        texts.set(name, whole)
        const value = parameter.read(whole)
        if (Either.isRight(value)) values[name] = value.right
        else {
          refused.add(name)
          refuse(name, `is ${shown(whole)} ${value.left}`, parameter.code)
        }
      }
    }
    const [first] = found
    return first === undefined
      ? Either.right(values as Values<S>)
      : Either.left(
          new Refused({
            code: first.code as Parameter<unknown>["code"],
            message: wireSentence(first.message),
            violations: found
          })
        )
  }
}

const queryReader = Symbol.for("evald/contract/query")

/** the reader of a published table */
export const readerOf = ({ annotations }: AST.AST): ReturnType<typeof reader> | undefined =>
  annotations[queryReader] as ReturnType<typeof reader> | undefined

/** the table as the contract has it: values travel as text, and handlers get what the readers of the table make of them */
export const published = <const S extends Spec>(
  spec: S
): Schema.Schema<Given<S> & ReadAs<Values<S>>, { readonly [K in keyof S]?: string }> =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(spec).map(([name, { description, schema, wire }]) => [
        name,
        Schema.optionalWith(wire.annotations({ description, jsonSchema: { description, ...schema } }), { exact: true })
      ])
    )
  ).annotations({ [queryReader]: reader(spec) }) as unknown as Schema.Schema<
    Given<S> & ReadAs<Values<S>>,
    { readonly [K in keyof S]?: string }
  >
