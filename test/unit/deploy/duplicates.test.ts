import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { definitionProblems, duplicateProblems } from "../../../deploy/duplicates.mjs"
import { tempDir } from "../../support/temp-dir.ts"

const lines = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `const value${from + at} = ${at}`)

/** what is said of two files with these lines */
const toldOf = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) =>
  Effect.map(tempDir, (folder) => {
    const paths = ["one.ts", "other.ts"].map((name) => join(folder, name))
    for (const [index, texts] of [one, other].entries()) writeFileSync(paths[index] ?? "", texts.join("\n"))
    return duplicateProblems(paths).map((text) => text.replaceAll(`${folder}/`, ""))
  })

describe("code that stands twice", () => {
  it.scoped("is told once for each run, with both places", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* toldOf([...lines(9)], ["const first = 1", "", ...lines(9)]), [
        "other.ts:3 repeats one.ts:1, 6 lines or more to the letter: say it once"
      ])
    })
  )
  it.scoped("has six lines that say something: comments, imports, brackets and lists of routes do not count", () =>
    Effect.gen(function* () {
      const silent = [
        "",
        "// a word",
        "})",
        'import { a } from "./a.ts"',
        "import {",
        "  b,",
        '} from "./b.ts"',
        ".add(list)"
      ]
      assert.deepStrictEqual(yield* toldOf([...lines(5), ...silent], [...lines(5), ...silent]), [])
      assert.lengthOf(yield* toldOf([...lines(5), ...silent, ...lines(1, 9)], [...lines(5), ...lines(1, 9)]), 1)
    })
  )
  it.scoped("is none where a name or a number differs, or where one line is repeated", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* toldOf(lines(6), lines(6, 1)), [])
      assert.deepStrictEqual(
        yield* toldOf(
          Array.from({ length: 9 }, () => '"int",'),
          lines(6)
        ),
        []
      )
    })
  )
})

describe("a definition that stands twice", () => {
  const rule = (word: string) => [
    "/** whether somebody may */",
    `const may = (who: string, what: string, when: number): boolean =>`,
    `  who.startsWith("${word}") && what.length < 100 && when > 1_000_000 && when < 2_000_000`
  ]
  const told = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) =>
    Effect.map(tempDir, (folder) => {
      const paths = ["one.ts", "other.ts"].map((name) => join(folder, name))
      for (const [index, texts] of [one, other].entries()) writeFileSync(paths[index] ?? "", texts.join("\n"))
      return definitionProblems(paths).map((text) => text.replaceAll(`${folder}/`, ""))
    })

  it.scoped("is told with both files, exported or not, whatever is said about it", () =>
    Effect.gen(function* () {
      const [, head = "", body = ""] = rule("a")
      assert.deepStrictEqual(
        yield* told(rule("a"), ["const other = 1", `export ${head}`, "  // not in general", body]),
        ["other.ts defines what one.ts defines, to the letter: const may = (who: string, what: string, …"]
      )
    })
  )
  it.scoped("is none where a letter differs, within one file, and where it is short", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* told(rule("a"), rule("b")), [])
      assert.deepStrictEqual(yield* told([...rule("a"), ...rule("a")], []), [])
      assert.deepStrictEqual(yield* told(["const one = 1"], ["const one = 1"]), [])
    })
  )
})
