/**
 * One JSON document from the bytes of a body. What JSON allows but nobody can store or show is refused here, for every route and inside
 * free-form objects too: deep nesting, NUL, lone surrogates, numbers beyond double precision's range, members called `__proto__`.
 * Reference: api.md, "Bodies".
 */
import { isUtf8 } from "node:buffer"
import { Effect, Either } from "effect"
import { Invalid } from "../../../application/errors.ts"
import { given } from "../../../domain/path.ts"
import { checkStrings } from "../../../domain/text.ts"
import { type Violation, violation } from "../../../domain/violation.ts"
import { mayHaveTokens, quoteTokens } from "../../../providers/contract/lenient-json.ts"
import { pointer } from "../../../values/json-pointer.ts"
import { type Scan, type ScanLimits, scan } from "../../../values/json-text/json-scan.ts"
import { readJson } from "../../../values/json-text/read-json.ts"
import { Refused } from "../error-response.ts"
import { largeBytes, turn } from "../listener/turn.ts"
import { shortenMembers } from "./heavy-members.ts"
import { roundedIntegers } from "./rounded-integers.ts"

/** a job of 1,000 benchmarks with thirty parameters each has fewer values; parsing so many distinct names takes some 30 ms, long ones twice that */
const strictLimits: ScanLimits = { depth: 64, values: 50_000, nameBytes: 1024, namesBytes: 2_097_152 }
/** names are cut by the event reader */
const lenientLimits: ScanLimits = {
  ...strictLimits,
  nameBytes: Number.POSITIVE_INFINITY,
  namesBytes: Number.POSITIVE_INFINITY
}
/** what each member of an event keeps when the event has too many values */
const keptInMember = 10_000

const maxFound = 50

const malformed = (message: string) => new Refused({ code: "invalid_json_request", message })

const utf8Problem = (bytes: Uint8Array): Refused | undefined => {
  if (bytes.length === 0) return malformed("the request has no body; send a JSON document")
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return malformed("the request body begins with a byte order mark; send plain UTF-8")
  return isUtf8(bytes) ? undefined : malformed("the request body is not valid UTF-8")
}

const excesses: { readonly [Limit in keyof ScanLimits]: string } = {
  depth: `the request body is nested deeper than ${strictLimits.depth} levels`,
  values: `the request body has more than ${strictLimits.values} members and items; send fewer`,
  nameBytes: `the request body has a member name of more than ${strictLimits.nameBytes} bytes`,
  namesBytes: `the member names of the request body have more than ${strictLimits.namesBytes} bytes together; send fewer`
}

const reserved = "__proto__"

/** a view, no copy */
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** right: whether something in it must be looked for among the parsed values */
const checked = (bytes: Buffer, { excess, suspicious }: Scan): Either.Either<boolean, Refused> => {
  const problem = utf8Problem(bytes)
  if (problem !== undefined) return Either.left(problem)
  return excess === undefined
    ? Either.right(suspicious || bytes.includes(reserved))
    : Either.left(malformed(excesses[excess]))
}

/** numbers beyond double precision, and the one member name that is not data everywhere; the depth is bounded already */
const inspect = (value: unknown, way: Array<string>, found: Array<Violation>): void => {
  if (found.length >= maxFound) return
  if (typeof value === "number" && !Number.isFinite(value)) {
    found.push(violation(way.map(given), `the number at '${pointer(way)}' is too large for double precision`))
  }
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    way.push(name)
    if (name === "__proto__")
      found.push(violation(way.map(given), "a member must not be called '__proto__'; use another name"))
    else inspect(member, way, found)
    way.pop()
  }
}

const pauseOf = ({ length }: Uint8Array): Effect.Effect<void> => (length > largeBytes ? turn : Effect.void)

/** decoded at once at most: a megabyte beyond ASCII takes some 4 ms */
const pieceBytes = 1_048_576

/** whether a character begins here */
const isStart = (byte: number): boolean => (byte & 0xc0) !== 0x80

/** valid UTF-8 as text, `pause` after each `piece` */
export const decoded = (bytes: Buffer, pause: Effect.Effect<void>, piece = pieceBytes): Effect.Effect<string> =>
  Effect.gen(function* () {
    if (bytes.length <= piece) return bytes.toString("utf8")
    const texts: Array<string> = []
    for (let at = 0; at < bytes.length; ) {
      let end = Math.min(bytes.length, at + piece)
      while (end < bytes.length && !isStart(bytes[end] ?? 0)) end++
      texts.push(bytes.toString("utf8", at, end))
      at = end
      yield* pause
    }
    return texts.join("")
  })

const parsed = (text: string): Either.Either<unknown, Refused> =>
  Either.mapLeft(readJson(text), (reason) => malformed(`the request body is not valid JSON: ${reason.slice(0, 200)}`))

const inspected = (value: unknown): Either.Either<unknown, Invalid> => {
  const found: Array<Violation> = [...checkStrings(value, [])]
  inspect(value, [], found)
  const [first, ...rest] = found
  return first === undefined ? Either.right(value) : Either.left(new Invalid({ violations: [first, ...rest] }))
}

/** as it is, else with bare words made strings */
const lenientlyParsed = (text: string, pause: Effect.Effect<void>): Effect.Effect<unknown, Refused> =>
  Effect.gen(function* () {
    const plain = parsed(text)
    if (Either.isRight(plain) || !mayHaveTokens(text)) return yield* plain
    yield* pause
    const quoted = quoteTokens(text)
    yield* pause
    return yield* Either.orElse(parsed(quoted), () => plain)
  })

export interface JsonDocument {
  readonly value: unknown
  /** what of the text the value does not hold as it was written, a sentence each */
  readonly notes: ReadonlyArray<string>
}

/** the steps of reading; `pause` stands between them when the body is large */
const strictly = (bytes: Buffer, pause: Effect.Effect<void>): Effect.Effect<JsonDocument, Refused | Invalid> =>
  Effect.gen(function* () {
    const scanned = scan(bytes, strictLimits)
    const suspicious = yield* checked(bytes, scanned)
    yield* pause
    const text = yield* decoded(bytes, pause)
    yield* pause
    const value = yield* parsed(text)
    yield* pause
    if (suspicious) yield* Effect.zipLeft(inspected(value), pause)
    return {
      value,
      notes: scanned.longNumbers
        ? yield* Effect.zipLeft(
            Effect.sync(() => roundedIntegers(bytes, value)),
            pause
          )
        : []
    }
  })

/** strict JSON, as every route but the events route takes it; bytes that hold too much are refused before they are parsed */
export const parse = (bytes: Uint8Array): Effect.Effect<JsonDocument, Refused | Invalid> =>
  strictly(bufferOf(bytes), pauseOf(bytes))

export interface LenientDocument extends JsonDocument {
  /** members of the event that were shortened because the whole had too many values */
  readonly shortened: ReadonlyArray<string>
}

const light = (bytes: Buffer) => {
  const first = scan(bytes, lenientLimits)
  if (first.excess !== "values") return { bytes, names: [], scanned: first }
  const shortened = shortenMembers(bytes, keptInMember)
  return { ...shortened, scanned: scan(shortened.bytes, lenientLimits) }
}

/** JSON as adapters write it: NaN and infinities as bare words; the event reader cleans texts itself */
export const parseLenient = (given: Uint8Array): Effect.Effect<LenientDocument, Refused> =>
  Effect.gen(function* () {
    const pause = pauseOf(given)
    const { bytes, names, scanned } = light(bufferOf(given))
    yield* pause
    yield* checked(bytes, scanned)
    const text = yield* decoded(bytes, pause)
    yield* pause
    const value = yield* lenientlyParsed(text, pause)
    yield* pause
    const notes = scanned.longNumbers
      ? yield* Effect.zipLeft(
          Effect.sync(() => roundedIntegers(bytes, value)),
          pause
        )
      : []
    return { value, shortened: names, notes }
  })
