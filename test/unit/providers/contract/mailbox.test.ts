import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { readMailbox, writeMailbox } from "../../../../providers/contract/mailbox.ts"

const event = (metrics: object) => ({ id: "b", provider_id: "p", benchmark_index: 0, status: "completed", metrics })
const numbers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`task_${index}/acc`, index / 7]))

describe("case 49: mailbox", () => {
  it.each<readonly [string, object, boolean]>([
    ["3 KB as it is", numbers(100), false],
    [
      "30 KB compressed",
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [
          `leaderboard/mmlu_pro/category_of_subtask_${index}/exact_match`,
          0.25
        ])
      ),
      false
    ],
    ["300 KB that do not compress, without metrics", { blob: randomBytes(200_000).toString("base64") }, true]
  ])("%s", (_, metrics, cut) => {
    const terminal = event(metrics)
    const written = writeMailbox(3, terminal)
    assert.isAtMost(Buffer.byteLength(written.text), 4_096)
    assert.strictEqual(written.cut, cut)
    const { metrics: __, ...essential } = terminal
    assert.deepStrictEqual(readMailbox(written.text), { unsent: 3, cut, terminal: cut ? essential : terminal })
  })
  it("an error message of kilobytes goes before the state does", () => {
    const written = writeMailbox(1, {
      ...event({}),
      status: "failed",
      error_message: { message: randomBytes(9_000).toString("base64") }
    })
    assert.isAtMost(Buffer.byteLength(written.text), 4_096)
    assert.deepInclude(readMailbox(written.text)?.terminal, { status: "failed", benchmark_index: 0 })
  })
  it("without a terminal event only the number is told", () =>
    assert.deepStrictEqual(readMailbox(writeMailbox(2, undefined).text), { unsent: 2, cut: false }))
  it.each(["", "panic: nil", "{}", '{"v":2,"unsent":1}', "[]", "null"])("%j is no mailbox", (text) =>
    assert.isUndefined(readMailbox(text))
  )
  it("a broken or hostile compressed part is left out", () => {
    assert.deepStrictEqual(readMailbox('{"v":1,"unsent":1,"z":"bm90IGd6aXA="}'), { unsent: 1, cut: false })
  })
  it("is total and keeps any event that fits", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (terminal, unsent) => {
        const written = writeMailbox(unsent, terminal)
        assert.isAtMost(Buffer.byteLength(written.text), 4_096)
        if (!written.cut)
          assert.deepStrictEqual(readMailbox(written.text)?.terminal, JSON.parse(JSON.stringify(terminal)))
      })
    )
    fc.assert(fc.property(fc.string(), (text) => void readMailbox(text)))
  })
})
