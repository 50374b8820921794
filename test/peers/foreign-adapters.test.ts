/** Adapters of one file in other languages, from the published contract alone. Needs python3 and curl on the PATH. */
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ForeignHost, foreignHost, sumsProvider } from "../support/foreign-adapter.ts"
import { missingPrograms } from "../support/peer-process.ts"

let host: ForeignHost
beforeAll(async () => {
  host = await foreignHost()
})
afterAll(() => host.stop())

const adapters = [
  {
    language: "Python's standard library",
    id: "python",
    program: "python3",
    install: "apt-get install python3",
    file: "minimal_adapter.py"
  },
  { language: "sh and curl", id: "shell", program: "curl", install: "apt-get install curl", file: "minimal_adapter.sh" }
]

for (const { language, id, program, install, file } of adapters) {
  const command = `${program === "curl" ? "sh" : program} ${resolve("docs/examples/adapters", file)}`
  describe.runIf(missingPrograms({ [program]: install }).length === 0)(`the adapter on ${language}`, () => {
    it("defined by a file: completes with its score", async () => {
      const job = await host.evaluate(await host.defineByFile(id, sumsProvider(command)))
      assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
      assert.deepStrictEqual(job.results.benchmarks[0]?.metrics, { exact_match: 1, n_samples: 4 })
      assert.match(await host.logs(job), /4\/4: \d+ \+ \d+, answered \d+/)
    })
    it("defined over the API: completes with its score, and says what went wrong when the model refuses", async () => {
      const provider = await host.defineByApi(sumsProvider(command))
      const job = await host.evaluate(provider, { num_examples: 2 })
      assert.deepStrictEqual(
        job.results.benchmarks[0]?.metrics,
        { exact_match: 1, n_samples: 2 },
        JSON.stringify(job.status)
      )
      const [refused] = (await host.evaluate(provider, {}, false)).status.benchmarks
      assert.strictEqual(refused?.status, "failed")
      assert.strictEqual(refused?.error_message?.message_code, "evaluation_failed")
    })
  })
}
