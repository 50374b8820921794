import { assert, describe, it } from "vitest"
import { eventOf, readEvents, type StreamEvent } from "../../../../interfaces/ui/data/events.ts"

const bodyOf = (...chunks: ReadonlyArray<string>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    }
  })

describe("events of a stream", () => {
  it("have an identifier, a name and data; comments and settings are none", () => {
    assert.deepStrictEqual(eventOf("id: 7\nevent: updated\ndata: {}"), { id: "7", name: "updated", data: "{}" })
    assert.deepStrictEqual(eventOf("data: a\ndata: b"), { id: undefined, name: "message", data: "a\nb" })
    for (const block of [":", "", "retry: 2000"]) assert.isUndefined(eventOf(block))
  })

  it("are whole however the chunks are cut, inside a character too", async () => {
    const bytes = new TextEncoder().encode(
      ":\n\nid: 1\nevent: updated\ndata: é\n\nid: 2\ndata: x\n\nid: 3\ndata: cut off"
    )
    for (let cut = 1; cut < bytes.length; cut++) {
      const found: Array<StreamEvent> = []
      let chunks = 0
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(bytes.slice(0, cut))
          controller.enqueue(bytes.slice(cut))
          controller.close()
        }
      })
      await readEvents(
        body,
        (event) => found.push(event),
        () => chunks++
      )
      assert.deepStrictEqual(
        found.map(({ id, data }) => [id, data]),
        [
          ["1", "é"],
          ["2", "x"]
        ]
      )
      assert.strictEqual(chunks, 2)
    }
  })

  it("a heartbeat is a sign of life and no event", async () => {
    let chunks = 0
    await readEvents(
      bodyOf(":\n\n", ":\n\n"),
      () => assert.fail("no event"),
      () => chunks++
    )
    assert.strictEqual(chunks, 2)
  })
})
