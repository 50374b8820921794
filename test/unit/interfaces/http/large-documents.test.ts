/** What a document holds decides what it costs. None of these measures time: they count what is looked at. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Schema } from "effect"
import type { Invalid } from "../../../../application/errors.ts"
import { inWireWords } from "../../../../config/wire-names.ts"
import { applyPatch } from "../../../../domain/patch/apply-patch.ts"
import { collectionPatch, readPatch } from "../../../../domain/patch/patch-policy.ts"
import { shown } from "../../../../domain/violation.ts"
import { decoder } from "../../../../interfaces/http/dto/decode.ts"
import { decodeJobRequest, JobRequest } from "../../../../interfaces/http/dto/job-request.ts"
import { decodeCollection, decodeProvider } from "../../../../interfaces/http/dto/provider-body.ts"
import { contentOf, errorAnswer } from "../../../../interfaces/http/error-response.ts"
import { shortenMembers } from "../../../../interfaces/http/middleware/heavy-members.ts"
import { decoded, parse, parseLenient } from "../../../../interfaces/http/middleware/json-document.ts"
import { decodeStatusEvent } from "../../../../providers/contract/status-event.ts"
import { scan } from "../../../../values/json-text/json-scan.ts"
import { jobBody } from "../../../support/http-app.ts"
import { anyCharacter } from "../../../support/run/any-character.ts"

const strict = { lenient: false }
const lenient = { lenient: true }
const members = (count: number): { readonly [name: string]: number } =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))

/** counts how many elements of a list are read */
const counted = (list: ReadonlyArray<unknown>) => {
  const count = { reads: 0 }
  const watched = new Proxy([...list], {
    get: (target, name, receiver) => {
      if (typeof name === "string" && /^\d+$/.test(name)) count.reads += 1
      return Reflect.get(target, name, receiver) as unknown
    }
  })
  return { watched, count }
}

const problemsOf = (result: Either.Either<unknown, Invalid>) =>
  Either.isLeft(result) ? result.left.violations.map(inWireWords) : []

describe("a document with more problems than an answer shows", () => {
  it("with 85,000 unknown members is refused after twenty (one POST of 1.1 MB froze the server for 5 s)", () => {
    const found = problemsOf(decodeJobRequest({ ...jobBody(), ...members(85_000) }, strict))
    assert.strictEqual(found.length, 21)
  })

  it("with 85,000 unknown members is read leniently at once, and names some of them (22 s)", () => {
    const read = Either.getOrThrow(decodeJobRequest({ ...jobBody(), ...members(85_000) }, lenient))
    assert.strictEqual(read.ignored.length, 100)
    assert.strictEqual(read.value.name, "job")
  })

  it("is not looked at beyond them", () => {
    for (const item of [1, {}, { nonsense: 1 }, { hardware_config: { nonsense: 1 } }, null]) {
      const { watched, count } = counted(Array.from({ length: 120_001 }, () => item))
      assert.strictEqual(
        problemsOf(decodeJobRequest(jobBody({ benchmarks: watched }), strict)).length,
        21,
        JSON.stringify(item)
      )
      assert.isAtMost(count.reads, 21)
      assert.isAtLeast(problemsOf(decodeProvider({ name: "p", runtime: {}, benchmarks: watched }, strict)).length, 21)
      assert.isAtLeast(
        problemsOf(decodeCollection({ name: "c", category: "c", benchmarks: watched }, strict)).length,
        21
      )
      assert.isAtMost(count.reads, 63)
    }
  })

  it("beyond 120,000 of them is a refusal and no failure of the server (the spread of their list overflowed)", () => {
    const decode = decoder(
      Schema.Struct({ choice: Schema.Union(Schema.Array(Schema.Number), Schema.Struct({ a: Schema.Number })) })
    )
    const texts = Array.from({ length: 130_000 }, () => "x")
    assert.strictEqual(problemsOf(decode({ choice: texts }, strict)).length, 21)
    const event = decodeStatusEvent({ benchmark_status_event: { id: "b", status: "running", ...members(130_000) } })
    assert.strictEqual(Either.getOrThrow(event).unknownMembers.length, 100)
  })

  it("says that there are more", () => {
    const refused = decodeJobRequest({ ...jobBody(), ...members(30) }, strict)
    const answer = errorAnswer(contentOf(Either.isLeft(refused) ? refused.left : assert.fail("accepted")), "t")
    const body = JSON.parse(String(answer.body)) as {
      readonly message: string
      readonly errors: ReadonlyArray<unknown>
    }
    assert.match(body.message, /^'k0' is not a known member.*and at least 20 more problems, the first 20 are in errors/)
    assert.strictEqual(body.errors.length, 20)
  })

  it("with a value of megabytes shows the beginning of it", () => {
    const { watched, count } = counted(Array.from({ length: 1_000_000 }, (_, at) => ({ at })))
    assert.strictEqual(shown(watched).length, 80)
    assert.isBelow(count.reads, 100)
  })
})

describe("a text outside free-form objects", () => {
  it("of more than 65,536 characters is refused before any rule looks at it", () => {
    const found = problemsOf(
      decodeJobRequest({ ...jobBody(), description: "x".repeat(65_537), name: "x".repeat(65_536) }, strict)
    )
    assert.deepStrictEqual(
      found.map(({ message }) => message),
      ["'description' has 65537 characters; at most 65536 are allowed"]
    )
  })
})

describe("a document with more values than a record can have", () => {
  it("outside its free-form objects is refused by their number", () => {
    const entries = Array.from({ length: 20_000 }, () => ({ id: "b", provider_id: "p" }))
    assert.match(
      problemsOf(decodeJobRequest(jobBody({ benchmarks: entries }), strict))[0]?.message ?? "",
      /more than 40000 values/
    )
  })

  it("a job of 1,000 benchmarks with all their members is read", () => {
    const entry = {
      ...{ id: "b", provider_id: "p", url: "https://example.com", weight: 1, parameters: { a: 1 } },
      ...{ primary_score: { metric: "acc", lower_is_better: false }, pass_criteria: { threshold: 0.5 } },
      test_data_ref: { s3: { bucket: "b", key: "k", secret_ref: "s" } },
      hardware_config: {
        cpu: { request: "1", limit: "2" },
        memory: { request: "1Gi", limit: "2Gi" },
        gpu: { name: "example.com/gpu", count: 1 }
      }
    }
    assert.isTrue(
      Either.isRight(decodeJobRequest(jobBody({ benchmarks: Array.from({ length: 1000 }, () => entry) }), strict))
    )
  })
})

describe("what the walk finds is what the schema refuses", () => {
  const decode = Schema.decodeUnknownEither(JobRequest, { onExcessProperty: "error" })
  const wrong = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, "x", 1, true, [], {}, { id: "b", provider_id: "p" })
  )
  const name = fc.constantFrom(
    "name",
    "model",
    "benchmarks",
    "tags",
    "experiment",
    "exports",
    "pass_criteria",
    "custom",
    "queue",
    "hardware_config",
    "other"
  )
  const inner = fc.constantFrom(
    "id",
    "provider_id",
    "weight",
    "parameters",
    "primary_score",
    "pass_criteria",
    "hardware_config",
    "nonsense"
  )

  it.prop(
    "for the members of a job and of its benchmarks",
    [name, wrong, inner, wrong],
    ([top, given, member, value]) => {
      const document = jobBody({ benchmarks: [{ id: "b", provider_id: "p", [member]: value }], [top]: given })
      assert.strictEqual(
        Either.isRight(decodeJobRequest(document, strict)),
        Either.isRight(decode(document)),
        JSON.stringify(document)
      )
    }
  )
})

describe("bytes", () => {
  const limits = { depth: 64, values: 100, nameBytes: 16, namesBytes: 400 }
  const excess = (text: string) => scan(Buffer.from(text), limits).excess

  it("are counted before they are parsed: members, items, depth and the length of names", () => {
    assert.isUndefined(excess(JSON.stringify(Array.from({ length: 100 }, () => 1))))
    assert.strictEqual(excess(JSON.stringify(Array.from({ length: 102 }, () => 1))), "values")
    assert.strictEqual(excess(JSON.stringify(Array.from({ length: 101 }, () => []))), "values")
    assert.strictEqual(excess(JSON.stringify(members(102))), "values")
    assert.strictEqual(excess("[".repeat(65)), "depth")
    assert.strictEqual(excess(JSON.stringify({ ["n".repeat(17)]: 1 })), "nameBytes")
    assert.isUndefined(excess(JSON.stringify({ ["n".repeat(16)]: "x".repeat(1000) })))
    const named = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ["n".repeat(10)]: 1 })))
    assert.isUndefined(excess(named(40)))
    assert.strictEqual(excess(named(41)), "namesBytes")
    assert.isUndefined(excess(JSON.stringify("[{,".repeat(1000))))
    assert.isUndefined(excess(`"\\"${"[,".repeat(1000)}"`))
  })

  it("that hide something are looked at again once they are parsed", () => {
    const suspicious = (text: string) => scan(Buffer.from(text), limits).suspicious
    for (const text of ['"\\u0000"', '["\\\\\\u0041"]', "1e400", "[1E+99]", "9".repeat(400), '{"\\u005f":1}'])
      assert.isTrue(suspicious(text), text)
    for (const text of ['"u0000"', '"\\\\u0041"', "1e5", "1e-300", "true", '"1e400"', `"${"9".repeat(400)}"`])
      assert.isFalse(suspicious(text), text)
  })

  it("of 4.9 million items are refused without being parsed (5 s)", async () => {
    const text = `{"custom":{"items":[${"0,".repeat(4_900_000)}0]}}`
    const realParse = JSON.parse
    let parsed = 0
    JSON.parse = (...given) => {
      parsed += 1
      return realParse(...given) as unknown
    }
    const refused = await Effect.runPromise(Effect.either(parse(Buffer.from(text)))).finally(() => {
      JSON.parse = realParse
    })
    assert.strictEqual(
      Either.isLeft(refused) && refused.left._tag === "Refused" ? refused.left.message : "",
      "the request body has more than 50000 members and items; send fewer"
    )
    assert.strictEqual(parsed, 0)
  })

  it("of many are read in steps, and whatever else waits has its turn between them", async () => {
    let turns = 0
    let reading = true
    const others = () => {
      turns += 1
      if (reading) setImmediate(others)
    }
    setImmediate(others)
    await Effect.runPromise(parse(Buffer.from(JSON.stringify({ text: "x".repeat(1_000_000) }))))
    reading = false
    assert.isAtLeast(turns, 3)
  })

  it.prop(
    "beyond ASCII are decoded in pieces that end with a character, and nothing changes (10 MiB took 40 ms at once)",
    [fc.string({ unit: anyCharacter, maxLength: 200 }), fc.integer({ min: 1, max: 30 })],
    ([text, piece]) => {
      const bytes = Buffer.from(text)
      let pauses = 0
      const counting = Effect.sync(() => {
        pauses += 1
      })
      assert.strictEqual(Effect.runSync(decoded(bytes, counting, piece)), bytes.toString("utf8"))
      // a piece is longer by the rest of its last character
      if (bytes.length > piece) assert.isAtLeast(pauses, Math.ceil(bytes.length / (piece + 3)))
    }
  )

  it("of long numbers are compared as far as any record has them, and the first are named (34,000 of 299 digits took 47 ms)", async () => {
    const text = `{"custom":{"a":[${Array.from({ length: 34_000 }, () => "9".repeat(299)).join(",")}]}}`
    const realBigInt = globalThis.BigInt
    let compared = 0
    globalThis.BigInt = Object.assign((given: string | number | bigint | boolean) => {
      compared += 1
      return realBigInt(given)
    }, realBigInt)
    const { notes } = await Effect.runPromise(parse(Buffer.from(text))).finally(() => {
      globalThis.BigInt = realBigInt
    })
    assert.isAtMost(compared, 10_000)
    assert.match(notes.join(), /'?\/custom\/a\/0 became 1e\+299.*and more/)
  })
})

describe("an event with too many values", () => {
  const event = (more: { readonly [name: string]: unknown }) =>
    Buffer.from(
      JSON.stringify({ benchmark_status_event: { id: "b", status: "completed", metrics: { acc: 0.5 }, ...more } })
    )

  it("is shortened instead of refused: the result is not lost over a side detail", async () => {
    const { value, shortened } = await Effect.runPromise(
      parseLenient(event({ additional_info: { first: 1, samples: members(60_000), last: 2 }, done: true }))
    )
    assert.deepStrictEqual(shortened, ["additional_info"])
    assert.deepStrictEqual(value, {
      benchmark_status_event: {
        id: "b",
        status: "completed",
        metrics: { acc: 0.5 },
        additional_info: { first: 1 },
        done: true
      }
    })
  })

  it("keeps the first entries of a long list and of a long object", () => {
    const short = shortenMembers(
      event({ list: [1, [2, 3], 4, 5], text: ",,,,,,[{", object: { a: 1, b: "}", c: 3, d: 4, e: 5, f: 6 } }),
      4
    )
    assert.deepStrictEqual(JSON.parse(short.bytes.toString()), {
      benchmark_status_event: {
        id: "b",
        status: "completed",
        metrics: { acc: 0.5 },
        list: [1, [2, 3]],
        text: ",,,,,,[{",
        object: { a: 1, b: "}", c: 3, d: 4 }
      }
    })
    assert.deepStrictEqual(short.names, ["list", "object"])
  })

  it.prop(
    "stays the same document apart from what is left out",
    [fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(6)],
    ([more, keep]) => {
      const given = Buffer.from(JSON.stringify({ e: more }))
      const short = JSON.parse(shortenMembers(given, keep).bytes.toString()) as { readonly e: object }
      assert.deepStrictEqual(Object.keys(short.e), Object.keys(more))
      assert.deepStrictEqual(JSON.parse(shortenMembers(given, 1_000_000).bytes.toString()), {
        e: JSON.parse(JSON.stringify(more)) as unknown
      })
    }
  )

  it("that still has too many is refused", async () => {
    const refused = await Effect.runPromise(Effect.either(parseLenient(event(members(50_001)))))
    assert.isTrue(Either.isLeft(refused))
  })
})

describe("a patch of many members", () => {
  it("copies an object once, however many of its members it changes (twenty thousand took 20 s)", () => {
    const custom = members(20_000)
    const patch = Either.getOrThrow(readPatch({ custom }, collectionPatch))
    const patched = Either.getOrThrow(applyPatch({ name: "c", custom: { old: 1 } }, patch))
    assert.deepStrictEqual(patched, { name: "c", custom: { old: 1, ...custom } })
  })

  it("of a hundred operations on one object copies it once", () => {
    let copies = 0
    const custom = new Proxy(members(1000), {
      ownKeys: (target) => {
        copies += 1
        return Reflect.ownKeys(target)
      }
    })
    const operations = Array.from({ length: 100 }, (_, at) => ({ op: "add", path: `/custom/n${at}`, value: at }))
    const patch = Either.getOrThrow(readPatch(operations, collectionPatch))
    assert.isTrue(Either.isRight(applyPatch({ name: "c", custom }, patch)))
    assert.strictEqual(copies, 1)
  })

  it("with more forbidden members than anybody reads names some of them", () => {
    const read = readPatch({ ...members(50_000) }, collectionPatch)
    assert.strictEqual(Either.isLeft(read) ? read.left.length : 0, 50)
  })
})
