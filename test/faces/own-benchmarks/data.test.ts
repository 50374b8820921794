/** The guide to own data: its job runs as it stands there, on its file, with a folder in place of the bucket and without a secret. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Running } from "../../support/loopback-server.ts"
import { outcomes, type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { knownModel } from "./known-model.ts"

const guide = readFileSync(new URL("../../../docs/custom-data.md", import.meta.url), "utf8")
const block = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ""

const replyTo = (asked: string): string => {
  if (asked.includes("France")) return "It is Paris."
  return asked.includes("Italy") ? "Answer: Roma" : "The Rhine is 1,300 km long."
}

let folder = ""
let host: ServiceHost
let endpoint: Running

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-own-data-"))
  mkdirSync(join(folder, "exams", "geography"), { recursive: true })
  writeFileSync(join(folder, "exams", "geography", "capitals.jsonl"), block("jsonl"))
  endpoint = await knownModel(replyTo)
  host = await serviceHost({ shipped: true, config: { local: { test_data_dir: folder } } })
})
afterAll(async () => {
  await host.stop()
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

describe("the job of the guide", () => {
  it("has a score and a verdict by its scorer's metric, without a secret (custom_jsonl had no primary metric)", async () => {
    const { benchmarks } = JSON.parse(block("json")) as { readonly benchmarks: ReadonlyArray<object> }
    const job = await host.evaluate({ url: `${endpoint.url}/v1`, name: "m" }, benchmarks)
    assert.deepStrictEqual(outcomes(job), ["completed"])
    const [result] = job.results.benchmarks as ReadonlyArray<{ readonly test?: object; readonly metrics: object }>
    assert.deepInclude(result?.metrics, { score: 2 / 3, exact_match_flexible: 2 / 3 })
    assert.deepInclude(result?.test, {
      primary_score: 2 / 3,
      primary_score_metric: "score",
      threshold: 0.8,
      pass: false
    })
  })

  it("a bucket that no folder stands for needs a secret, and the message says so", async () => {
    const job = await host.evaluate({ url: `${endpoint.url}/v1`, name: "m" }, [
      { id: "custom_jsonl", provider_id: "evald", test_data_ref: { s3: { bucket: "elsewhere", key: "x" } } }
    ])
    assert.deepStrictEqual(outcomes(job), ["secret_not_found"])
    assert.match(job.status.benchmarks[0]?.error_message?.message ?? "", /names no secret_ref/)
  })
})
