/**
 * A framework's output as lines. Progress bars redraw themselves with carriage returns: every state is told, only the last one of a line
 * is kept, so that a bar of a thousand steps is one line of the log.
 */
import { StringDecoder } from "node:string_decoder"

/** a line that goes on for ever is cut here */
const maxLine = 64 * 1024

export interface LineReader {
  readonly push: (chunk: Buffer) => void
  /** what is left without a line end */
  readonly end: () => void
}

/** `onState`: every line and every state of a progress bar; `onLine`: lines as a terminal would finally show them */
export const lineReader = (onState: (line: string) => void, onLine: (line: string) => void): LineReader => {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  /** the last complete state of the line that is being redrawn */
  let shown: string | undefined
  const finish = (text: string) => {
    const line = text === "" ? (shown ?? "") : text
    if (text !== "") onState(text)
    shown = undefined
    onLine(line)
  }
  const take = (text: string) => {
    const parts = (rest + text).split(/(\r\n|\n|\r)/)
    rest = (parts.pop() ?? "").slice(0, maxLine)
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const line = parts[at] ?? ""
      if (parts[at + 1] !== "\r") finish(line)
      else if (line.trim() !== "") {
        shown = line
        onState(line)
      }
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
export const tailOf = (maxBytes: number): { readonly add: (line: string) => void; readonly lines: () => ReadonlyArray<string> } => {
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
