import { assert, describe, it } from "vitest"
import { addressOf, filtersOf, nameIn } from "../../../../interfaces/ui/screens/samples/address.ts"
import { likelihoodsOf, markedIn, messagesOf } from "../../../../interfaces/ui/screens/samples/texts.ts"
import { rowHeight, topToShow, windowOf } from "../../../../interfaces/ui/screens/samples/window.ts"

describe("the address of a sample", () => {
  it("brings back its filters and its name, whatever stands in them", () => {
    const name = { benchmark: 2, id: 'a/b?c=d&"<x>', task: "t #1", repeat: 3 }
    const address = addressOf("job 1", { verdict: "incorrect", q: "x & y" }, name)
    const { pathname, searchParams } = new URL(address, "http://page")
    assert.strictEqual(pathname, "/jobs/job%201/samples")
    assert.deepStrictEqual(filtersOf(searchParams), { verdict: "incorrect", q: "x & y" })
    assert.deepStrictEqual(nameIn(searchParams), name)
  })
  it("without a sample names none, and what is no number is the first", () => {
    assert.strictEqual(addressOf("j", {}), "/jobs/j/samples")
    assert.isUndefined(nameIn(new URLSearchParams("verdict=correct")))
    assert.deepStrictEqual(nameIn(new URLSearchParams("sample=s&of=x&repeat=-1")), {
      ...{ id: "s", benchmark: 0, task: "", repeat: 0 }
    })
  })
})

describe("the window over a list", () => {
  it("holds what is seen and a few around it, at both ends no more than there is", () => {
    assert.deepStrictEqual(windowOf(0, 10 * rowHeight, 100_000), [0, 18])
    assert.deepStrictEqual(windowOf(50_000 * rowHeight, 10 * rowHeight, 100_000), [49_992, 50_018])
    assert.deepStrictEqual(windowOf(99_990 * rowHeight, 10 * rowHeight, 100_000), [99_982, 100_000])
    assert.deepStrictEqual(windowOf(5000, 500, 0), [0, 0])
  })
  it("moves no further than a row needs to be seen", () => {
    const height = 5 * rowHeight
    assert.strictEqual(topToShow(2, 0, height), 0)
    assert.strictEqual(topToShow(5, 0, height), rowHeight)
    assert.strictEqual(topToShow(1, 3 * rowHeight, height), rowHeight)
  })
})

describe("the texts of a record", () => {
  it("a prompt is one text, or messages with parts and calls of tools; what is neither is shown as it is", () => {
    assert.deepStrictEqual(messagesOf("2 + 2?"), [{ role: undefined, text: "2 + 2?" }])
    assert.deepStrictEqual(
      messagesOf([
        { role: "system", content: "be brief" },
        { role: "user", content: [{ type: "text", text: "look" }, { type: "image_url" }] },
        { role: "assistant", content: null, tool_calls: [] },
        7
      ]),
      [
        { role: "system", text: "be brief" },
        { role: "user", text: 'look\n{\n  "type": "image_url"\n}' },
        { role: "assistant", text: '{\n  "tool_calls": []\n}' },
        { role: undefined, text: "7" }
      ]
    )
    assert.deepStrictEqual(messagesOf(undefined), [])
  })
  it("the answer is marked where it last stands, and nowhere when it does not stand there so", () => {
    assert.deepStrictEqual(markedIn("4? No: 4.", "4"), ["4? No: ", "4", "."])
    assert.isUndefined(markedIn("four", "4"))
    assert.isUndefined(markedIn("four", ""))
    assert.isUndefined(markedIn("four", undefined))
  })
})

describe("log-probabilities", () => {
  it("of options, letters and the first token are named, the likeliest first", () => {
    const recorded = { continuations: [-3, -1], probabilities: [0.1, 0.9], first_token: { A: -2, B: -0.1 } }
    assert.deepStrictEqual(
      likelihoodsOf(recorded, ["no", "yes"]).map(({ title, rows }) => [title, rows.map(({ name }) => name)]),
      [
        ["Options", ["B: yes", "A: no"]],
        ["Letters", ["B: yes", "A: no"]],
        ["First token", ["B", "A"]]
      ]
    )
    assert.deepStrictEqual(likelihoodsOf({ continuations: [{ logprob: -1 }] })[0]?.rows, [{ name: "A", value: -1 }])
  })
  it("of a measured text stand in its order, each with its piece of the text", () => {
    const [table] = likelihoodsOf({ tokens: [null, -2, -1], offsets: [0, 3, 5] }, [], "the cat")
    assert.deepStrictEqual(table?.rows, [
      { name: " c", value: -2 },
      { name: "at", value: -1 }
    ])
  })
  it("that are none are not shown", () => {
    for (const other of [undefined, null, 3, "x", {}, { continuations: "x", first_token: { A: "x" } }])
      assert.deepStrictEqual(likelihoodsOf(other), [])
  })
})
