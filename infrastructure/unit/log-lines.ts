/**
 * Turns the raw output of a process into lines fit to keep: valid UTF-8, no NUL, a carriage return ends a line (progress bars), no line
 * over 64 KiB, no secret. Works on whole lines, so that a secret split over two writes is found. Reference: adapter-contract.md, "Local processes".
 */
import { StringDecoder } from "node:string_decoder"

/** bytes of one line that are kept; the rest is counted */
export const maxLineBytes = 64 * 1024

const shortestSecret = 4

/** texts to blank out, longest first: each line of each secret, also as it looks inside a URL and inside JSON */
const needlesOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = secrets.flatMap((secret) => secret.split(/\r?\n/)).map((line) => line.trim())
  const forms = lines.flatMap((line) => [
    line,
    encodeURIComponent(Buffer.from(line).toString()),
    JSON.stringify(line).slice(1, -1)
  ])
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret).toSorted((a, b) => b.length - a.length)
}

const redact = (text: string, needles: ReadonlyArray<string>): string =>
  needles.reduce((clean, needle) => (clean.includes(needle) ? clean.replaceAll(needle, "***") : clean), text)

/** the first `limit` bytes of the text, cut between characters */
const head = (text: string, limit: number): string =>
  new StringDecoder("utf8").write(Buffer.from(text.slice(0, limit)).subarray(0, limit))

export interface LineShaper {
  /** complete lines, each with its newline; "" while the current line goes on */
  readonly push: (chunk: Buffer) => string
  /** what is left of an unfinished line */
  readonly finish: () => string
}

export const lineShaper = (secrets: ReadonlyArray<string>): LineShaper => {
  const needles = needlesOf(secrets)
  const longest = needles[0]?.length ?? 0
  const decoder = new StringDecoder("utf8")
  let pending = ""
  let cr = ""
  /** once the current line is over the limit: bytes already left out of it */
  let dropped: number | undefined

  const shorten = (line: string): string => {
    const bytes = Buffer.byteLength(line)
    if (bytes <= maxLineBytes) return line
    const kept = head(line, maxLineBytes)
    return `${kept}…[+${bytes - Buffer.byteLength(kept)} bytes]`
  }
  /** the pending line is over the limit: keep its beginning, count the rest until its end */
  const overflow = () => {
    if (dropped !== undefined) {
      dropped += Buffer.byteLength(pending)
      pending = ""
    } else if (pending.length > maxLineBytes + longest) {
      const clean = redact(pending, needles)
      kept = head(clean, maxLineBytes)
      dropped = Buffer.byteLength(clean) - Buffer.byteLength(kept)
      pending = ""
    }
  }
  let kept = ""
  const endOverflow = (rest: string): string => {
    const line = `${kept}…[+${(dropped ?? 0) + Buffer.byteLength(rest)} bytes]\n`
    dropped = undefined
    kept = ""
    return line
  }
  const shape = (block: string): string => {
    const clean = redact(block, needles)
    if (Buffer.byteLength(clean) <= maxLineBytes) return clean
    return clean.split("\n").map(shorten).join("\n")
  }
  const normal = (text: string): string => {
    // first, because one may stand between a carriage return and its newline
    let clean = cr + text.replaceAll("\0", "")
    cr = ""
    if (clean.endsWith("\r")) {
      cr = "\r"
      clean = clean.slice(0, -1)
    }
    return clean.includes("\r") ? clean.replaceAll(/\r\n?/g, "\n") : clean
  }
  const take = (text: string): string => {
    const last = text.lastIndexOf("\n")
    if (last < 0) {
      pending += text
      overflow()
      return ""
    }
    let block = text.slice(0, last + 1)
    let out = ""
    if (dropped !== undefined) {
      const first = block.indexOf("\n")
      out = endOverflow(pending + block.slice(0, first))
      block = block.slice(first + 1)
    } else block = pending + block
    pending = text.slice(last + 1)
    overflow()
    return out + (block === "" ? "" : shape(block))
  }
  return {
    push: (chunk) => take(normal(decoder.write(chunk))),
    finish: () => {
      const out = take(normal(decoder.end()))
      cr = ""
      if (dropped !== undefined) return out + endOverflow("")
      const rest = pending === "" ? "" : `${shape(`${pending}\n`)}`
      pending = ""
      return out + rest
    }
  }
}
