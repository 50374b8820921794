/**
 * Whether a value fits a JSON Schema (2020-12). A keyword or format that is not known is an error: a schema is never half checked in silence.
 */
import { Ajv2020 } from "ajv/dist/2020.js"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

const isDate = (text: string): boolean => {
  const [year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12 || day < 1) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return day <= ([31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0)
}

/** inherited members are none; 0.3 is a multiple of 0.1 */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  ownProperties: true,
  multipleOfPrecision: 9,
  formats: { date: isDate },
  logger: false
})

/** throws for a schema that cannot be checked whole */
export const fits = (schema: JsonSchema, value: unknown): boolean => {
  const check = ajv.compile(schema)
  // compiled schemas are kept by the library until told otherwise
  ajv.removeSchema(schema)
  try {
    return check(value)
  } catch {
    // comparing entries asks values for methods, which an answer may have as members that cannot be called
    return false
  }
}
