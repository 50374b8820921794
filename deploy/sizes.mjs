// What a reader can look through: files of a folder, lines of a function. A folder with more stands here with its number, which may only fall.
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import ts from "typescript"

const mostFiles = 20
/** folders with more files: what tests have in common, and tests */
const largeFolders = { "test/bench": 23, "test/support": 82 }

const mostLines = 80

const named = (node) =>
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node)

/** the longest function of each name, in lines */
const functionsOf = (path) => {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line
  const longest = new Map()
  const visit = (node, name) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1
      longest.set(name, Math.max(lines, longest.get(name) ?? 0))
    }
    const own = named(node) && node.name !== undefined ? node.name.getText(source) : name
    ts.forEachChild(node, (child) => visit(child, own))
  }
  visit(source, "")
  return longest
}

/** one line for each folder and function that is larger than it may be; `sources`: paths of modules. A test's function is a table of cases. */
export const sizeProblems = (sources) => {
  const files = new Map()
  for (const path of sources) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
  const folders = [...files].flatMap(([folder, count]) => {
    const most = largeFolders[folder] ?? mostFiles
    return count > most
      ? [`${folder} holds ${count} files, ${most} are the most: divide it by what a reader looks for`]
      : []
  })
  const functions = sources
    .filter((path) => !path.startsWith("test/"))
    .flatMap((path) =>
      [...functionsOf(path)].flatMap(([name, lines]) =>
        lines > mostLines ? [`${path}: ${name} has ${lines} lines, ${mostLines} are the most: make it of parts`] : []
      )
    )
  return [...folders, ...functions]
}
