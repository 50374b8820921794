/**
 * A small validator for the part of JSON Schema (2020-12) that the benchmarks use. A keyword it does not know is a problem of its own:
 * a schema is never half checked in silence.
 */

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface SchemaProblem {
  /** JSON Pointer into the value */
  readonly path: string
  readonly message: string
}

const ANNOTATIONS = new Set(["title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs"])

const isObject = (value: unknown): value is { readonly [key: string]: unknown } => typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON equality: member order does not matter, 1 and 1.0 are one number */
export const jsonEqual = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right)) return left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]))
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left)
    return names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name) && jsonEqual(left[name], right[name]))
  }
  return left === right
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

const isType = (value: unknown, type: unknown): boolean => (type === "integer" ? Number.isInteger(value) : typeOf(value) === type)

const isDate = (text: string): boolean => {
  const [year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12 || day < 1) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return day <= ([31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0)
}

/** decimal multiples up to nine places, so that 0.3 is a multiple of 0.1 */
const isMultiple = (value: number, unit: number): boolean => {
  const quotient = value / unit
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

/** undefined = fine; the value is of the type the keyword speaks about, or the keyword does not apply */
type Keyword = (argument: unknown, value: unknown, schema: JsonSchema) => string | undefined

const onNumber =
  (wording: string, holds: (value: number, limit: number) => boolean): Keyword =>
  (limit, value) =>
    typeof value !== "number" || holds(value, Number(limit)) ? undefined : `must be ${wording} ${String(limit)}`

const onSize =
  (wording: string, size: (value: unknown) => number | undefined, holds: (value: number, limit: number) => boolean): Keyword =>
  (limit, value) => {
    const measured = size(value)
    return measured === undefined || holds(measured, Number(limit)) ? undefined : `must have ${wording} ${String(limit)}`
  }

const characters = (value: unknown) => (typeof value === "string" ? [...value].length : undefined)
const entries = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const members = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined)
const atLeast = (value: number, limit: number) => value >= limit
const atMost = (value: number, limit: number) => value <= limit

const KEYWORDS: { readonly [keyword: string]: Keyword } = {
  type: (type, value) =>
    (Array.isArray(type) ? type : [type]).some((one) => isType(value, one)) ? undefined : `must be ${[type].flat().join(" or ")}, is ${typeOf(value)}`,
  enum: (allowed, value) => (Array.isArray(allowed) && allowed.some((one) => jsonEqual(one, value)) ? undefined : `must be one of ${JSON.stringify(allowed)}`),
  const: (wanted, value) => (jsonEqual(wanted, value) ? undefined : `must be ${JSON.stringify(wanted)}`),
  minimum: onNumber("at least", atLeast),
  maximum: onNumber("at most", atMost),
  exclusiveMinimum: onNumber("greater than", (value, limit) => value > limit),
  exclusiveMaximum: onNumber("less than", (value, limit) => value < limit),
  multipleOf: onNumber("a multiple of", isMultiple),
  minLength: onSize("a length of at least", characters, atLeast),
  maxLength: onSize("a length of at most", characters, atMost),
  pattern: (pattern, value) => (typeof value !== "string" || new RegExp(String(pattern), "u").test(value) ? undefined : `must match ${String(pattern)}`),
  format: (format, value) => {
    if (format !== "date") return `format ${String(format)} is not supported`
    return typeof value !== "string" || isDate(value) ? undefined : "must be a date, YYYY-MM-DD"
  },
  minItems: onSize("a number of entries of at least", entries, atLeast),
  maxItems: onSize("a number of entries of at most", entries, atMost),
  uniqueItems: (unique, value) =>
    unique === true && Array.isArray(value) && value.some((item, index) => value.slice(0, index).some((earlier) => jsonEqual(earlier, item)))
      ? "must not repeat an entry"
      : undefined,
  minProperties: onSize("a number of members of at least", members, atLeast),
  maxProperties: onSize("a number of members of at most", members, atMost),
  required: (names, value) => {
    if (!isObject(value) || !Array.isArray(names)) return undefined
    const missing = names.filter((name) => !Object.hasOwn(value, String(name)))
    return missing.length === 0 ? undefined : `misses ${missing.join(", ")}`
  }
}

const APPLICATORS = new Set(["properties", "additionalProperties", "items", "anyOf", "oneOf", "allOf", "not"])

const childPath = (path: string, name: string | number): string => `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`

const inObject = (schema: JsonSchema, value: { readonly [key: string]: unknown }, path: string): ReadonlyArray<SchemaProblem> => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const rest = schema["additionalProperties"]
  return Object.entries(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : rest
    if (own === false) return [{ path: childPath(path, name), message: "is not allowed" }]
    return isObject(own) ? validate(own, member, childPath(path, name)) : []
  })
}

const combined = (schema: JsonSchema, value: unknown, path: string): ReadonlyArray<SchemaProblem> => {
  const branches = (keyword: string) => (Array.isArray(schema[keyword]) ? schema[keyword].filter(isObject) : [])
  const fitting = (keyword: string) => branches(keyword).filter((branch) => validate(branch, value, path).length === 0).length
  return [
    ...branches("allOf").flatMap((branch) => validate(branch, value, path)),
    ...("anyOf" in schema && fitting("anyOf") === 0 ? [{ path, message: "fits none of the alternatives" }] : []),
    ...("oneOf" in schema && fitting("oneOf") !== 1 ? [{ path, message: `fits ${fitting("oneOf")} of the alternatives instead of one` }] : []),
    ...(isObject(schema["not"]) && validate(schema["not"], value, path).length === 0 ? [{ path, message: "fits what is excluded" }] : [])
  ]
}

/** every problem of a value, empty when it is valid */
export const validate = (schema: JsonSchema, value: unknown, path = ""): ReadonlyArray<SchemaProblem> => [
  ...Object.entries(schema).flatMap(([keyword, argument]) => {
    if (ANNOTATIONS.has(keyword) || APPLICATORS.has(keyword)) return []
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
    const message = check === undefined ? `keyword ${keyword} is not supported` : check(argument, value, schema)
    return message === undefined ? [] : [{ path, message }]
  }),
  ...(isObject(value) ? inObject(schema, value, path) : []),
  ...(Array.isArray(value) && isObject(schema["items"])
    ? value.flatMap((item, index) => validate(schema["items"] as JsonSchema, item, childPath(path, index)))
    : []),
  ...combined(schema, value, path)
]
