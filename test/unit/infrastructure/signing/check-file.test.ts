/** Files of signed results: each of ten thousand changes of one bit is found, and so is what a careful hand would change. */
import { generateKeyPairSync } from "node:crypto"
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { imageStatement, type Results, resultStatement } from "../../../../domain/attestation/statement.ts"
import { checkFile } from "../../../../infrastructure/signing/check-file.ts"
import { canonicalJson } from "../../../../values/canonical-json.ts"
import { digestOf } from "../../../../values/digest.ts"
import { sfc32 } from "../../../../values/sfc32.ts"
import { open, seal } from "../../../../values/signing/dsse.ts"
import { growTree, hashBytes, pathOf, rootOf } from "../../../../values/signing/merkle.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const check = (text: string) => checkFile(text, (envelope) => open(envelope, [publicKey]))

const sampleOf = (index: number) => ({
  ...{ v: 1, sample_id: `t:${index}`, task: "t", index, repeat: 0, verdict: index % 3 === 0 ? "incorrect" : "correct" },
  ...{
    prompt: `What is ${index} + 1?\n\u001f \u2028 ä €`,
    response: `It is ${index + 1}.`,
    score: index / 7,
    tokens: { prompt: 9 }
  }
})

const count = 1000
const digests = Buffer.concat(
  Array.from({ length: count }, (_, index) => Buffer.from(digestOf(sampleOf(index)), "hex"))
)
const growing = growTree(digests, hashBytes)
let step = growing.next()
while (step.done !== true) step = growing.next()
const tree = step.value

const results: Results = {
  job: {
    resource: { id: "j", tenant: "t" },
    status: { state: "completed" },
    results: { benchmarks: [{ metrics: { acc: 0.75 } }] }
  },
  samples: [{ benchmark_index: 0, count, root: rootOf(tree).toString("hex") }],
  gates: []
}
const attestation = seal(canonicalJson(resultStatement("j", results, digestOf(results.job))), privateKey)
const disclosure = (index: number, sample: object = sampleOf(index)) => ({
  attestation,
  sample,
  proof: { benchmark_index: 0, leaf_index: index, tree_size: count, path: pathOf(tree, index).toString("base64") }
})
const whole = JSON.stringify(attestation)
const one = JSON.stringify(disclosure(617))

const isFound = (bytes: Buffer): boolean => {
  const text = bytes.toString("utf8")
  return !Buffer.from(text).equals(bytes) || Either.isLeft(check(text))
}

describe("a file with signed results", () => {
  it("is what was signed, whole and one sample of it, with a line feed at its end or without", () => {
    for (const text of [whole, `${whole}\n`]) assert.deepStrictEqual(Either.getOrThrow(check(text)).results, results)
    assert.deepStrictEqual(Either.getOrThrow(check(one)).disclosed, { benchmark: 0, sample: sampleOf(617) })
  })

  it("ten thousand changes of one bit are found, every one", () => {
    const random = sfc32(1, 2, 3)
    const missed: Array<string> = []
    for (let change = 0; change < 10_000; change++) {
      const text = change % 2 === 0 ? whole : one
      const bytes = Buffer.from(text)
      const at = random() % bytes.length
      const bit = 1 << (random() % 8)
      bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at)
      if (!isFound(bytes)) missed.push(`byte ${at}, bit ${bit} of ${change % 2 === 0 ? "results" : "sample"}`)
    }
    assert.deepStrictEqual(missed, [])
  })

  it("refuses what a careful hand would change", () => {
    const { proof } = disclosure(617)
    const refused: ReadonlyArray<readonly [string, RegExp]> = [
      [JSON.stringify(attestation, null, 1), /not written as it was handed out/],
      [JSON.stringify({ ...attestation, payload: `${attestation.payload} ` }), /not base64/],
      [JSON.stringify({ ...disclosure(617), proof: { ...proof, leaf_index: 616 } }), /not among those/],
      [JSON.stringify({ ...disclosure(617), proof: { ...proof, tree_size: count - 1 } }), /no such tree/],
      [JSON.stringify({ ...disclosure(617), proof: { ...proof, benchmark_index: 1 } }), /no such tree/],
      [JSON.stringify({ ...disclosure(617), proof: { ...proof, more: 1 } }), /other members/],
      [JSON.stringify({ ...disclosure(617), proof: { ...proof, path: 1 } }), /another type/],
      [JSON.stringify({ ...disclosure(617), more: 1 }), /other members/],
      [JSON.stringify({ ...disclosure(617), sample: 1 }), /no objects/],
      [JSON.stringify(disclosure(617, sampleOf(618))), /not among those/],
      [JSON.stringify(disclosure(617, { ...sampleOf(617), verdict: "incorrect" })), /not among those/],
      // a figure that the digest does not cover would say whatever one likes
      [JSON.stringify(disclosure(617, { ...sampleOf(617), latency_ms: 1 })), /no digest covers/],
      [
        JSON.stringify(seal(canonicalJson(resultStatement("j", results, digestOf(results.job)).predicate), privateKey)),
        /no in-toto statement/
      ],
      [
        JSON.stringify(
          seal(
            canonicalJson({ ...resultStatement("j", results, digestOf(results.job)), predicateType: "urn:other" }),
            privateKey
          )
        ),
        /not about results/
      ],
      [
        JSON.stringify(
          seal(
            canonicalJson({
              ...resultStatement("j", results, digestOf(results.job)),
              predicate: { ...results, job: {} }
            }),
            privateKey
          )
        ),
        /not that of its record/
      ],
      [
        JSON.stringify(
          seal(canonicalJson({ ...resultStatement("j", results, digestOf(results.job)), subject: [] }), privateKey)
        ),
        /no subject/
      ],
      ["{}", /no DSSE envelope/],
      ["", /no JSON/]
    ]
    for (const [text, reason] of refused) {
      const found = check(text)
      assert.match(Either.isLeft(found) ? found.left : "accepted", reason, text.slice(-200))
    }
  })

  it("the proof of one sample of a million is at most 1 KB", () => {
    // a hash for each doubling of the leaves
    const path = Buffer.alloc(Math.ceil(Math.log2(1_000_000)) * hashBytes, 255)
    const proof = {
      ...{ benchmark_index: 9999, leaf_index: 999_935, tree_size: 1_000_000 },
      path: path.toString("base64")
    }
    assert.isAtMost(Buffer.byteLength(JSON.stringify(proof)), 1024)
  })

  it("the signature of an image names the image", () => {
    const digest = "0".repeat(64)
    const checked = Either.getOrThrow(
      check(JSON.stringify(seal(canonicalJson(imageStatement("evald", digest)), privateKey)))
    )
    assert.deepStrictEqual([checked.subject, checked.results], [{ name: "evald", sha256: digest }, undefined])
  })
})
