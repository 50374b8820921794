/** One YAML document with a way back from a JSON Pointer to line and column. Reference: providers-and-collections.md, "Loading". */
import { createHash } from "node:crypto"
import { Either } from "effect"
import { type Document, isMap, isNode, isScalar, LineCounter, parseAllDocuments } from "yaml"

const maximumBytes = 4 * 1024 * 1024

export interface Position {
  readonly line: number
  readonly column: number
}

export interface YamlDocument {
  readonly value: unknown
  /** the value as the schema of its kind reads it, where that is known already */
  readonly decoded?: unknown
  /** what was decoded breaks no rule that looks at it alone, and has no blanks that are taken away: judged before */
  readonly sound?: true
  /** position of the deepest existing node on the way to the pointer; of the key when `key` is asked for */
  readonly positionOf: (path: ReadonlyArray<string | number>) => Position
}

export interface YamlProblem extends Position {
  readonly message: string
}

const keyOf = (document: Document.Parsed, path: ReadonlyArray<string | number>): unknown => {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const name = path.at(-1)
  return isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === name)?.key : undefined
}

const locate = (document: Document.Parsed, lines: LineCounter, path: ReadonlyArray<string | number>): Position => {
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length)
    const key = keyOf(document, part)
    const node = isNode(key) ? key : document.getIn(part, true)
    if (isNode(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0])
      return { line, column: col }
    }
  }
  return { line: 1, column: 1 }
}

const parsed = (text: string): Either.Either<YamlDocument, ReadonlyArray<YamlProblem>> => {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, version: "1.2" })
  if (!Array.isArray(documents) || documents.length !== 1) {
    return Either.left([
      {
        line: 1,
        column: 1,
        message: `expected one YAML document, found ${Array.isArray(documents) ? documents.length : 0}`
      }
    ])
  }
  const [document] = documents
  if (document === undefined) return Either.left([{ line: 1, column: 1, message: "the file is empty" }])
  if (document.errors.length > 0) {
    return Either.left(
      document.errors.map(({ message, pos }) => {
        const { line, col } = lines.linePos(pos[0])
        return { line, column: col, message: message.split("\n", 1)[0] ?? message }
      })
    )
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    return Either.right({ value, positionOf: (path) => locate(document, lines, path) })
  } catch (error) {
    return Either.left([{ line: 1, column: 1, message: error instanceof Error ? error.message : "cannot be read" }])
  }
}

/** values of texts that were parsed before, by the SHA-256 (hex) of the text; `decoded`: as their schema read them, when it could */
export type ParsedTexts = { readonly [sha256: string]: Omit<YamlDocument, "positionOf"> }

/** the name of a text in `ParsedTexts` */
export const textDigest = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * YAML 1.2 core schema, exactly one document, at most 4 MiB and 100 aliases. A text whose value is known is parsed only when a position
 * is asked for: the shipped files are most of the start-up time otherwise.
 */
export const readYaml = (
  text: string,
  known: ParsedTexts = {}
): Either.Either<YamlDocument, ReadonlyArray<YamlProblem>> => {
  if (Buffer.byteLength(text) > maximumBytes)
    return Either.left([{ line: 1, column: 1, message: `the file is larger than ${maximumBytes} bytes` }])
  const before = known[textDigest(text)]
  if (before === undefined) return parsed(text)
  let document: Either.Either<YamlDocument, unknown> | undefined
  return Either.right({
    ...before,
    positionOf: (path) => {
      document ??= parsed(text)
      return Either.isRight(document) ? document.right.positionOf(path) : { line: 1, column: 1 }
    }
  })
}
