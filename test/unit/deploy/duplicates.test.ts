import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { duplicateProblems } from "../../../deploy/duplicates.mjs"
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
