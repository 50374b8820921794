// Code that stands twice: runs of six or more lines that are the same to the letter, in sources and in tests. Ours, because the libraries
// that look for it compare tokens, take a minute of a processor and bring a hundred packages.
import { readFileSync } from "node:fs"

const fewest = 6

/** whole-line comments, imports, and rows of the lists of routes that a contract is made of */
const aside = /^(\/\/|\/\*|\*|import\b.*\bfrom ".*"$|\.add\(\w+\)$)/
/** says nothing by itself */
const punctuation = /^[\s()[\]{},;:.=><|&?]*$/

/** lines that count, with their numbers */
const linesOf = (path) => {
  let importing = false
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, at) => {
      const text = line.trim()
      if (/^import (type )?\{$/.test(text)) importing = true
      const counts = !(importing || aside.test(text) || punctuation.test(text))
      if (/^\} from ".*"$/.test(text)) importing = false
      return counts ? [{ text, number: at + 1 }] : []
    })
}

/** one sentence for each run that stands in two places; `paths`: of modules */
export const duplicateProblems = (paths) => {
  const files = paths.map((path) => ({ path, lines: linesOf(path) }))
  const places = new Map()
  for (const file of files)
    for (let at = 0; at + fewest <= file.lines.length; at++) {
      const run = file.lines.slice(at, at + fewest)
      const key = run.map(({ text }) => text).join("\n")
      places.set(key, [...(places.get(key) ?? []), { path: file.path, at, line: run[0].number }])
    }
  const told = new Set()
  return [...places.values()].flatMap(([first, ...others]) =>
    others.flatMap((other) => {
      // a run of one line that is repeated overlaps itself
      if (other.path === first.path && other.at - first.at < fewest) return []
      // the windows of a longer run follow each other
      const shift = `${first.path} ${other.path} ${other.at - first.at}`
      const isTold = told.has(`${shift} ${first.at - 1}`)
      told.add(`${shift} ${first.at}`)
      return isTold
        ? []
        : [
            `${other.path}:${other.line} repeats ${first.path}:${first.line}, ${fewest} lines or more to the letter: say it once`
          ]
    })
  )
}

/** a shorter one says less than the import that would take its place */
const shortestDefinition = 120

/** what stands at the edge of the page, each with the lines that belong to it, without comments and blanks */
const definitionsOf = (path) => {
  const found = []
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (/^(export )?(const|function|class|interface|type) /.test(line)) found.push([line.replace("export ", "")])
    else if (/^[^\s)}\]]/.test(line)) found.push(undefined)
    else if (!/^\s*(\/\/|\/\*|\*)/.test(line)) found.at(-1)?.push(line.trim())
  }
  return found.flatMap((lines) => lines?.join(" ").replace(/\s+/g, " ").trim() ?? [])
}

/** one sentence for each definition that two files have to the letter, name included; `paths`: of modules */
export const definitionProblems = (paths) => {
  const first = new Map()
  return paths.flatMap((path) =>
    definitionsOf(path).flatMap((text) => {
      if (text.length < shortestDefinition) return []
      const before = first.get(text)
      if (before === undefined) first.set(text, path)
      return before === undefined || before === path
        ? []
        : [`${path} defines what ${before} defines, to the letter: ${text.slice(0, 40)}…`]
    })
  )
}
