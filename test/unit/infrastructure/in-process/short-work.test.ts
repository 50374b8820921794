/** How a thread that works for a call of a thousand records rests while something short is under way, by a clock that each look moves. */
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import {
  makeRest,
  type RestClock,
  type ShortWork,
  tellShortWork
} from "../../../../infrastructure/in-process/short-work.ts"

const newMemory = (): ShortWork => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

describe("a thread that rests while something short is under way", () => {
  /** a clock that only work and waiting move, and what was waited for by it */
  const clockOf = () => {
    const waits: Array<number> = []
    let millis = 0
    const work = (more: number): void => {
      millis += more
    }
    const clock: RestClock = {
      now: () => millis,
      // nobody wakes it: each wait is as long as it may be
      wait: (_memory, _count, most) => {
        waits.push(most)
        work(most)
      }
    }
    return { clock, waits, work }
  }

  it("does not when there is nothing", () => {
    const { clock, waits, work } = clockOf()
    const rest = makeRest(newMemory(), clock)
    work(5)
    rest()
    assert.deepStrictEqual(waits, [])
  })

  it("does so no longer than it worked, and ten milliseconds at most, however long that is", () => {
    const { clock, waits, work } = clockOf()
    const memory = newMemory()
    tellShortWork(memory)(true)
    const rest = makeRest(memory, clock)
    for (const millis of [1, 3, 0, 40]) {
      work(millis)
      rest()
    }
    assert.deepStrictEqual(waits, [1, 3, 10])
  })

  it("goes on when the last short thing has ended", async () => {
    const memory = newMemory()
    const [one, other] = [tellShortWork(memory), tellShortWork(memory)]
    one(true)
    other(true)
    const program = `
      const { parentPort, workerData } = require("node:worker_threads")
      parentPort.postMessage("waits")
      for (let count = Atomics.load(workerData, 0); count > 0; count = Atomics.load(workerData, 0)) Atomics.wait(workerData, 0, count)
      parentPort.postMessage("goes on")`
    const worker = new Worker(program, { eval: true, workerData: memory })
    const seen: Array<string> = []
    await new Promise<void>((resolve) => {
      worker.on("message", (message: string) => {
        seen.push(message)
        if (message === "waits") {
          one(false)
          other(false)
        } else resolve()
      })
    })
    await worker.terminate()
    assert.deepStrictEqual(seen, ["waits", "goes on"])
    assert.strictEqual(Atomics.load(memory, 0), 0)
  })
})
