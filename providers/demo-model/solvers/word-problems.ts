/** Recognises the situation of a problem in words and works with its numbers in the order they are told. */
import { numberSolution } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

type Formula = (...numbers: ReadonlyArray<number>) => number

const situation = (cue: RegExp, formula: (n: (index: number) => number) => number): readonly [RegExp, Formula] => [
  cue,
  (...numbers) => formula((index) => numbers[index] ?? Number.NaN)
]

/** the first cue that fits decides; more special situations come first */
const SITUATIONS: ReadonlyArray<readonly [RegExp, Formula]> = [
  situation(/uses a voucher worth/, (n) => n(5) - (n(0) * n(1) + n(2) * n(3) - n(4))),
  situation(/How many dollars does everything cost/, (n) => n(0) * n(1) + n(2) * n(3)),
  situation(/buys \d+ .* How many dollars does that cost/, (n) => n(0) * n(1)),
  situation(/in opposite directions/, (n) => n(0) * n(3) + n(1) * n(2)),
  situation(/and then for \d+ hours at/, (n) => n(0) * n(1) + n(2) * n(3)),
  situation(/kilometres per hour for \d+ hours/, (n) => n(0) * n(1)),
  situation(/How many \w+ are left over/, (n) => (n(0) * n(1) - n(2)) % n(3)),
  situation(/keeps \d+ and shares the others/, (n) => (n(0) - n(1)) / n(2)),
  situation(/shares \d+ \w+ equally among/, (n) => n(0) / n(1)),
  situation(/the sum of their ages will be/, (n) => (n(0) * (n(2) - 2 * n(1))) / (n(0) + 1)),
  situation(/Together they are \d+ years old/, (n) => n(1) / (n(0) + 1)),
  situation(/years older than/, (n) => n(0) + n(1)),
  situation(/is raised by \d+ percent, and later/, (n) => Math.round((n(0) * (100 + n(1)) * (100 - n(2))) / 10_000)),
  situation(/number grows by \d+ percent/, (n) => Math.round((n(0) * (100 + n(1))) / 100) - n(2)),
  situation(/reduced by \d+ percent/, (n) => Math.round((n(0) * (100 - n(1))) / 100)),
  situation(/workers need \d+ days/, (n) => (n(0) * n(1)) / n(2)),
  situation(/turn out to be faulty/, (n) => n(0) * n(1) * n(2) - n(3)),
  situation(/parts in one hour/, (n) => n(0) * n(1)),
  situation(/What is the area of the path/, (n) => (n(0) + 2 * n(2)) * (n(1) + 2 * n(2)) - n(0) * n(1)),
  situation(/fence around it costs/, (n) => 2 * (n(0) + n(1)) * n(2)),
  situation(/What is its area in square metres/, (n) => n(0) * n(1)),
  situation(/How many more marbles than/, (n) => n(0) * n(1) - n(2) - n(3) - n(0) - n(3)),
  situation(/marbles do the three have together/, (n) => n(0) * (2 + n(1)) - n(2)),
  situation(/marbles do they have together/, (n) => 2 * n(0) + n(1))
]

export const wordProblemSolver: Solver = {
  family: "arithmetic",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation)
    const [, formula] = SITUATIONS.find(([cue]) => question !== undefined && cue.test(question)) ?? []
    if (question === undefined || formula === undefined) return undefined
    const value = formula(...(question.match(/\d+/g) ?? []).map(Number))
    return Number.isInteger(value) ? numberSolution(value, random) : undefined
  }
}
