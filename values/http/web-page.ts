/** Pages of the web where something else was asked for: of a proxy, a log-in, a server that does not know the route. */

/** a body that begins as a page of HTML does, whatever its media type says */
export const isWebPage = (body: string): boolean =>
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(body)

const named: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|([a-z]{2,5}));/gi, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (named[name?.toLowerCase() ?? ""] ?? whole) : String.fromCodePoint(Number(code))
  )

/** of a page, which may be long; and of what is told of it */
const [readLength, maxTitle] = [20_000, 120]

/** its title, or where it has none its first words, on one line; "" where it says nothing */
export const titleOfPage = (body: string): string => {
  const begin = body.slice(0, readLength)
  const title = /<title[^>]*>([\s\S]*?)<\/title>/i.exec(begin)?.[1] ?? ""
  const text = begin.replace(/<(style|script|head)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
  const line = decoded(title.trim() === "" ? text : title)
    .replace(/\s+/g, " ")
    .trim()
  return line.length > maxTitle ? `${line.slice(0, maxTitle)}…` : line
}
