/**
 * Decodes a wire document with a schema and says everything that is wrong with it in words: path, value, what is allowed, and for an
 * unknown member the nearest known name. Reference: api.md, "Bodies"; errors.md, "Error body".
 */
import { SchemaAST as AST, Either, ParseResult, Schema } from "effect"
import { Invalid } from "../../../application/errors.ts"
import { wirePointer } from "../../../config/wire-names.ts"
import { given } from "../../../domain/path.ts"
import { shown, type Violation, violation } from "../../../domain/violation.ts"
import { isObject } from "../../../values/json.ts"
import { segment, stepsOf } from "../../../values/json-pointer.ts"
import { nearest } from "../../../values/nearest.ts"
import { maxShown } from "../error-response.ts"
import type { RequestCode } from "../groups/request-codes.ts"

export interface Decoded<A> {
  readonly value: A
  /** JSON Pointers of unknown members that were ignored; empty unless `lenient` */
  readonly ignored: ReadonlyArray<string>
}

export interface DecodeOptions {
  /** ignore unknown members instead of refusing them (`compat.lenient_unknown_fields`) */
  readonly lenient: boolean
}

/** makes of a parsed body what a handler works with, or says everything that is wrong with it */
export type BodyReader<A> = (document: unknown, options: DecodeOptions) => Either.Either<Decoded<A>, Invalid>

/** codes of absent members that have one of their own, by pointer */
type RequiredCodes = { readonly [path: string]: RequestCode }

/** members that other servers of this family know and this one does not support yet */
const unsupported = [/\/test_data_ref\/(pvc|git|hf)$/, /^\/exports\/oci\/signing$/, /^\/collection\/benchmarks$/]

const named = (path: string): string => (path === "" ? "the document" : `'${path.slice(1).replaceAll("/", ".")}'`)

const problem = (place: string, message: string, code?: string): Violation =>
  violation(stepsOf(place).map(given), message, code)

const isAbsent = (ast: AST.AST): boolean => AST.isUndefinedKeyword(ast) || (AST.isLiteral(ast) && ast.literal === null)

/** "a string", "one of 'a', 'b'": completes the sentence "… must be …" */
const expected = (ast: AST.AST): string => {
  const described = ast.annotations[AST.DescriptionAnnotationId]
  const documented = ast.annotations[AST.JSONSchemaAnnotationId]
  switch (ast._tag) {
    case "StringKeyword":
      return "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "TupleType":
      return "an array"
    case "TypeLiteral":
      return "an object"
    case "Literal":
      return shown(ast.literal)
    case "Refinement":
      return typeof described === "string" ? described : expected(ast.from)
    case "Transformation":
      return expected(ast.from)
    case "Declaration":
      return isObject(documented) && documented["type"] === "object" ? "an object" : "a value"
    case "Union": {
      const members = ast.types.filter((member) => !isAbsent(member))
      return members.every(AST.isLiteral) && members.length > 1
        ? `one of ${members.map(expected).join(", ")}`
        : members.map(expected).join(" or ")
    }
    default:
      return "a value"
  }
}

const unknownMember = (path: string, name: string, siblings: ReadonlyArray<string>): Violation => {
  if (unsupported.some((pattern) => pattern.test(path)))
    return problem(path, `${named(path)} is not supported by this server; leave it out`)
  const similar = nearest(name, siblings)
  return problem(
    path,
    `${named(path)} is not a known member; ${similar === undefined ? `known are ${siblings.join(", ")}` : `did you mean '${similar}'?`}`
  )
}

/** problems that are looked for: as many as an answer shows, and one more, so that it can say that there are more */
const maxProblems = maxShown + 1
/** names of ignored members that are kept: more than a `Warning` header takes */
const maxIgnored = 100
/** values outside free-form objects; decoding costs a few microseconds for each */
const maxTypedValues = 40_000

/** characters of one text outside free-form objects, whatever its own rule allows: no rule has to look at megabytes */
export const maxText = 65_536

/** one walk over a document by the schema's wire side; it ends as soon as enough is known, however large the document is */
interface Survey {
  readonly codes: RequiredCodes
  readonly lenient: boolean
  readonly problems: Array<Violation>
  readonly ignored: Array<string>
  values: number
}

const isFull = ({ problems, values }: Survey): boolean => problems.length >= maxProblems || values > maxTypedValues

const misfit = (ast: AST.AST, value: unknown, path: string, { codes, problems }: Survey): void => {
  problems.push(
    value === null && path !== ""
      ? problem(path, `${named(path)} is required`, codes[path])
      : problem(path, `${named(path)} is ${shown(value)} but must be ${expected(ast)}`)
  )
}

const predicates = new WeakMap<AST.AST, (value: unknown) => boolean>()

/** whether a value without members of its own fits */
const fits = (ast: AST.AST, value: unknown): boolean => {
  const known = predicates.get(ast) ?? ParseResult.is(Schema.make(ast))
  predicates.set(ast, known)
  return known(value)
}

const namesOf = new WeakMap<AST.TypeLiteral, ReadonlySet<string>>()

const knownNames = (ast: AST.TypeLiteral): ReadonlySet<string> => {
  const names = namesOf.get(ast) ?? new Set(ast.propertySignatures.map(({ name }) => String(name)))
  namesOf.set(ast, names)
  return names
}

const surveyMembers = (
  ast: AST.TypeLiteral,
  value: { readonly [name: string]: unknown },
  path: string,
  survey: Survey
): void => {
  const names = knownNames(ast)
  const [others] = ast.indexSignatures
  for (const name of Object.keys(value)) {
    if (isFull(survey)) return
    if (names.has(name)) continue
    const inner = path + segment(name)
    if (others !== undefined) surveyValue(others.type, value[name], inner, survey)
    else if (!survey.lenient) survey.problems.push(unknownMember(inner, name, [...names]))
    else if (survey.ignored.length < maxIgnored) survey.ignored.push(inner)
  }
  for (const { name, type, isOptional } of ast.propertySignatures) {
    if (isFull(survey)) return
    const isGiven = Object.hasOwn(value, name)
    // most members are optional and absent: they need no path
    if (!isGiven && isOptional) continue
    const inner = path + segment(String(name))
    if (isGiven) surveyValue(type, value[String(name)], inner, survey)
    else survey.problems.push(problem(inner, `${named(inner)} is required`, survey.codes[inner]))
  }
}

/** the problems of the alternative that the value comes nearest to */
const surveyUnion = (ast: AST.Union, value: unknown, path: string, survey: Survey): void => {
  const candidates = ast.types.filter((member) => !isAbsent(member))
  const [only, ...more] = candidates
  if (only !== undefined && more.length === 0) {
    if (value !== null || candidates.length === ast.types.length) surveyValue(only, value, path, survey)
    return
  }
  let nearestTo: ReadonlyArray<Violation> = []
  for (const member of ast.types) {
    const own: Survey = { ...survey, problems: [], ignored: [] }
    surveyValue(member, value, path, own)
    survey.values = own.values
    if (own.problems.length === 0) {
      survey.ignored.push(...own.ignored)
      return
    }
    // problems within the value say more than that it is no value of this kind
    if (nearestTo.length === 0 && own.problems.some((one) => wirePointer(one.path) !== path)) nearestTo = own.problems
  }
  if (nearestTo.length === 0) misfit(ast, value, path, survey)
  else survey.problems.push(...nearestTo.slice(0, maxProblems))
}

const surveyValue = (ast: AST.AST, value: unknown, path: string, survey: Survey): void => {
  if (isFull(survey)) return
  switch (ast._tag) {
    case "TypeLiteral":
      survey.values += 1
      if (isObject(value)) surveyMembers(ast, value, path, survey)
      else misfit(ast, value, path, survey)
      return
    case "TupleType": {
      survey.values += 1
      if (!Array.isArray(value)) {
        misfit(ast, value, path, survey)
        return
      }
      const [rest] = ast.rest
      for (let index = 0; rest !== undefined && index < value.length && !isFull(survey); index++)
        surveyValue(rest.type, value[index], path + segment(index), survey)
      return
    }
    case "Union":
      surveyUnion(ast, value, path, survey)
      return
    case "Transformation":
      surveyValue(ast.from, value, path, survey)
      return
    case "Refinement": {
      const before = survey.problems.length
      surveyValue(ast.from, value, path, survey)
      if (survey.problems.length === before && !fits(ast, value)) misfit(ast, value, path, survey)
      return
    }
    default:
      survey.values += 1
      if (typeof value === "string" && value.length > maxText) {
        survey.problems.push(
          problem(path, `${named(path)} has ${value.length} characters; at most ${maxText} are allowed`)
        )
        return
      }
      if (!fits(ast, value)) misfit(ast, value, path, survey)
  }
}

const tooMany = problem(
  "",
  `the document has more than ${maxTypedValues} values outside its free-form objects; send fewer`
)

/** a decoder that reports all problems at once, at most one more than an answer shows */
export const decoder = <A, I>(schema: Schema.Schema<A, I>, codes: RequiredCodes = {}): BodyReader<A> => {
  // made of the schema with the first document: a start would make those of all bodies
  const reading = (onExcessProperty: "error" | "ignore") => {
    let read: ReturnType<typeof Schema.decodeUnknownEither<A, I>> | undefined
    return (document: unknown) => {
      read ??= Schema.decodeUnknownEither(schema, { onExcessProperty })
      return read(document)
    }
  }
  const [strict, open] = [reading("error"), reading("ignore")]
  return (document, { lenient }) => {
    const survey: Survey = { codes, lenient, problems: [], ignored: [], values: 0 }
    surveyValue(schema.ast, document, "", survey)
    const [first, ...rest] = survey.problems
    if (first !== undefined) return Either.left(new Invalid({ violations: [first, ...rest] }))
    if (survey.values > maxTypedValues) return Either.left(new Invalid({ violations: [tooMany] }))
    return Either.mapBoth((lenient ? open : strict)(document), {
      onLeft: ({ message }) =>
        new Invalid({ violations: [problem("", `the document is not valid: ${message.slice(0, 400)}`)] }),
      onRight: (value) => ({ value, ignored: survey.ignored })
    })
  }
}
