/** Where a command writes: data to standard output, the rest to standard error; what is a terminal, and how wide. */
import { standClosedOutputs } from "../closed-outputs.ts"
import { NobodyReads } from "./exit.ts"

export interface Screen {
  readonly out: (text: string) => void
  /** remarks; none with --quiet */
  readonly note: (line: string) => void
  /** failures, always said */
  readonly fail: (line: string) => void
  /** columns of the terminal; undefined when standard output is none */
  readonly width: number | undefined
  /** may be asked: standard input and error are terminals */
  readonly asks: boolean
  /** columns of the terminal that standard error is */
  readonly noteWidth: number | undefined
}

const readable = (character: string): string => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`

// names come from anybody: what would move the cursor or hide text is shown as its number
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hostile = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** one line without control characters */
export const plain = (text: string): string => text.replace(hostile, readable)

/** text of several lines without control characters */
export const plainLines = (text: string): string =>
  text.replace(hostile, (one) => (one === "\n" || one === "\t" ? one : readable(one)))

const columnsOf = (stream: NodeJS.WriteStream): number | undefined =>
  stream.isTTY ? Math.max(20, stream.columns || 80) : undefined

/** data of others as it is for a program, and without control characters on a terminal */
export const dataTo = ({ out, width }: Screen, text: string): void => out(width === undefined ? text : plainLines(text))

/** when a reader has taken what was written: what is passed on as it comes is not kept for a slow one */
export const taken = (): Promise<void> =>
  process.stdout.writableNeedDrain
    ? new Promise((resolve) => {
        const events = ["drain", "error", "close"] as const
        const done = () => {
          for (const event of events) process.stdout.off(event, done)
          resolve()
        }
        for (const event of events) process.stdout.once(event, done)
      })
    : Promise.resolve()

export const processScreen = (quiet: boolean): Screen => {
  const { isRead } = standClosedOutputs()
  const fail = (line: string) => {
    process.stderr.write(`${plainLines(line)}\n`)
  }
  return {
    out: (text) => {
      // the first write that nobody takes passes: what ends after it has its own exit code
      if (!isRead()) throw new NobodyReads()
      process.stdout.write(text)
    },
    note: quiet ? () => {} : fail,
    fail,
    width: columnsOf(process.stdout),
    noteWidth: quiet ? undefined : columnsOf(process.stderr),
    asks: process.stdin.isTTY === true && process.stderr.isTTY === true
  }
}
