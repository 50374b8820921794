/** `evald import <format> FILE`: an evaluation of another tool becomes a collection and its data. Exit codes: 0 imported, 1 not, 64 usage. Reference: docs/custom-data.md, "Evaluations of other tools". */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename, extname } from "node:path"
import { Either } from "effect"
import { parse } from "yaml"
import { defined } from "../../values/defined.ts"
import { readJson } from "../../values/json-text/read-json.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import type { Imported } from "../cli/import/imported.ts"
import { readOpenAiEvals } from "../cli/import/openai-evals.ts"
import { readPromptfoo } from "../cli/import/promptfoo.ts"
import { writeImported } from "../cli/import/write-imported.ts"
import { importFormats as formats, importHelp as help } from "../cli/own-commands.ts"

type Format = (typeof formats)[number]

const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : "failed"

const read = (file: string): Either.Either<string, string> =>
  Either.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)),
    catch: (cause) => `${file} cannot be read: ${reasonOf(cause)}`
  })

const lines = (file: string): Either.Either<ReadonlyArray<unknown>, string> =>
  Either.flatMap(read(file), (text) =>
    Either.mapLeft(
      Either.all(
        text
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(readJson)
      ),
      (reason) => `${file} is not JSON Lines: ${reason}`
    )
  )

const imported = (
  format: Format,
  file: string,
  text: string,
  data: string | undefined
): Either.Either<Imported, string> =>
  Either.gen(function* () {
    // YAML has JSON within it
    const document = yield* Either.try({
      try: (): unknown => (format === "promptfoo" ? parse(text, { maxAliasCount: 100 }) : JSON.parse(text)),
      catch: (cause) => `${file} cannot be read as ${format === "promptfoo" ? "YAML" : "JSON"}: ${reasonOf(cause)}`
    })
    const rows = data === undefined ? undefined : yield* lines(data)
    const name = basename(file, extname(file))
    return yield* Either.mapLeft(
      format === "promptfoo" ? readPromptfoo(document, name) : readOpenAiEvals(document, rows),
      (problem) => `${file} can not be imported as ${format}: ${problem}`
    )
  })

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`

const run = (
  format: Format,
  file: string,
  values: ReadonlyMap<string, ReadonlyArray<string>>
): Either.Either<string, string> =>
  Either.gen(function* () {
    const value = (name: string) => values.get(name)?.[0]
    const text = yield* read(file)
    const found = yield* imported(format, file, text, value("data"))
    const left = found.leftOut.map(({ what, why }) => `left out: ${what}: ${why}\n`).join("")
    if (found.sets.length === 0)
      return yield* Either.left(`${file}: nothing of it has a counterpart\n${left}`.trimEnd())
    const url = value("judge-url")
    const source = { file: basename(file), sha256: createHash("sha256").update(text).digest("hex"), format }
    const written = yield* Either.try({
      try: () =>
        writeImported(found, {
          ...{ directory: value("output") ?? "imported", bucket: value("bucket") ?? "imported", source },
          ...(url === undefined ? {} : { judge: { url, ...defined({ name: value("judge-name") }) } })
        }),
      catch: (cause) => `it cannot be written: ${reasonOf(cause)}`
    })
    const needsJudge = found.sets.some(
      ({ scorer, judge }) =>
        scorer === "grader" && (url === undefined || (judge === undefined && value("judge-name") === undefined))
    )
    return [
      ...found.sets.map(({ id, scorer, rows, notes }) =>
        [`${id}: ${count(rows.length, "item")}, scorer ${scorer}`, ...notes.map((note) => `  note: ${note}`)].join("\n")
      ),
      ...(left === "" ? [] : [left.trimEnd()]),
      ...(needsJudge
        ? ["graders need a model: --judge-url with --judge-name, or parameter judge of the job's collection"]
        : []),
      `collection ${written.id} in ${written.collection}`,
      `data in ${written.data}`,
      `record in ${written.record}`
    ].join("\n")
  })

const isFormat = (text: string | undefined): text is Format => formats.some((format) => format === text)

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  const [format, file, ...further] = positional
  if (switches.has("help")) {
    process.stdout.write(renderHelp(help))
    return
  }
  const wrong =
    problems[0] ??
    (isFormat(format)
      ? file === undefined
        ? "which file?"
        : further.length > 0
          ? "one file at a time"
          : undefined
      : `the format is one of ${formats.join(", ")}`)
  if (wrong !== undefined || !isFormat(format) || file === undefined) {
    process.stderr.write(`evald import: ${wrong}\n\n${renderHelp(help)}`)
    process.exitCode = usageExit
    return
  }
  Either.match(run(format, file, values), {
    onLeft: (problem) => {
      process.stderr.write(`evald import: ${problem}\n`)
      process.exitCode = 1
    },
    onRight: (text) => {
      process.stdout.write(`${text}\n`)
    }
  })
}
