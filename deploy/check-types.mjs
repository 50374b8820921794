// Checks the types of everything from nothing: one process for each of two processors, each of which judges its part of the files. `tsc`
// judges one file after the other on one processor; with what it keeps from its last run (npm run typecheck) it is the quicker way to
// judge a small change. The compiler is the patched one, so that the Effect diagnostics are among its own.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { availableParallelism } from "node:os"

/** neighbours stay together, because they share types: of each length the number of the part, and the parts are about as long */
export const partsOf = (lengths, parts) => {
  const whole = lengths.reduce((sum, length) => sum + length, 0)
  let before = 0
  return lengths.map((length) => {
    const part = Math.min(parts - 1, Math.floor(((before + length / 2) * parts) / Math.max(1, whole)))
    before += length
    return part
  })
}

const judge = (part, parts) => {
  const ts = createRequire(import.meta.url)("typescript")
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
    "tsconfig.json",
    { noEmit: true, incremental: false, tsBuildInfoFile: undefined },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => report(ts, [problem]) }
  )
  const program = ts.createProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors })
  const files = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)
  const places = partsOf(
    files.map(({ text }) => text.length),
    parts
  )
  const own = files.filter((_, at) => places[at] === part)
  const general = part === 0 ? [...errors, ...program.getOptionsDiagnostics()] : []
  const found = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file)
  ])
  return report(ts, [...general, ...found, ...program.getGlobalDiagnostics()])
}

const report = (ts, problems) => {
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => "\n"
  }
  const text = ts.sys.writeOutputIsTTY?.() ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics
  process.stdout.write(text(ts.sortAndDeduplicateDiagnostics(problems), host))
  return problems.length === 0 ? 0 : 1
}

/** the compiler makes much that is soon forgotten: with room for it less is looked at twice */
const room = "--max-semi-space-size=64"

const run = (part, parts) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [room, import.meta.filename, String(part), String(parts)], {
      stdio: "inherit"
    })
    child.once("close", (code) => resolve(code ?? 1))
  })

if (process.argv[1] === import.meta.filename) {
  const [part, parts] = process.argv.slice(2).map(Number)
  if (part !== undefined && parts !== undefined) process.exitCode = judge(part, parts)
  else {
    const count = Math.min(2, availableParallelism())
    const codes = await Promise.all(Array.from({ length: count }, (_, at) => run(at, count)))
    process.exitCode = Math.max(...codes)
  }
}
