/**
 * Decodes a wire document with a schema and says everything that is wrong with it in words: path, value, what is allowed, and for an
 * unknown member the nearest known name. Decisions 1, "Bodies" and "Errors".
 */
import { SchemaAST as AST, Either, type ParseResult, Schema } from "effect"
import { Invalid } from "../../../application/errors.ts"
import type { RequestCode } from "../../../domain/job/message-codes.ts"
import { nearest } from "../../../domain/nearest.ts"
import { segment, shown, type Violation, violation } from "../../../domain/violation.ts"

export interface Decoded<A> {
  readonly value: A
  /** JSON Pointers of unknown members that were ignored; empty unless `lenient` */
  readonly ignored: ReadonlyArray<string>
}

export interface DecodeOptions {
  /** ignore unknown members instead of refusing them (`compat.lenient_unknown_fields`) */
  readonly lenient: boolean
}

/** codes of absent members that have one of their own, by pointer */
type RequiredCodes = { readonly [path: string]: RequestCode }

interface Found {
  readonly codes: RequiredCodes
  readonly violations: Array<Violation>
  readonly unknown: Array<string>
}

/** members that other servers of this family know and this one does not support yet */
const unsupported = [/\/test_data_ref\/(pvc|git|hf)$/, /^\/exports\/oci\/signing$/, /^\/collection\/benchmarks$/]

const named = (path: string): string => (path === "" ? "the document" : `'${path.slice(1).replaceAll("/", ".")}'`)

const isAbsent = (ast: AST.AST): boolean => AST.isUndefinedKeyword(ast) || (AST.isLiteral(ast) && ast.literal === null)

/** "a string", "one of 'a', 'b'": completes the sentence "… must be …" */
const expected = (ast: AST.AST): string => {
  const described = ast.annotations[AST.DescriptionAnnotationId]
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
    case "Union": {
      const members = ast.types.filter((member) => !isAbsent(member))
      return members.every(AST.isLiteral) && members.length > 1 ? `one of ${members.map(expected).join(", ")}` : members.map(expected).join(" or ")
    }
    default:
      return "a value"
  }
}

const knownMembers = (ast: AST.AST | undefined): ReadonlyArray<string> => {
  switch (ast?._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.map(({ name }) => String(name))
    case "Transformation":
    case "Refinement":
      return knownMembers(ast.from)
    default:
      return []
  }
}

const listOf = <A>(value: A | ReadonlyArray<A>): ReadonlyArray<A> => (Array.isArray(value) ? (value as ReadonlyArray<A>) : [value as A])

const unknownMember = (path: string, name: string, siblings: ReadonlyArray<string>): Violation => {
  if (unsupported.some((pattern) => pattern.test(path))) return violation(path, `${named(path)} is not supported by this server; leave it out`)
  const similar = nearest(name, siblings)
  return violation(path, `${named(path)} is not a known member; ${similar === undefined ? `known are ${siblings.join(", ")}` : `did you mean '${similar}'?`}`)
}

const required = (path: string, { codes }: Found): Violation => violation(path, `${named(path)} is required`, codes[path])

const depthOf = (issue: ParseResult.ParseIssue): number => {
  switch (issue._tag) {
    case "Pointer":
      return 1 + depthOf(issue.issue)
    case "Composite":
      return Math.max(...listOf(issue.issues).map(depthOf))
    case "Refinement":
    case "Transformation":
      return depthOf(issue.issue)
    default:
      return 0
  }
}

const walk = (issue: ParseResult.ParseIssue, path: string, parent: AST.AST | undefined, found: Found): void => {
  switch (issue._tag) {
    case "Pointer": {
      const inner =
        path +
        listOf(issue.path)
          .map((part) => segment(String(part)))
          .join("")
      if (issue.issue._tag === "Unexpected") {
        found.unknown.push(inner)
        found.violations.push(unknownMember(inner, String(listOf(issue.path).at(-1)), knownMembers(parent)))
      } else walk(issue.issue, inner, parent, found)
      return
    }
    case "Composite": {
      const issues = listOf(issue.issues)
      if (!AST.isUnion(issue.ast)) {
        for (const one of issues) walk(one, path, issue.ast, found)
        return
      }
      const deepest = [...issues].sort((a, b) => depthOf(b) - depthOf(a)).find((one) => depthOf(one) > 0 || one._tag === "Refinement")
      if (deepest !== undefined) walk(deepest, path, issue.ast, found)
      else found.violations.push(violation(path, `${named(path)} is ${shown(issue.actual)} but must be ${expected(issue.ast)}`))
      return
    }
    case "Missing":
      found.violations.push(required(path, found))
      return
    case "Refinement":
      if (issue.kind === "From") walk(issue.issue, path, issue.ast.from, found)
      else found.violations.push(violation(path, `${named(path)} is ${shown(issue.actual)} but must be ${expected(issue.ast)}`))
      return
    case "Transformation":
      walk(issue.issue, path, issue.ast.from, found)
      return
    default:
      found.violations.push(
        "actual" in issue && issue.actual === null && path !== ""
          ? required(path, found)
          : violation(path, "ast" in issue ? `${named(path)} is ${shown(issue.actual)} but must be ${expected(issue.ast)}` : `${named(path)} is not valid`)
      )
  }
}

/** a decoder that reports all problems at once */
export const decoder = <A, I>(schema: Schema.Schema<A, I>, codes: RequiredCodes = {}) => {
  const strict = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  const open = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "ignore" })
  return (document: unknown, options: DecodeOptions): Either.Either<Decoded<A>, Invalid> => {
    const decoded = strict(document)
    if (Either.isRight(decoded)) return Either.right({ value: decoded.right, ignored: [] })
    const found: Found = { codes, violations: [], unknown: [] }
    walk(decoded.left.issue, "", undefined, found)
    if (options.lenient && found.unknown.length === found.violations.length) {
      return Either.mapBoth(open(document), {
        onLeft: () => new Invalid({ violations: [violation("", "the document is not valid")] }),
        onRight: (value) => ({ value, ignored: found.unknown })
      })
    }
    const [first, ...rest] = options.lenient ? found.violations.filter(({ path }) => !found.unknown.includes(path)) : found.violations
    return Either.left(new Invalid({ violations: [first ?? violation("", "the document is not valid"), ...rest] }))
  }
}
