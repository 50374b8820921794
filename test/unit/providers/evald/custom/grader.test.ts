/** What a second model is asked about a reply, and what is read from what it says. */
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { type Grader, questionOf, readGraded, readGrader } from "../../../../../providers/evald/custom/grader.ts"

const messages = [{ role: "user", content: "Is this fine: {{reply}}?" }]
const grader = (given: object): Grader =>
  Either.getOrThrowWith(readGrader({ messages, ...given }), (problem) => new Error(problem))
const labels = grader({ labels: ["very good", "good", "bad"], passing_labels: ["very good", "good"] })
const score = grader({ range: [1, 5], pass_threshold: 4 })

describe("a grader", () => {
  it("is asked about the reply, as it is, and told the form of its answer", () => {
    assert.deepStrictEqual(questionOf(labels, "$& and {{reply}}"), [
      {
        role: "user",
        content:
          'Is this fine: $& and {{reply}}?\n\nFinish with a last line of the form "Label: <x>", where <x> is one of these: very good, good, bad.'
      }
    ])
    assert.match(questionOf(score, "x")[0]?.content ?? "", /a number from 1 to 5\.$/)
  })

  it("names one of its labels, in its last line or as its whole reply; anything else is no decision", () => {
    const told = (text: string) => {
      const graded = readGraded(labels, text)
      return graded === undefined ? undefined : [graded.told, graded.passed, graded.value]
    }
    assert.deepStrictEqual(
      ["It lacks.\nLabel: bad", "**Label:** Very Good.", "good", "Label: bad\nno, Label: good", "label - bad"].map(
        told
      ),
      [
        ["bad", false, 0],
        ["very good", true, 1],
        ["good", true, 1],
        ["bad", false, 0],
        ["bad", false, 0]
      ]
    )
    assert.deepStrictEqual(["", "Label: great", "It is good and bad", "Label:"].map(told), [
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("gives a number of its range, which passes from the threshold on", () => {
    const told = (text: string) => {
      const graded = readGraded(score, text)
      return graded === undefined ? undefined : [graded.passed, graded.value]
    }
    assert.deepStrictEqual(["Score: 5", "so so\nScore: 3.5", "4", "**Score**: 4/5"].map(told), [
      [true, 1],
      [false, 0.625],
      [true, 0.75],
      [true, 0.75]
    ])
    assert.deepStrictEqual(["Score: 6", "Score: 0.5", "Score: high", "Score: -3"].map(told), [
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("that is none is said to be none", () => {
    const problem = (given: unknown) => Either.getOrElse(Either.flip(readGrader(given)), () => "taken")
    assert.match(problem("x"), /is not an object/)
    assert.match(problem({ messages: [], range: [0, 1], pass_threshold: 1 }), /no messages/)
    assert.match(problem({ messages: [{ role: "user", content: "x" }] }), /no message with \{\{reply\}\}/)
    assert.match(problem({ messages, labels: ["a"], passing_labels: ["b"] }), /neither labels/)
    assert.match(problem({ messages, range: [1, 0], pass_threshold: 1 }), /neither labels/)
    assert.match(problem({ messages, range: [0, 1] }), /neither labels/)
  })
})
