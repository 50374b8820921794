/** Causes planted on the real server with real adapters: each is said first, and a script that does what the remedy says is rid of it. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../support/free-port.ts"
import { type HostedJob, type HostedModel, type ServiceHost, serviceHost } from "../../support/service-host.ts"

interface Finding {
  readonly code: string
  readonly remedy: string
  readonly evidence: ReadonlyArray<{ readonly kind: string; readonly text: string }>
}
interface Explanation {
  readonly findings: ReadonlyArray<Finding>
}

let host: ServiceHost
let open: HostedModel
let guarded: HostedModel

beforeAll(async () => {
  host = await serviceHost({ shipped: true })
  open = await host.demoModel()
  guarded = await host.guardedModel()
})
afterAll(async () => {
  await host.stop()
})

const benchmark = {
  id: "mcq_general",
  provider_id: "evald",
  parameters: { num_examples: 40 },
  pass_criteria: { threshold: 0.5 }
}

interface Wanted {
  readonly model: HostedModel
  readonly benchmark?: object
}

const findingsOf = async ({ resource }: HostedJob): Promise<ReadonlyArray<Finding>> =>
  ((await host.expected(200, "GET", `jobs/${resource.id}/explain`)).json as Explanation).findings

/** the cause is first; after the remedy, which must name what the script changes, it is gone and the job is done */
const remedied = async (code: string, named: RegExp, planted: Wanted, mend: (found: Finding) => Wanted) => {
  const run = (wanted: Wanted) => host.evaluate(wanted.model, [{ ...benchmark, ...wanted.benchmark }])
  const [first] = await findingsOf(await run(planted))
  assert.strictEqual(first?.code, code, JSON.stringify(first))
  assert.match(first?.remedy ?? "", named)
  const mended = await run(mend(first as Finding))
  assert.strictEqual(mended.status.state, "completed")
  assert.notInclude(
    (await findingsOf(mended)).map((finding) => finding.code),
    code
  )
}

describe("the remedy of a planted cause", () => {
  it("an endpoint that wants a key: the secret is named", async () => {
    const { url, name } = guarded
    await remedied("model_authentication_failed", /model\.auth\.secret_ref/, { model: { url, name } }, () => ({
      model: guarded
    }))
  })

  it("an address without its /v1: it is added", async () => {
    const wrong = open.url.replace(/\/v1$/, "/v2")
    await remedied("model_endpoint_not_found", /model\.url .*\/v1/, { model: { ...open, url: wrong } }, () => ({
      model: open
    }))
  })

  it("nobody listens there: the address is corrected", async () => {
    const nowhere = { ...open, url: `http://127.0.0.1:${await freePort()}/v1` }
    await remedied("model_endpoint_unreachable", /model\.url/, { model: nowhere }, () => ({ model: open }))
  })

  it("a metric that nobody reports: one of those that the evidence names is taken", async () => {
    const planted = { model: open, benchmark: { primary_score: { metric: "accurracy" } } }
    await remedied("primary_metric_missing", /primary_score\.metric/, planted, ({ evidence }) => {
      const [, metric] = /reported are (\w+)/.exec(evidence.map(({ text }) => text).join(" ")) ?? []
      assert.isDefined(metric, JSON.stringify(evidence))
      return { model: open, benchmark: { primary_score: { metric } } }
    })
  })

  it("answers that are cut off: the limit is raised", async () => {
    const planted = { model: open, benchmark: { parameters: { num_examples: 40, temperature: 0, max_tokens: 1 } } }
    await remedied("truncated", /limit of generated tokens/, planted, () => ({ model: open }))
  })

  it("too few items to decide: more are asked", async () => {
    const planted = { model: open, benchmark: { parameters: { num_examples: 3 }, pass_criteria: { threshold: 0.9 } } }
    await remedied("too_few_items", /num_examples/, planted, () => ({
      model: open,
      benchmark: { parameters: { num_examples: 60 }, pass_criteria: { threshold: 0.9 } }
    }))
  })
})
