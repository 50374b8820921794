/**
 * A framework's output as lines. Progress bars redraw themselves with carriage returns: every state is told, of each line the last one is
 * kept and one every ten seconds, so that a bar of a thousand steps is a few lines of the log and a long one is not silent.
 */
import { StringDecoder } from "node:string_decoder"

/** a line that goes on for ever is cut here */
const maxLine = 64 * 1024

export interface LineReader {
  readonly push: (chunk: Buffer) => void
  /** what is left without a line end */
  readonly end: () => void
}

/** between two states of one bar that are kept */
const barGapMs = 10_000

/**
 * `onState`: every line and every state of a progress bar; `onLine`: lines as a terminal would finally show them, and of a bar that takes
 * long one state every ten seconds of the clock `now` (milliseconds)
 */
export const lineReader = (
  onState: (line: string) => void,
  onLine: (line: string) => void,
  now: () => number = () => performance.now()
): LineReader => {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  /** the last complete state of the line that is being redrawn */
  let shown: string | undefined
  /** when the bar that is being redrawn began or was kept last, and what was kept */
  let keptMs: number | undefined
  let kept: string | undefined
  const finish = (text: string) => {
    const line = text === "" ? (shown ?? "") : text
    if (text !== "") onState(text)
    if (kept === undefined || kept !== line) onLine(line)
    shown = undefined
    keptMs = undefined
    kept = undefined
  }
  const redraw = (line: string) => {
    shown = line
    onState(line)
    keptMs ??= now()
    if (now() - keptMs < barGapMs) return
    keptMs = now()
    kept = line
    onLine(line)
  }
  const take = (text: string) => {
    const parts = (rest + text).split(/(\r\n|\n|\r)/)
    rest = (parts.pop() ?? "").slice(0, maxLine)
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const line = parts[at] ?? ""
      if (parts[at + 1] !== "\r") finish(line)
      else if (line.trim() !== "") redraw(line)
    }
  }
  return {
    push: (chunk) => take(decoder.write(chunk)),
    end: () => {
      take(decoder.end())
      const left = rest
      rest = ""
      if (left !== "" || shown !== undefined) finish(left)
    }
  }
}

/** keeps the newest lines that together hold at most `maxBytes` */
export const tailOf = (
  maxBytes: number
): { readonly add: (line: string) => void; readonly lines: () => ReadonlyArray<string> } => {
  const kept: Array<string> = []
  let bytes = 0
  return {
    add: (line) => {
      kept.push(line)
      bytes += Buffer.byteLength(line) + 1
      while (bytes > maxBytes && kept.length > 1) bytes -= Buffer.byteLength(kept.shift() ?? "") + 1
    },
    lines: () => kept
  }
}
