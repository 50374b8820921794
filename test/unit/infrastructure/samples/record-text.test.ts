/** The digest of a record is that of its canonical JSON, however it is made. Reference: samples.md, "Summary". */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { comparedDocument } from "../../../../domain/sample/kept-document.ts"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { keptText, recordText } from "../../../../infrastructure/samples/record-text.ts"
import { canonicalJson } from "../../../../values/canonical-json.ts"

const plain = {
  verdict: "correct",
  task: "t",
  v: 1,
  sample_id: "s",
  repeat: 0,
  index: 3,
  latency_ms: 5,
  started_at: "now"
}

const cases: ReadonlyArray<readonly [string, object]> = [
  ["members in any order", { tokens: { prompt: 1, completion: 2 }, prompt: [{ role: "user", content: "é\n\u2028" }] }],
  ["members that are numbers", { reference: { "10": 1, "9": 2, b: { "1": [] } } }],
  ["members of prototypes", { reference: JSON.parse('{"b": 1, "__proto__": {"a": 1}, "constructor": 2}') as object }],
  ["numbers as JavaScript writes them", { score: -0, scores: { a: 1e21, b: 0.1 + 0.2, c: 1e-7 } }]
]

describe("a record to be stored", () => {
  it.each(cases)("%s", (_, members) => {
    const { sample } = readSample({ ...plain, ...members }, [])
    if (sample === undefined) return assert.fail("not read")
    const { text, digest } = recordText(sample)
    const canonical = canonicalJson(comparedDocument(sample))
    assert.strictEqual(text, canonical)
    assert.strictEqual(digest, createHash("sha256").update(canonical).digest("hex"))
    const kept = keptText(sample, { text, digest }, "full")
    assert.deepStrictEqual(JSON.parse(kept), JSON.parse(JSON.stringify(sample.document)))
    assert.notInclude(canonical, "latency_ms")
  })
})
