import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { answerName, questionOf } from "../../../../../interfaces/gateway/request-log/answer-key.ts"

/** as the reference has it: the parts, each after its length in eight bytes */
const named = (parts: ReadonlyArray<string>): string => {
  const sum = createHash("sha256")
  for (const part of parts) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(Buffer.byteLength(part)))
    sum.update(length).update(part)
  }
  return sum.digest("hex")
}

const asked = {
  tenant: "team-ü",
  upstream: { protocol: "http:", hostname: "model", port: 8000, host: "model:8000", basePath: "/v1" } as const,
  path: "/chat/completions?a=1",
  headers: ["Accept", "application/json", "X-Evald-Role", "judge", "Authorization", "Bearer secret"],
  question: { messages: [{ role: "user", content: "wie?" }], model: "m" }
}

describe("the name of a kept answer", () => {
  it("is made of question and occurrence as it always was, so that the answers of an earlier version are found", () => {
    const headers = `[["accept",["application/json"]],["accept-encoding",[]],["anthropic-beta",[]],["anthropic-version",[]],["api-version",[]],["openai-beta",[]],["x-evald-role",["judge"]]]`
    const question = named([
      ...["team-ü", "http://model:8000", "m", headers, "/v1/chat/completions?a=1"],
      `{"messages":[{"content":"wie?","role":"user"}],"model":"m"}`
    ])
    assert.strictEqual(questionOf(asked).digest.toString("hex"), question)
    assert.strictEqual(answerName(questionOf(asked), 3), named([question, "3"]))
  })
})
