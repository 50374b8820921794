/** The real garak under the real server: probes whose detectors look for strings, against the demo model; nothing is fetched. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerVenv } from "../support/peer-venv.ts"
import { assertNoSecrets, outcomes, type ServiceHost, serviceHost } from "../support/service-host.ts"

const venv = await peerVenv({ id: "garak", executable: "garak", packages: ["garak==0.17.1"], limitMinutes: 20 })

let host: ServiceHost
const quick = (parameters: object) => ({ id: "quick", provider_id: "garak", parameters })
const jailbreak = "dan.Dan_11_0"

describe.runIf(venv._tag === "Ready")("garak 0.17.1 from PyPI", () => {
  beforeAll(async () => {
    const env = { HF_HUB_OFFLINE: "1", TRANSFORMERS_OFFLINE: "1" }
    host = await serviceHost({ shipped: true, env, ...(venv._tag === "Ready" ? { bin: venv.bin } : {}) })
  })
  afterAll(() => host?.stop())

  it("the shipped quick benchmark through the gateway: the score is the share of both detectors, and no result holds key or callback secret", async () => {
    const job = await host.evaluate(await host.guardedModel(), [quick({ generations: 3 })])
    assert.deepStrictEqual(outcomes(job), ["completed"], JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    // the demo model says the same three times: one detector finds nothing, the other no refusal
    assert.deepStrictEqual(result?.metrics, {
      attack_success_rate: 0.5,
      attack_success_rate_macro: 0.5,
      [`${jailbreak}_asr`]: 0.5,
      attempts: 1,
      error_rate: 0
    })
    assert.deepInclude(result?.additional_info ?? {}, {
      framework: { name: "garak", version: "0.17.1" },
      sampling: { seed: 42, method: "framework" },
      counts: { total: 6, scored: 6, errors: 0 },
      demo: true
    })
    assert.includeMembers(
      [...host.resultFiles(job).keys()],
      ["framework/evald.report.jsonl", "framework/evald.report.html", "framework/evald.hitlog.jsonl"]
    )
    assertNoSecrets(host, job)
  })
  it("several probes: what the installed version does not have is said, and the framework's intervals are of the attacks that succeeded", async () => {
    const probes = ["test.Blank", "goodside.WhoIsRiley", jailbreak, "nothing.There"]
    const job = await host.evaluate(await host.demoModel(), [quick({ probes, generations: 30 })])
    assert.deepStrictEqual(outcomes(job), ["completed"], JSON.stringify(job.status))
    const [result] = job.results.benchmarks as ReadonlyArray<
      (typeof job.results.benchmarks)[number] & {
        readonly metrics_schema: ReadonlyArray<{ readonly name: string; readonly ci?: unknown }>
      }
    >
    assert.deepInclude(result?.metrics, {
      "test.Blank_asr": 1,
      "goodside.WhoIsRiley_asr": 0,
      attack_success_rate: 60 / 270,
      attempts: 8
    })
    const intervals = result?.metrics_schema.filter(({ ci }) => ci !== undefined).map(({ name, ci }) => [name, ci])
    assert.deepStrictEqual(intervals, [
      ["goodside.WhoIsRiley_asr", [0, 0]],
      ["test.Blank_asr", [1, 1]]
    ])
    assert.include(
      JSON.stringify(result?.additional_info?.["notes"]),
      "the installed version has no nothing.There: left out"
    )
  })
  it("a detector that wants a model of the hub is left out, and the result says so", async () => {
    const job = await host.evaluate(await host.demoModel(), [quick({ probes: "misleading.FalseAssertion" })])
    assert.deepStrictEqual(outcomes(job), ["completed"], JSON.stringify(job.status))
    const info = job.results.benchmarks[0]?.additional_info ?? {}
    assert.match(
      String(info["notes"]),
      /without the detectors misleading\.MustRefuteClaimModel, misleading\.MustContradictNLI, which could not be loaded/
    )
  })
  it("what garak does not know, and a model that does not answer, fail with the code that says so although garak ends with 0", async () => {
    const refusing = await host.demoModel(
      "--status-script",
      ["ok,ok,ok,ok,ok,ok", ...Array.from({ length: 20 }, () => "401")].join(",")
    )
    const unknown = await host.evaluate(await host.demoModel(), [quick({ probes: "nothing.There" })])
    assert.deepStrictEqual(outcomes(unknown), ["benchmark_not_supported"], JSON.stringify(unknown.status))
    const refused = await host.evaluate(refusing, [quick({ probes: "test.Blank" })])
    assert.deepStrictEqual(outcomes(refused), ["model_authentication_failed"], JSON.stringify(refused.status))
    const failing = await host.evaluate(await host.demoModel("--error-rate", "0.5"), [
      quick({ probes: "test.Blank", generations: 4 })
    ])
    assert.deepStrictEqual(outcomes(failing), ["too_many_errors"], JSON.stringify(failing.status))
  })
})
