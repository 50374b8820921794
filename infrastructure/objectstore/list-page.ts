/**
 * The two XML documents of S3 that matter here: a page of ListObjectsV2 and an error. Both are flat enough for a reader of their few
 * elements; names in other namespaces and unknown elements are passed over.
 */
import { Either } from "effect"

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

const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|([a-z]+));/g, (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** text of the first element of this name; elements of other names around it do not matter */
export const elementText = (xml: string, name: string): string | undefined => {
  const found = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>([^<]*)</${name}\\s*>)`).exec(xml)
  return found === null ? undefined : unescaped(found[1] ?? "")
}

/** with `encoding-type=url` keys come percent-encoded, blanks as `+`; a server that ignores the wish does not say so in the answer */
const keyDecoder = (xml: string): ((key: string) => string) =>
  elementText(xml, "EncodingType") === "url" ? (key) => decodeURIComponent(key.replaceAll("+", "%20")) : (key) => key

const readObject = (xml: string, decode: (key: string) => string): ListedObject | undefined => {
  const key = elementText(xml, "Key")
  const size = elementText(xml, "Size")?.trim()
  if (key === undefined || size === undefined || !/^\d{1,15}$/.test(size)) return undefined
  return { key: decode(key), size: Number(size), etag: elementText(xml, "ETag")?.trim() ?? "" }
}

/** left: what is wrong with the document */
export const readListPage = (xml: string): Either.Either<ListPage, string> => {
  if (!/<ListBucketResult[\s>]/.test(xml) || !/<\/ListBucketResult\s*>\s*$/.test(xml)) return Either.left("is no complete object listing")
  return Either.try({
    try: () => {
      const decode = keyDecoder(xml)
      return [...xml.matchAll(/<Contents(?:\s[^>]*)?>([\s\S]*?)<\/Contents\s*>/g)].map(([, body = ""]) => readObject(body, decode))
    },
    catch: () => "has a key that is not encoded as announced"
  }).pipe(
    Either.flatMap((found) => {
      const objects = found.filter((object) => object !== undefined)
      if (objects.length < found.length) return Either.left("has an object without key or size")
      const truncated = elementText(xml, "IsTruncated")?.trim() === "true"
      const next = elementText(xml, "NextContinuationToken")
      if (truncated && (next === undefined || next === "")) return Either.left("is cut but names no continuation")
      return Either.right({ objects, next: truncated ? next : undefined })
    })
  )
}
