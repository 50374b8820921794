/** The blocks of code of a page, and who runs them: a mark above a block says so. */
import { readFileSync } from "node:fs"

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** the HTML comment directly above it */
  readonly mark: string
}

export const blocksOf = (page: string): ReadonlyArray<Block> => {
  const text = readFileSync(page, "utf8")
  return [...text.matchAll(/(?:^<!-- ([^\n]*) -->\n)?^```([^\n]*)\n(.*?)^```$/gms)].map((found) => ({
    page,
    line: text.slice(0, found.index).split("\n").length,
    mark: found[1] ?? "",
    language: found[2] ?? "",
    text: found[3] ?? ""
  }))
}

/** texts of the blocks that a file of tests runs, as their marks say, in the order of the page */
export const blocksRunBy = (file: string, page: string): ReadonlyArray<string> =>
  blocksOf(page).flatMap(({ mark, text }) => (mark === `run by: ${file}` ? [text] : []))
