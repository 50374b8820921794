/** An adapter without any package of ours, from the published contract alone. The ones in other languages are in `test/peers`. */
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ForeignHost, foreignHost, sumsProvider } from "../support/foreign-adapter.ts"

let host: ForeignHost
const command = `${process.execPath} ${resolve("docs/examples/adapters/minimal-adapter.mjs")}`

beforeAll(async () => {
  host = await foreignHost()
})
afterAll(() => host.stop())

describe("the adapter of one file on Node alone", () => {
  it("defined by a file that appears while the server runs: usable at once, score and log are its own", async () => {
    const job = await host.evaluate(await host.defineByFile("by_file", sumsProvider(command)))
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    assert.deepStrictEqual(job.results.benchmarks[0]?.metrics, { exact_match: 1, n_samples: 4 })
    const log = await host.logs(job)
    assert.include(log, "4/4: 30 + 21, answered 51")
    assert.notInclude(log, "sk-known-to-the-gateway-alone")
  })
  it("defined over the API: usable at once, and its own failure is the benchmark's", async () => {
    const id = await host.defineByApi(sumsProvider(command))
    const job = await host.evaluate(id, { num_examples: 2 })
    assert.deepStrictEqual(job.results.benchmarks[0]?.metrics, { exact_match: 1, n_samples: 2 })
    const [failed] = (await host.evaluate(id, {}, false)).status.benchmarks
    assert.deepInclude(failed, { status: "failed" })
    assert.strictEqual(failed?.error_message?.message_code, "evaluation_failed")
    assert.match(failed?.error_message?.message ?? "", /401/)
  })
})
