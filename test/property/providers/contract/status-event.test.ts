import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "effect/FastCheck"
import { readLenientJson } from "../../../../providers/contract/lenient-json.ts"
import { decodeStatusEvent } from "../../../../providers/contract/status-event.ts"
import { canonicalJson } from "../../../../values/canonical-json.ts"
import { cutUtf8 } from "../../../../values/clean-text.ts"

const members = [
  "provider_id",
  "benchmark_index",
  "phase",
  "error_message",
  "warning_message",
  "metrics",
  "metrics_schema",
  "artifacts",
  "additional_info"
]
const more = [
  "mlflow_run_id",
  "started_at",
  "completed_at",
  "progress",
  "completed_steps",
  "error",
  "job_meta",
  "other"
]
const status = fc.constantFrom("pending", "running", "completed", "failed")
const anyMember = fc.dictionary(fc.constantFrom(...members, ...more), fc.jsonValue({ maxDepth: 3 }))
const body = fc
  .record({ status, rest: anyMember })
  .map(({ status: one, rest }) => ({ benchmark_status_event: { id: "b", ...rest, status: one } }))

describe("decodeStatusEvent", () => {
  it("never throws, and refuses with reasons that point into the body", () =>
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
        const decoded = decodeStatusEvent(value)
        if (Either.isRight(decoded)) return
        assert.isNotEmpty(decoded.left)
        for (const { path, message } of decoded.left)
          assert.isTrue((path === "" || path.startsWith("/")) && message.length < 400)
      })
    ))

  it("says the same of the same document written another way", () =>
    fc.assert(
      fc.property(body, (value) => {
        const again: unknown = JSON.parse(canonicalJson(value))
        const digest = (one: unknown) => Either.map(decodeStatusEvent(one), ({ event }) => event.digest)
        assert.deepStrictEqual(Either.getRight(digest(value)), Either.getRight(digest(again)))
      })
    ))

  it("what is accepted can be stored: valid text and finite numbers only", () =>
    fc.assert(
      fc.property(body, (value) => {
        const decoded = decodeStatusEvent(value)
        if (Either.isLeft(decoded)) return
        assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded.right.event)), decoded.right.event)
        assert.notMatch(JSON.stringify(decoded.right.event), /\\u0000|\\ud[89a-f]/)
      })
    ))
})

describe("texts", () => {
  it("every JSON text is read as JSON.parse reads it", () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepStrictEqual(readLenientJson(JSON.stringify(value)), Either.right(JSON.parse(JSON.stringify(value))))
      )
    ))

  it("cuts are prefixes within the limit that lose less than a character", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytes) => {
        const cut = cutUtf8(text, bytes)
        assert.isTrue(text.startsWith(cut) && Buffer.byteLength(cut) <= bytes)
        if (cut !== text) assert.isAbove(Buffer.byteLength(cut), bytes - 4)
      })
    ))
})
