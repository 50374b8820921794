/**
 * The same replies read by evald and by the extractors of other frameworks, as they come from PyPI: gsm8k's and the flan multiple-choice filter of
 * the LM Evaluation Harness, `match(numeric=True)` and `multiple_choice` of Inspect. docs/answers.md lists every form that they read otherwise.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { choiceKind, LETTERS } from "../../../providers/evald/answers/choice-kind.ts"
import { numberKind } from "../../../providers/evald/answers/number-kind.ts"
import { readAnswer } from "../../../providers/evald/answers/read-answer.ts"
import { readValue } from "../../../providers/evald/answers/reading.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { CHOICE_FORMS, NO_CHOICE } from "../../unit/providers/evald/answers/choice-forms.ts"
import { NO_NUMBER, NUMBER_FORMS } from "../../unit/providers/evald/answers/number-forms.ts"

const script = fileURLToPath(new URL("extract.py", import.meta.url))
const page = readFileSync(new URL("../../../docs/answers.md", import.meta.url), "utf8").replace(/\s+/g, " ")

type Kind = "number" | "choice"

interface Case {
  readonly kind: Kind
  /** form and whether it holds an answer at all */
  readonly name: string
  readonly holds: boolean
  readonly reply: string
  readonly target: string
  readonly choices: ReadonlyArray<string>
  /** the answer that the reply gives is the target */
  readonly isRight: boolean
}

const OPTIONS = ["Canberra", "Sydney", "Melbourne", "Perth"]
const text = (letter: string) => OPTIONS[LETTERS.indexOf(letter)] ?? ""

/** each reply with the target that it gives, and with the other one that it mentions */
const both = (kind: Kind, name: string, holds: boolean, reply: string, x: string, y: string): ReadonlyArray<Case> =>
  [x, y].map((target) => ({
    kind,
    name,
    holds,
    reply,
    target,
    choices: kind === "choice" ? OPTIONS : [],
    isRight: holds && target === x
  }))

const numbers = [
  ["42", "41"],
  ["1204", "17"],
  ["980123", "12"]
] as const
const letters = [
  ["A", "C"],
  ["B", "D"],
  ["D", "A"]
] as const

const CASES: ReadonlyArray<Case> = [
  ...NUMBER_FORMS.flatMap(([name, form]) => numbers.flatMap(([x, y]) => both("number", name, true, form(x, y), x, y))),
  ...NO_NUMBER.flatMap(([name, , form]) => numbers.flatMap(([x, y]) => both("number", name, false, form(x, y), x, y))),
  ...CHOICE_FORMS.flatMap(([name, form]) =>
    letters.flatMap(([x, y]) => both("choice", name, true, form(x, y, text), x, y))
  ),
  ...NO_CHOICE.flatMap(([name, , form]) =>
    letters.flatMap(([x, y]) => both("choice", name, false, form(x, y, text), x, y))
  )
]

const ours = ({ kind, reply, target, choices }: Case) =>
  readValue(readAnswer(reply, kind === "number" ? numberKind : choiceKind(choices))) === target

const namesOf = (kind: Kind, holds: boolean) => [
  ...new Set(CASES.filter((one) => one.kind === kind && one.holds === holds).map(({ name }) => name))
]

/** sentences of docs/answers.md about one framework */
const told = (framework: string, verdicts: ReadonlyArray<boolean>): ReadonlyArray<string> => {
  const differing = (kind: Kind, pick: (one: Case, peer: boolean) => boolean) => [
    ...new Set(CASES.filter((one, at) => one.kind === kind && pick(one, verdicts[at] ?? false)).map(({ name }) => name))
  ]
  return (["number", "choice"] as const).flatMap((kind) => {
    const all = namesOf(kind, true).length
    const lost = differing(kind, (one, peer) => one.isRight && !peer)
    const given = differing(kind, (one, peer) => !one.isRight && peer)
    return [
      `${framework}, ${kind}s: the right answer is read in ${all - lost.length} of ${all} forms; lost in: ${lost.join("; ")}.`,
      `${framework}, ${kind}s: a wrong or missing answer counts as right in: ${given.length === 0 ? "none" : given.join("; ")}.`
    ]
  })
}

const extracted = (python: string, framework: string) =>
  new Promise<string>((resolve, reject) => {
    const child = execFile(python, [script, framework], { maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error)
    )
    child.stdin?.end(JSON.stringify(CASES))
  })

const peers = [
  ["lm-eval", "lm_eval", await peerVenv(peerEnvironments.lmEval)],
  ["Inspect", "inspect", await peerVenv(peerEnvironments.inspect)]
] as const

it("evald reads the right answer in every form, and never another one", () => {
  assert.deepStrictEqual(
    CASES.filter((one) => ours(one) !== one.isRight).map(({ name, reply }) => `${name}: ${reply}`),
    []
  )
})

for (const [name, framework, venv] of peers)
  describe.runIf(venv._tag === "Ready")(`${name} from PyPI on the same replies`, () => {
    it("every difference is listed in docs/answers.md", { timeout: 240_000 }, async () => {
      const bin = venv._tag === "Ready" ? venv.bin : ""
      const output = await extracted(join(bin, "python"), framework)
      const verdicts = JSON.parse(output.slice(output.indexOf("["))) as ReadonlyArray<boolean>
      assert.lengthOf(verdicts, CASES.length)
      for (const sentence of told(name, verdicts)) assert.include(page, sentence.replace(/\s+/g, " "))
    })
  })
