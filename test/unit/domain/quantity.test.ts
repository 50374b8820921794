import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import {
  addQuantity,
  compareQuantity,
  multiplyQuantity,
  parseQuantity,
  printQuantity,
  type Quantity,
  quantityOfNumber
} from "../../../domain/quantity.ts"

const read = (text: string): Quantity =>
  Either.getOrThrowWith(parseQuantity(text), ({ message }) => new Error(`${text} ${message}`))

describe("quantities", () => {
  // left: as given; right: as a cluster prints it back
  const canonical: ReadonlyArray<readonly [string, string]> = [
    ["0", "0"],
    ["0Gi", "0"],
    ["1", "1"],
    ["+1", "1"],
    ["1.", "1"],
    [".5", "500m"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["-1.5", "-1500m"],
    ["1000m", "1"],
    ["2000m", "2"],
    ["100m", "100m"],
    ["1000000n", "1m"],
    ["1u", "1u"],
    ["0.0000000001", "1n"],
    ["0.0005", "500u"],
    ["1000", "1k"],
    ["1024", "1024"],
    ["1000000", "1M"],
    ["1500k", "1500k"],
    ["10000k", "10M"],
    ["1E", "1E"],
    ["9E", "9E"],
    ["1e3", "1e3"],
    ["1E3", "1e3"],
    ["12e1", "120"],
    ["1e-3", "1e-3"],
    ["1.5e3", "1500"],
    ["512Mi", "512Mi"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["1023Ki", "1023Ki"],
    ["1024Ki", "1Mi"],
    ["0.1Gi", "107374182400m"],
    ["7Ei", "7Ei"],
    ["9223372036854775807", "9223372036854775807"]
  ]
  it.each(canonical)("%s prints as %s", (given, printed) => {
    assert.strictEqual(printQuantity(read(given)), printed)
  })

  const refused: ReadonlyArray<readonly [string, RegExp]> = [
    ["", /blank/],
    ["  ", /blank/],
    [" 1", /number/],
    ["1 ", /suffix/],
    ["abc", /number/],
    [".", /number/],
    ["+", /number/],
    ["--1", /number/],
    ["1..2", /suffix/],
    ["1ki", /suffix/],
    ["1KI", /suffix/],
    ["1K", /suffix/],
    ["1GB", /suffix/],
    ["1mi", /suffix/],
    ["1e", /suffix/],
    ["1e3Mi", /suffix/],
    ["1e+", /suffix/],
    ["1 Gi", /suffix/],
    ["0x10", /suffix/],
    ["NaN", /number/],
    ["Infinity", /number/],
    ["1constructor", /suffix/],
    ["1Gi\n", /suffix/],
    ["9223372036854775808", /larger/],
    ["8Ei", /larger/],
    ["10E", /larger/],
    ["1e99999999999999999999", /larger/],
    ["9".repeat(200), /at most/]
  ]
  it.each(refused)("%j is refused", (given, why) => {
    const result = parseQuantity(given)
    assert.isTrue(Either.isLeft(result))
    if (Either.isLeft(result)) assert.match(result.left.message, why)
  })

  it("reads an extreme exponent without computing it", () => {
    assert.strictEqual(read("1e-999999999999999").nanos, 1n)
    assert.strictEqual(read("0e999999999999999").nanos, 0n)
  })

  it("numbers read as their shortest text", () => {
    assert.strictEqual(printQuantity(Either.getOrThrow(quantityOfNumber(0.5))), "500m")
    assert.strictEqual(printQuantity(Either.getOrThrow(quantityOfNumber(1e-7))), "100n")
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e21])
      assert.isTrue(Either.isLeft(quantityOfNumber(value)))
  })

  it("compares across suffixes", () => {
    assert.strictEqual(compareQuantity(read("1Gi"), read("1G")), 1)
    assert.strictEqual(compareQuantity(read("1000m"), read("1")), 0)
    assert.strictEqual(compareQuantity(read("-1"), read("0")), -1)
  })

  it("adds and multiplies within the range only", () => {
    assert.strictEqual(printQuantity(Either.getOrThrow(addQuantity(read("1Gi"), read("512Mi")))), "1536Mi")
    assert.strictEqual(printQuantity(Either.getOrThrow(addQuantity(read("0"), read("1Gi")))), "1Gi")
    assert.strictEqual(printQuantity(Either.getOrThrow(multiplyQuantity(read("250m"), 4))), "1")
    assert.isTrue(Either.isLeft(addQuantity(read("9E"), read("9E"))))
    assert.isTrue(Either.isLeft(multiplyQuantity(read("1Ei"), 8)))
    assert.isTrue(Either.isLeft(multiplyQuantity(read("1"), 0.5)))
  })
})
