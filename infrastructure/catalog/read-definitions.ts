/**
 * Reads `<configdir>/providers` and `/collections` into domain records. All problems of all files are collected; a file with an error
 * contributes nothing. No file is executed, followed outside its folder, or changed. Reference: providers-and-collections.md, "Loading".
 */

import { createHash, type Hash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { Either, ParseResult, Schema } from "effect"
import { CollectionFile, ProviderFile } from "../../config/definition-schemas.ts"
import { definitionOfCollection, definitionOfProvider } from "../../config/definitions.ts"
import { modernKeys } from "../../config/runtime-aliases.ts"
import { inWireWords } from "../../config/wire-names.ts"
import { checkCollection } from "../../domain/collection/check-collection.ts"
import type { Collection } from "../../domain/collection/collection.ts"
import type { Problem } from "../../domain/file-problem.ts"
import { checkProvider } from "../../domain/provider/check-provider.ts"
import type { Provider, RecordOrigin } from "../../domain/provider/provider.ts"
import type { Violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { pointer, stepsOf } from "../../values/json-pointer.ts"
import { nearest } from "../../values/nearest.ts"
import { type ParsedTexts, readYaml, type YamlDocument } from "./yaml-document.ts"

export interface Definition<A> {
  readonly record: A
  readonly file: string
  readonly document: YamlDocument
}

export interface Definitions {
  readonly providers: ReadonlyArray<Definition<Provider>>
  readonly collections: ReadonlyArray<Definition<Collection>>
  readonly problems: ReadonlyArray<Problem>
  /** SHA-256 over names and contents, hex */
  readonly version: string
}

export interface ReadOptions {
  readonly configDir: string
  /** folder of the definitions that came with the program; each is there unless `configDir` has a file or an id of the same name */
  readonly shippedDir?: string
  /** folder of the definitions that tenants bring */
  readonly tenantDir?: string
  /** provider id -> image that replaces the file's (setting `providers.images`, variables `EVALD_PROVIDER_IMAGE_<ID>`) */
  readonly images: { readonly [providerId: string]: string }
  /** image of this server: that of the embedded provider when nothing else is given */
  readonly embeddedImage?: string
  /** values of files as they were when the program was built */
  readonly parsedTexts?: ParsedTexts
  /** files that are passed over: known to be unusable */
  readonly without?: ReadonlySet<string>
}

const embeddedProvider = "evald"

const idPattern = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/
const variableName = (id: string) => id.toUpperCase().replaceAll("-", "_")

/** the definition files of a folder by name; none when the folder does not exist, a failure when it cannot be read */
export const filesOf = (folder: string): Either.Either<ReadonlyArray<string>, string> => {
  try {
    return Either.right(
      readdirSync(folder)
        .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".."))
        .sort()
        .map((name) => join(folder, name))
    )
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable"
    return code === "ENOENT" ? Either.right([]) : Either.left(`the folder cannot be read (${code})`)
  }
}

const idOfFile = (file: string): string => basename(file).replace(/\.ya?ml$/, "")

/** does this file come from the shipped definitions, and not from the user's own? */
export const isShipped = (
  file: string,
  { configDir, shippedDir }: Pick<ReadOptions, "configDir" | "shippedDir">
): boolean =>
  shippedDir !== undefined &&
  resolve(shippedDir) !== resolve(configDir) &&
  resolve(file).startsWith(`${resolve(shippedDir)}/`)

/** the parts of a JSON Pointer; array positions as numbers */
export const positionsOf = (text: string): ReadonlyArray<string | number> =>
  stepsOf(text).map((part) => (/^\d+$/.test(part) ? Number(part) : part))

const problemAt = (
  file: string,
  document: YamlDocument,
  path: string,
  message: string,
  code: string,
  severity: Problem["severity"] = "error"
): Problem => ({
  code,
  severity,
  file,
  path,
  message,
  ...document.positionOf(positionsOf(path))
})

/** a broken rule gets the lint code of its place */
const codeOf = (path: string, code: string): string => {
  if (code === "resource_does_not_exist") return "L003"
  if (/^\/runtime\/k8s\/(cpu|memory)_/.test(path)) return "L022"
  if (/^\/parameters\//.test(path)) return "L030"
  if (/^\/benchmarks\/\d+\/id$/.test(path)) return "L002"
  return /\/(summary|description|name|tags|category)(\/|$)/.test(path) ? "L028" : "L001"
}

/** the formatter's sentence in words of the file: an unknown member gets the name it most likely meant */
const inWords = (path: ReadonlyArray<PropertyKey>, message: string): string => {
  const allowed = /^is unexpected, expected: (.*)$/.exec(message)?.[1]
  if (allowed === undefined)
    return message
      .replace(/^Expected (.*), actual (.*)$/s, "is $2, expected $1")
      .replaceAll(/ReadonlyArray<[^>]*>/g, "a list")
      .replaceAll(/\{ readonly [^}]*\}/g, "an object")
  const known = [...allowed.matchAll(/"([^"]*)"/g)].map(([, name = ""]) => name)
  const name = String(path.at(-1))
  const similar = nearest(name, known)
  return `'${name}' is not a known member; ${similar === undefined ? `known are ${known.join(", ")}` : `did you mean '${similar}'?`}`
}

const schemaProblems = (
  file: string,
  document: YamlDocument,
  error: ParseResult.ParseError
): ReadonlyArray<Problem> => {
  const seen = new Set<string>()
  return ParseResult.ArrayFormatter.formatErrorSync(error).flatMap(({ path, message }) => {
    const place = pointer(path.map(String))
    if (seen.has(place)) return [] // the branches of "or absent" repeat a path
    seen.add(place)
    return [problemAt(file, document, place, inWords(path, message), "L001")]
  })
}

/** one file, decoded; undefined when it can not be, with the reasons among the problems */
export const readDefinitionFile = <A extends { readonly id: string }, I>(
  file: string,
  schema: Schema.Schema<A, I>,
  problems: Array<Problem>,
  parsedTexts?: ParsedTexts
):
  | { readonly decoded: A; readonly document: YamlDocument; readonly changedAt: string; readonly text: string }
  | undefined => {
  const at = { file, path: "", line: 0, column: 0, severity: "error" as const }
  let text: string
  let changedAt: string
  try {
    text = readFileSync(file, "utf8")
    changedAt = statSync(file).mtime.toISOString()
  } catch (error) {
    problems.push({
      ...at,
      code: "L001",
      message: `cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unreadable"})`
    })
    return undefined
  }
  const yaml = readYaml(text, parsedTexts)
  if (Either.isLeft(yaml)) {
    for (const { line, column, message } of yaml.left) problems.push({ ...at, line, column, code: "L001", message })
    return undefined
  }
  const document = yaml.right
  const { value, renamed } = modernKeys(document.value)
  for (const { path, to } of renamed)
    problems.push(problemAt(file, document, path, `old spelling; write ${to}`, "L001", "warning"))
  // decoding the shipped files is a sixth of the start-up time: the build has done it with this very schema
  const decoded =
    document.decoded === undefined ? Schema.decodeUnknownEither(schema)(value) : Either.right(document.decoded as A)
  if (Either.isLeft(decoded)) {
    for (const problem of schemaProblems(file, document, decoded.left)) problems.push(problem)
    return undefined
  }
  if (!idPattern.test(decoded.right.id))
    problems.push(
      problemAt(
        file,
        document,
        "/id",
        `'${decoded.right.id}' is not an id: use a-z, 0-9, '.', '_', '-', at most 63`,
        "L002"
      )
    )
  return { decoded: decoded.right, document, changedAt, text }
}

const origin = (tenant: string | undefined): RecordOrigin => ({
  scope: tenant === undefined ? "system" : "tenant",
  readOnly: true
})

const duplicates = <A extends { readonly id: string }>(
  kind: string,
  definitions: ReadonlyArray<Definition<A>>
): ReadonlyArray<Problem> => {
  const first = new Map<string, string>()
  return definitions.flatMap(({ record, file, document }) => {
    const other = first.get(record.id)
    if (other === undefined) {
      first.set(record.id, file)
      return []
    }
    return [problemAt(file, document, "/id", `${kind} '${record.id}' is already defined in ${basename(other)}`, "L002")]
  })
}

type ReadFile<A extends { readonly id: string }> = NonNullable<ReturnType<typeof readDefinitionFile<A, unknown>>>

/** one reading of the folders: what it finds wrong, and the sum over what it reads */
interface Reading {
  readonly options: ReadOptions
  readonly problems: Array<Problem>
  readonly hash: Hash
}

const inFolder = (folder: string, problems: Array<Problem>): ReadonlyArray<string> => {
  const files = filesOf(folder)
  if (Either.isRight(files)) return files.right
  problems.push({ code: "L001", severity: "error", file: folder, path: "", line: 0, column: 0, message: files.left })
  return []
}

const listed = (
  { options: { configDir, shippedDir, without }, problems }: Reading,
  kind: "providers" | "collections"
): ReadonlyArray<string> => {
  const own = inFolder(join(configDir, kind), problems)
  const names = new Set(own.map(idOfFile))
  const shipped =
    shippedDir === undefined || resolve(shippedDir) === resolve(configDir)
      ? []
      : inFolder(join(shippedDir, kind), problems)
  return [...own, ...shipped.filter((file) => !names.has(idOfFile(file)))].filter((file) => without?.has(file) !== true)
}

/** own files come first: what they define, a shipped file does not define again */
const isReplaced = (
  options: ReadOptions,
  file: string,
  id: string,
  known: ReadonlyArray<Definition<{ readonly id: string }>>
): boolean => isShipped(file, options) && known.some(({ record }) => record.id === id)

/** the definitions of a folder; `check` judges a file and makes its record of it */
const readKind = <F extends { readonly id: string }, I, A extends { readonly id: string }>(
  reading: Reading,
  kind: "providers" | "collections",
  schema: Schema.Schema<F, I>,
  check: (read: ReadFile<F>) => Either.Either<A, ReadonlyArray<Violation>>
): ReadonlyArray<Definition<A>> => {
  const { options, problems, hash } = reading
  const definitions: Array<Definition<A>> = []
  for (const file of listed(reading, kind)) {
    const read = readDefinitionFile(file, schema, problems, options.parsedTexts)
    if (read === undefined || isReplaced(options, file, read.decoded.id, definitions)) continue
    hash.update(`${file}\n${read.text}\n`)
    const { document } = read
    const checked = check(read)
    if (Either.isRight(checked)) definitions.push({ file, document, record: checked.right })
    else
      for (const { path, message, code } of checked.left.map(inWireWords))
        problems.push(problemAt(file, document, path, message, codeOf(path, code)))
  }
  return definitions
}

/** what a record has beside its definition; `tenant` undefined: it is everybody's */
export const recordOf = (tenant: string | undefined, changedAt: string) => ({
  ...origin(tenant),
  ...defined({ tenant }),
  owner: "system",
  createdAt: changedAt,
  updatedAt: changedAt
})

/** the image that the settings give a provider */
const imageOf = ({ images, embeddedImage }: ReadOptions, id: string, own: string | undefined): string | undefined =>
  images[id] ?? images[variableName(id)] ?? (id === embeddedProvider && own === undefined ? embeddedImage : undefined)

/** the rules of the shipped providers are a part of every start: the build has judged them with this very check */
const soundProvider = ({ decoded, document }: ReadFile<typeof ProviderFile.Type>) => {
  const definition = definitionOfProvider(decoded)
  return document.sound === true ? Either.right(definition) : checkProvider(definition)
}

/** reads everything; never fails: what is wrong is in `problems` */
export const readDefinitions = (options: ReadOptions): Definitions => {
  const problems: Array<Problem> = []
  const hash = createHash("sha256")
  const reading: Reading = { options, problems, hash }
  const providers = readKind(reading, "providers", ProviderFile, (read) =>
    Either.map(soundProvider(read), (definition): Provider => {
      const { id } = read.decoded
      const image = imageOf(options, id, definition.runtime.k8s?.image)
      const runtime =
        image === undefined ? definition.runtime : { ...definition.runtime, k8s: { ...definition.runtime.k8s, image } }
      return { id, ...definition, runtime, ...recordOf(read.decoded.tenant, read.changedAt) }
    })
  )
  const providerOf = (id: string) => providers.find(({ record }) => record.id === id)?.record
  const collections = readKind(reading, "collections", CollectionFile, (read) =>
    Either.map(
      checkCollection(definitionOfCollection(read.decoded), providerOf),
      (definition): Collection => ({
        id: read.decoded.id,
        ...definition,
        ...recordOf(read.decoded.tenant, read.changedAt)
      })
    )
  )
  problems.push(...duplicates("provider", providers), ...duplicates("collection", collections))
  hash.update(JSON.stringify(options.images))
  return { providers, collections, problems, version: hash.digest("hex") }
}
