/**
 * One JSON document from the bytes of a body. What JSON allows but nobody can store or show is refused here, for every route and inside
 * free-form objects too: deep nesting, NUL, lone surrogates, numbers beyond double precision's range, members called `__proto__`.
 * Decisions 1, "Bodies" and "Writes".
 */
import { Either } from "effect"
import { Invalid } from "../../../application/errors.ts"
import { checkStrings } from "../../../domain/text.ts"
import { segment, type Violation, violation } from "../../../domain/violation.ts"
import { readLenientJson } from "../../../providers/contract/lenient-json.ts"
import { Refused } from "../error-response.ts"

const maxDepth = 64

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const malformed = (message: string) => new Refused({ code: "invalid_json_request", message })

const decodeText = (bytes: Uint8Array): Either.Either<string, Refused> => {
  if (bytes.length === 0) return Either.left(malformed("the request has no body; send a JSON document"))
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return Either.left(malformed("the request body begins with a byte order mark; send plain UTF-8"))
  return Either.try({ try: () => utf8.decode(bytes), catch: () => malformed("the request body is not valid UTF-8") })
}

/** deepest nesting of the text, strings left out; stops counting at the limit */
const tooDeep = (text: string): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === 0x5c) at++
      else if (code === 0x22) quoted = false
    } else if (code === 0x22) quoted = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** numbers beyond double precision, and the one member name that is not data everywhere; the depth is bounded already */
const inspect = (value: unknown, path: string, found: Array<Violation>): void => {
  if (typeof value === "number" && !Number.isFinite(value)) found.push(violation(path, `the number at '${path}' is too large for double precision`))
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const here = path + segment(name)
    if (name === "__proto__") found.push(violation(here, "a member must not be called '__proto__'; use another name"))
    else inspect(member, here, found)
  }
}

/** only these can hide something that the checks below look for: escapes, the reserved name, large exponents, long numbers */
const suspicious = /\\u|__proto__|\d[eE]\+?\d{3}|\d{300}/

const bounded = (bytes: Uint8Array): Either.Either<string, Refused> =>
  Either.flatMap(decodeText(bytes), (text) =>
    tooDeep(text) ? Either.left(malformed(`the request body is nested deeper than ${maxDepth} levels`)) : Either.right(text)
  )

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)

/** strict JSON, as every route but the events route takes it */
export const parse = (bytes: Uint8Array): Either.Either<unknown, Refused | Invalid> =>
  Either.flatMap(bounded(bytes), (text): Either.Either<unknown, Refused | Invalid> => {
    const parsed = Either.try({ try: (): unknown => JSON.parse(text), catch: (cause) => malformed(`the request body is not valid JSON: ${reasonOf(cause)}`) })
    if (Either.isLeft(parsed) || !suspicious.test(text)) return parsed
    const found: Array<Violation> = [...checkStrings(parsed.right, "")]
    inspect(parsed.right, "", found)
    const [first, ...rest] = found
    return first === undefined ? parsed : Either.left(new Invalid({ violations: [first, ...rest] }))
  })

/** JSON as adapters write it: NaN and infinities as bare words; the event reader cleans texts itself */
export const parseLenient = (bytes: Uint8Array): Either.Either<unknown, Refused> =>
  Either.flatMap(bounded(bytes), (text) =>
    Either.mapLeft(readLenientJson(text), (reason) => malformed(`the request body is not valid JSON: ${reason.slice(0, 200)}`))
  )
