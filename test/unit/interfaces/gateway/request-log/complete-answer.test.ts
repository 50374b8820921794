/** Which answers may stand for the next one to the same question. */
import { assert, describe, it } from "vitest"
import { isComplete } from "../../../../../interfaces/gateway/request-log/complete-answer.ts"

const whole = (...reasons: ReadonlyArray<unknown>) =>
  JSON.stringify({ choices: reasons.map((finish_reason, index) => ({ index, finish_reason, text: "x" })) })
const stream = (...events: ReadonlyArray<unknown>) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("")
const part = (finish_reason: string | null, index = 0) => ({ choices: [{ index, delta: {}, finish_reason }] })

const json = "application/json"
const sse = "text/event-stream; charset=utf-8"

describe("an answer is kept", () => {
  const cases: ReadonlyArray<readonly [what: string, type: string, text: string, short: boolean, kept: boolean]> = [
    ["that stopped", json, whole("stop"), false, true],
    ["that calls tools", json, whole("tool_calls"), false, true],
    ["of the older kind of call", json, whole("function_call"), false, true],
    ["not when it was cut", json, whole("length"), false, false],
    ["cut where it was asked to be short", json, whole("length"), true, true],
    ["not when a filter stopped it", json, whole("content_filter"), true, false],
    ["not when one of its choices was cut", json, whole("stop", "length"), false, false],
    ["not without a reason", json, whole(undefined), true, false],
    ["not when it is an error", json, JSON.stringify({ error: { message: "no" } }), true, false],
    ["not when it is no JSON", json, "<html>", true, false],
    ["of a stream that ended", sse, stream(part(null), part("stop"), "[DONE]"), false, true],
    [
      "of a stream whose figures come last",
      sse,
      stream(part("stop"), { choices: [], usage: {} }, "[DONE]"),
      false,
      true
    ],
    ["not of a stream that broke off", sse, stream(part(null), part("stop")), false, false],
    ["not of a stream with an unfinished choice", sse, stream(part("stop"), part(null, 1), "[DONE]"), false, false],
    ["not of a stream that tells of an error", sse, stream(part("stop"), { error: {} }, "[DONE]"), false, false]
  ]
  for (const [what, type, text, short, kept] of cases)
    it(what, () => assert.strictEqual(isComplete(type, text, short), kept))
})
