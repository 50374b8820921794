/**
 * The two XML documents of S3 that matter here: a page of ListObjectsV2 and an error. Both come from another machine: a document type, which
 * could declare entities, is refused, and elements are read as own members only.
 */
import { Either } from "effect"
import { XMLParser } from "fast-xml-parser"
import { isObject, type JsonObject, ownMember } from "../../values/json.ts"

export interface ListedObject {
  readonly key: string
  readonly size: number
  /** as sent, quotes included */
  readonly etag: string
}

export interface ListPage {
  readonly objects: ReadonlyArray<ListedObject>
  /** continues the listing; undefined on the last page */
  readonly next: string | undefined
}

/** texts stay texts: a key may look like a number, and begin or end with a blank */
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => name === "Contents"
})

/** the root element of this name; undefined when the text is no whole document of that kind */
const rootOf = (xml: string, name: string): JsonObject | undefined => {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) return undefined
  const document = Either.getOrUndefined(Either.try((): unknown => parser.parse(xml, true)))
  const root = isObject(document) ? ownMember(document, name) : undefined
  // an element without content is an empty text
  return typeof root === "string" && root.trim() === "" ? {} : isObject(root) ? root : undefined
}

const textOf = (element: JsonObject, name: string): string | undefined => {
  const value = ownMember(element, name)
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === "string" ? first : undefined
}

/** the storage's own word for what is wrong; undefined when the answer is no error document */
export const errorCode = (xml: string): string | undefined => {
  const root = rootOf(xml, "Error")
  return root === undefined ? undefined : textOf(root, "Code")
}

/** with `encoding-type=url` keys come percent-encoded, blanks as `+`; a server that ignores the wish does not say so in the answer */
const keyDecoder = (page: JsonObject): ((key: string) => string) =>
  textOf(page, "EncodingType") === "url" ? (key) => decodeURIComponent(key.replaceAll("+", "%20")) : (key) => key

const readObject = (object: unknown, decode: (key: string) => string): ListedObject | undefined => {
  if (!isObject(object)) return undefined
  const key = textOf(object, "Key")
  const size = textOf(object, "Size")?.trim()
  if (key === undefined || size === undefined || !/^\d{1,15}$/.test(size)) return undefined
  return { key: decode(key), size: Number(size), etag: textOf(object, "ETag")?.trim() ?? "" }
}

/** left: what is wrong with the document */
export const readListPage = (xml: string): Either.Either<ListPage, string> => {
  const page = rootOf(xml, "ListBucketResult")
  if (page === undefined) return Either.left("is no complete object listing")
  const contents = ownMember(page, "Contents")
  return Either.try({
    try: () => (Array.isArray(contents) ? contents : []).map((object) => readObject(object, keyDecoder(page))),
    catch: () => "has a key that is not encoded as announced"
  }).pipe(
    Either.flatMap((found) => {
      const objects = found.filter((object) => object !== undefined)
      if (objects.length < found.length) return Either.left("has an object without key or size")
      const truncated = textOf(page, "IsTruncated")?.trim() === "true"
      const next = textOf(page, "NextContinuationToken")
      if (truncated && (next === undefined || next === "")) return Either.left("is cut but names no continuation")
      return Either.right({ objects, next: truncated ? next : undefined })
    })
  )
}
