import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { errorCode, readListPage } from "../../../../infrastructure/objectstore/list-page.ts"

const page = (inside: string, before = "") =>
  readListPage(
    `<?xml version="1.0" encoding="UTF-8"?>\n${before}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</ListBucketResult>\n`
  )
const contents = (key: string, size: number | string = 1, etag = "&quot;e&quot;") =>
  `<Contents><Key>${key}</Key><ETag>${etag}</ETag><Size>${size}</Size></Contents>`
const keys = (inside: string) => Either.getOrThrow(page(inside)).objects.map(({ key }) => key)
const problem = (found: ReturnType<typeof page>) => (Either.isLeft(found) ? found.left : "was read")

describe("a page of objects", () => {
  it("is read as texts: numbers, blanks and references stay what they are", () => {
    assert.deepStrictEqual(keys([contents("007"), contents(" a "), contents("1e3"), contents("true")].join("")), [
      "007",
      " a ",
      "1e3",
      "true"
    ])
    assert.deepStrictEqual(keys(contents("a&amp;b&lt;c&gt;&apos;&quot;&#233;&#x1F642;&amp;lt;")), ["a&b<c>'\"é🙂&lt;"])
    assert.deepStrictEqual(Either.getOrThrow(page(contents("k", 12, " &quot;tag&quot; "))).objects, [
      { key: "k", size: 12, etag: '"tag"' }
    ])
  })
  it("of one, none and an empty element", () => {
    assert.deepStrictEqual(keys(contents("one")), ["one"])
    assert.deepStrictEqual(keys("<Name>b</Name>"), [])
    assert.deepStrictEqual(keys(""), [])
    assert.deepStrictEqual(readListPage("<ListBucketResult/>"), Either.right({ objects: [], next: undefined }))
  })
  it("of a thousand objects with references in every key", () => {
    const many = Array.from({ length: 1000 }, (_, at) => contents(`a&amp;&#34;${at}`, at)).join("")
    const read = keys(many)
    assert.deepStrictEqual([read.length, read[999]], [1000, 'a&"999'])
  })
  it("with encoded keys, and with one that is not encoded as announced", () => {
    assert.deepStrictEqual(keys(`<EncodingType>url</EncodingType>${contents("a+b%2Bc%C3%A9")}`), ["a b+cé"])
    assert.deepStrictEqual(keys(contents("a+b%2Bc")), ["a+b%2Bc"])
    assert.strictEqual(
      problem(page(`<EncodingType>url</EncodingType>${contents("%E9")}`)),
      "has a key that is not encoded as announced"
    )
  })
  it("names what follows it", () => {
    assert.strictEqual(
      Either.getOrThrow(page("<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1</NextContinuationToken>"))
        .next,
      "t&1"
    )
    assert.isUndefined(
      Either.getOrThrow(page("<IsTruncated>false</IsTruncated><NextContinuationToken>t</NextContinuationToken>")).next
    )
    assert.strictEqual(problem(page("<IsTruncated>true</IsTruncated>")), "is cut but names no continuation")
  })
  it.each([
    ["cut", `<ListBucketResult>${contents("a")}`],
    ["cut within an element", "<ListBucketResult><Contents><Key>a</K"],
    ["another document", "<Error><Code>NoSuchKey</Code></Error>"],
    ["a page for people", "<!DOCTYPE html><html><body>hello<br></body></html>"],
    ["no XML", "hello"],
    ["nothing", ""]
  ])("%s is no listing", (_, text) =>
    assert.deepStrictEqual(readListPage(text), Either.left("is no complete object listing"))
  )
  it("an object without key or with a size that is none is told", () => {
    for (const wrong of [
      "<Contents><Size>1</Size></Contents>",
      contents("a", "-1"),
      contents("a", "0x10"),
      contents("a", ""),
      "<Contents/>",
      "<Contents>x</Contents>"
    ])
      assert.strictEqual(problem(page(wrong)), "has an object without key or size", wrong)
  })
})

describe("what a hostile storage sends", () => {
  it("declares no entities, at home or elsewhere", () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    assert.strictEqual(problem(page(contents("&b;"), bomb)), "is no complete object listing")
    assert.strictEqual(
      problem(page(contents("&x;"), '<!doctype x [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
      "is no complete object listing"
    )
    assert.deepStrictEqual(keys(contents("&unknown;")), ["&unknown;"])
  })
  it("reaches no prototype through the names of elements", () => {
    const inside =
      "<__proto__><polluted>1</polluted></__proto__><constructor><prototype><polluted>1</polluted></prototype></constructor>"
    const read = page(`${inside}${contents("a")}<Contents><Key>b</Key><Size>1</Size>${inside}</Contents>`)
    assert.isUndefined(({} as { readonly polluted?: unknown }).polluted)
    if (Either.isRight(read))
      assert.deepStrictEqual(
        read.right.objects.map(({ key }) => key),
        ["a", "b"]
      )
    assert.isUndefined(errorCode("<Error><__proto__><Code>AccessDenied</Code></__proto__></Error>"))
  })
  it("nests elements without end", () => {
    const deep = 200_000
    const read = page(`${"<a>".repeat(deep)}${"</a>".repeat(deep)}`)
    assert.isTrue(Either.isLeft(read) || read.right.objects.length === 0)
  })
})

describe("an error", () => {
  it("is known by its code", () => {
    assert.strictEqual(
      errorCode("<?xml version='1.0'?>\n<Error>\n  <Code>SlowDown</Code><Message>Please &amp; wait</Message></Error>"),
      "SlowDown"
    )
    assert.strictEqual(errorCode('<Error xmlns="x"><Code>A</Code><Code>B</Code></Error>'), "A")
  })
  it.each([
    "",
    "<Error/>",
    "<html><Code>x</Code></html>",
    "Service Unavailable",
    "<Error><Code><x/></Code></Error>",
    "<Error><Code>A</Code>"
  ])("%j has none", (text) => assert.isUndefined(errorCode(text)))
})
