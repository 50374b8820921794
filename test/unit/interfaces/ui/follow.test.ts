import { assert, describe, it } from "vitest"
import { type Connection, follow, pauseAfter } from "../../../../interfaces/ui/data/follow.ts"

const streamOf = (text: string) => new Response(text, { status: 200 })

/** opens what is given in turn, and says what happened; ends after the last answer */
const followed = async (answers: ReadonlyArray<() => Response>, isHidden = false) => {
  const positions: Array<string | undefined> = []
  const connections: Array<Connection["is"]> = []
  const data: Array<string> = []
  const stop = new AbortController()
  await follow({
    open: async (headers) => {
      const answer = answers[positions.length]
      positions.push(headers["last-event-id"])
      if (answer === undefined) {
        stop.abort()
        throw new Error("stopped")
      }
      return answer()
    },
    onEvent: (event) => data.push(event.data),
    onConnection: ({ is }) => connections.push(is),
    signal: stop.signal,
    visibility: {
      isHidden: () => isHidden,
      changed: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve()))
    },
    pause: () => Promise.resolve()
  })
  return { positions, connections, data }
}

describe("a change stream that is followed", () => {
  it("goes on after a break from the last position, which an event without one does not change", async () => {
    const { positions, connections, data } = await followed([
      () => streamOf("id: 4\ndata: a\n\ndata: b\n\n"),
      () => {
        throw new TypeError("fetch failed")
      },
      () => new Response("", { status: 503 }),
      () => streamOf("id: 5\ndata: c\n\n")
    ])
    assert.deepStrictEqual(positions, [undefined, "4", "4", "4", "5"])
    assert.deepStrictEqual(data, ["a", "b", "c"])
    assert.deepStrictEqual(connections, ["live", "lost", "lost", "lost", "live", "lost"])
  })

  it("ends with the stream's own end, and with 204", async () => {
    assert.deepStrictEqual((await followed([() => streamOf("id: 9.end\ndata: a\n\n")])).connections, ["live", "over"])
    assert.deepStrictEqual((await followed([() => new Response(null, { status: 204 })])).connections, ["over"])
  })

  it("is not asked for again when it is refused, at its opening or later", async () => {
    const refusal = JSON.stringify({ message_code: "forbidden", message: "no" })
    assert.deepStrictEqual((await followed([() => new Response(refusal, { status: 403 })])).connections, ["refused"])
    assert.deepStrictEqual((await followed([() => new Response("", { status: 401 })])).connections, ["refused"])
    const later = await followed([() => streamOf(`event: error\ndata: ${refusal}\n\n`)])
    assert.deepStrictEqual(later.connections, ["live", "refused"])
  })

  it("is asked for at growing intervals of at most half a minute and a quarter of it, never in step with others", () => {
    const pauses = Array.from({ length: 12 }, (_, failures) => pauseAfter(failures, 0.5))
    assert.deepStrictEqual(pauses.slice(0, 4), [500, 1000, 2000, 4000])
    assert.isAtMost(Math.max(...pauses.map((_, failures) => pauseAfter(failures, 1))), 37_500)
    assert.notStrictEqual(pauseAfter(3, 0), pauseAfter(3, 1))
  })
})
