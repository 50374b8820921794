import { assert, describe, it } from "@effect/vitest"
import { cut, fromRuntime, isWaiting, jobCreated, jobUpdated } from "../../../../domain/job/message.ts"
import { adapterCodes, jobCodes, runtimeCodes, warningCodes } from "../../../../domain/job/message-codes.ts"
import { utf8Length } from "../../../../domain/text.ts"
import { requestCodes } from "../../../../interfaces/http/groups/request-codes.ts"

describe("messages of a job", () => {
  it("say that it was created, with notes on what is ignored", () => {
    assert.deepStrictEqual(jobCreated(["Queues are ignored."]), {
      code: "evaluation_job_created",
      message: "Evaluation job created. Queues are ignored.",
      origin: "server"
    })
  })
  it("say how far it is", () => {
    assert.strictEqual(jobUpdated("running", 1, 3).message, "Evaluation job is running: 1 of 3 benchmarks ended.")
  })
})

describe("long messages", () => {
  it("stay as they are within the limit", () => assert.strictEqual(cut("abc", 3), "abc"))
  it("are cut between characters, with a mark, within the limit", () => {
    for (const text of ["a".repeat(100), "ä".repeat(100), "漢".repeat(100), "🙂".repeat(100)])
      for (let limit = 8; limit < 40; limit += 1) {
        const short = cut(text, limit)
        assert.isAtMost(utf8Length(short), limit)
        assert.isTrue(short.endsWith("…"))
        assert.isTrue(text.startsWith(short.slice(0, -1)))
        assert.notMatch(short, /\p{Surrogate}/u)
      }
  })
})

describe("texts of a runtime", () => {
  it("hold no control characters but lines and tabs", () => {
    assert.strictEqual(
      fromRuntime("launch_failed", "\u001b[1mend\u001b[0m\u0007\r\nof\tlog \u202ex").message,
      "end\nof\tlog x"
    )
  })
})

describe("reasons for not starting", () => {
  it("come from the runtime", () => {
    assert.isTrue(isWaiting({ code: "queue_inadmissible", message: "", origin: "runtime" }))
    assert.isFalse(isWaiting({ code: "queue_inadmissible", message: "", origin: "adapter" }))
    assert.isFalse(isWaiting({ code: "evicted", message: "", origin: "runtime" }))
  })
})

describe("the catalogue of codes", () => {
  it("explains every code in a sentence, and codes are lower case", () => {
    const refusals = Object.fromEntries(Object.entries(requestCodes).map(([code, { meaning }]) => [code, meaning]))
    for (const codes of [refusals, jobCodes, runtimeCodes, adapterCodes, warningCodes])
      for (const [code, meaning] of Object.entries(codes)) {
        assert.match(code, /^[a-z]+(_[a-z]+)*$/)
        assert.isAbove(meaning.length, 15)
      }
  })
})
