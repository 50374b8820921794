/**
 * The web pages as `deploy/build-pages.mjs` left them: one document for every page, and assets whose names change with their content. They hold no data
 * and need no caller. Files are read when they are first asked for, not at the start. Reference: api.md, "Web pages".
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Answer, Exchange, Headers } from "./exchange.ts"
import { codings, tagFor } from "./middleware/coded-tags.ts"
import { choose } from "./middleware/compression.ts"
import { isCurrent, tagOf } from "./middleware/conditional.ts"

/** the first segment of each page's path; `/` is the list of jobs */
const pageNames = new Set(["", "jobs", "compare", "catalogue", "new", "usage"])

/** nothing from elsewhere, nothing inline, in nobody's frame */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const mediaTypes: { readonly [ending: string]: string } = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml"
}

interface File {
  readonly plain: Buffer
  /** by content coding, made at the build */
  readonly coded: ReadonlyMap<string, Buffer>
}

const suffixes = { br: ".br", gzip: ".gz" } as const

const readFile = (path: string): File => ({
  plain: readFileSync(path),
  coded: new Map(codings.map((coding) => [coding, readFileSync(`${path}${suffixes[coding]}`)]))
})

const assetPrefix = "/assets/"

export interface Pages {
  /** whether a path that no operation has may be a page's or an asset's */
  readonly owns: (path: string) => boolean
  /** undefined: an asset that is not there, or no pages were built */
  readonly answer: (exchange: Exchange) => Answer | undefined
}

/** `folder`: where the build put them */
export const makePages = (folder: string): Pages => {
  const document = join(folder, "index.html")
  const known = new Map<string, File>()
  let assets: ReadonlySet<string> | undefined
  const read = (path: string): File => {
    const file = known.get(path) ?? readFile(path)
    known.set(path, file)
    return file
  }
  const whole = (exchange: Exchange, { plain, coded }: File, more: Headers): Answer => {
    const coding = choose(String(exchange.headers["accept-encoding"] ?? ""))
    const body = coding === undefined ? undefined : coded.get(coding)
    const headers = { ...more, vary: "accept-encoding" }
    if (coding === undefined || body === undefined) return { status: 200, headers, body: plain }
    const etag = more["etag"] === undefined ? {} : { etag: tagFor(more["etag"], coding) }
    return { status: 200, headers: { ...headers, ...etag, "content-encoding": coding }, body }
  }
  const page = (exchange: Exchange): Answer => {
    const file = read(document)
    const etag = tagOf(file.plain.toString())
    const headers = { etag, "cache-control": "no-cache", "content-security-policy": policy }
    if (isCurrent(exchange.headers, etag)) return { status: 304, headers }
    return whole(exchange, file, {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin"
    })
  }
  const asset = (exchange: Exchange, name: string): Answer | undefined => {
    assets ??= new Set(readdirSync(join(folder, "assets")))
    const type = mediaTypes[/\.(\w+)$/.exec(name)?.[1] ?? ""]
    if (type === undefined || !assets.has(name)) return undefined
    return whole(exchange, read(join(folder, "assets", name)), {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable"
    })
  }
  return {
    owns: (path) => path.startsWith(assetPrefix) || pageNames.has(path.split("/", 2)[1] ?? ""),
    answer: (exchange) => {
      if (!existsSync(document)) return undefined
      const { path } = exchange
      return path.startsWith(assetPrefix) ? asset(exchange, path.slice(assetPrefix.length)) : page(exchange)
    }
  }
}
