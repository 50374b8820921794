/** What a person waits for before a command says its first word. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { freePort } from "../support/free-port.ts"

const millis = (args: ReadonlyArray<string>): number => {
  const started = performance.now()
  spawnSync(process.execPath, args, { stdio: "ignore" })
  return performance.now() - started
}
const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

describe("a client command", () => {
  it("ends at most 60 ms after bare node would, in the median of 20 turns", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const [bare, version, refused]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    for (let turn = 0; turn < 20; turn++) {
      bare.push(millis(["-e", "process.stdout.write('x')"]))
      version.push(millis(["dist/evald.mjs", "version", "--client"]))
      // the whole way of a request: nobody listens on the port
      refused.push(millis(["dist/evald.mjs", "get", "jobs", "--server", nobody]))
    }
    const shown = `node ${median(bare).toFixed(0)} ms, version ${median(version).toFixed(0)} ms, get ${median(refused).toFixed(0)} ms`
    assert.isAtMost(median(version) - median(bare), 60, shown)
    assert.isAtMost(median(refused) - median(bare), 60, shown)
  })
})
