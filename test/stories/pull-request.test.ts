/** A pipeline that gates pull requests: the steps of the example workflow, carried out as its runner does, on a push and on two pull requests. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import type { Running } from "../support/evald-process.ts"
import { emptyHome, type Home } from "./support/home.ts"
import { Story } from "./support/story.ts"

const examples = "docs/examples/pull-request"

interface Step {
  readonly name?: string
  readonly if?: string
  readonly run?: string
}

/** what is typed once a runner has evald */
const steps = (
  parse(readFileSync(`${examples}/evaluation.yaml`, "utf8")) as {
    readonly jobs: { readonly gate: { readonly steps: ReadonlyArray<Step> } }
  }
).jobs.gate.steps.filter(({ name, run }) => run !== undefined && name !== "Install")

let home: Home
let server = ""
let models: ReadonlyArray<Running> = []

describe("a pipeline", () => {
  beforeAll(async () => {
    home = emptyHome()
    const [{ url }, ...others] = await Promise.all([
      home.start(["server", "-local"], { PORT: "0" }),
      ...[0.9, 0.6].map((skill) => home.start(["demo-model", "--port", "0", "--skill", String(skill)]))
    ])
    server = url
    models = others
    mkdirSync(join(home.folder, "evals"))
    writeFileSync(join(home.folder, "evals/policy.yaml"), readFileSync(`${examples}/policy.yaml`))
  })
  afterAll(() => home?.leave())

  /** a checkout in which the job asks this model */
  const checkOut = (model: Running | undefined) =>
    writeFileSync(
      join(home.folder, "evals/job.yaml"),
      readFileSync(`${examples}/job.yaml`, "utf8").replace("http://127.0.0.1:11434/v1", model?.url ?? "")
    )
  const environment = { event: "", GITHUB_REF_NAME: "", GITHUB_BASE_REF: "" }
  /** how each step ended, and what it printed; those after a failure are left out unless they always run */
  const pipeline = async ({ event, ...given }: typeof environment) => {
    const summary = join(home.folder, "summary.md")
    const type = home.shell({ ...given, EVALD_SERVER: server, GITHUB_STEP_SUMMARY: summary })
    const ended: Array<{ readonly name: string; readonly code: number | null; readonly printed: string }> = []
    writeFileSync(summary, "")
    for (const { name = "", if: when, run = "" } of steps) {
      const isOn = when === undefined || when === "always()" || when === `github.event_name == '${event}'`
      if (!isOn || (when !== "always()" && ended.some(({ code }) => code !== 0))) continue
      const { code, stdout, stderr } = await type(run)
      ended.push({ name, code, printed: stdout + stderr })
    }
    return { ended, summary: readFileSync(summary, "utf8") }
  }
  const codes = (ended: Awaited<ReturnType<typeof pipeline>>["ended"]) => ended.map(({ name, code }) => [name, code])

  it("is told by one command and its exit code whether a model is good enough, and lets no worse one through", async () => {
    const story = new Story("pull-request")
    checkOut(models[0])
    await story.types(
      home.shell({ EVALD_SERVER: server }),
      "One command is a verdict: its exit code is 0 for PASS, 10 for FAIL, 11 for what is open, 69 where nobody answers.",
      "evald run -f evals/job.yaml --wait --fail-on verdict"
    )
    story.tell(
      `To hold a model against that of the main branch, [evaluation.yaml](examples/pull-request/evaluation.yaml) runs for pushes and pull requests, with
   [job.yaml](examples/pull-request/job.yaml) and [policy.yaml](examples/pull-request/policy.yaml) in \`evals/\`. A pull request judged before the main branch has a job is told so.`
    )
    const request = { event: "pull_request", GITHUB_REF_NAME: "12/merge", GITHUB_BASE_REF: "main" }
    const early = await pipeline(request)
    assert.deepStrictEqual(codes(early.ended), [
      ["Evaluate", 0],
      ["Judge", 64],
      ["Report", 0]
    ])
    assert.include(early.ended[1]?.printed, "--baseline is empty; is there no job to hold it against yet?")

    story.tell("A push to the main branch leaves a job with its tag.")
    const push = await pipeline({ event: "push", GITHUB_REF_NAME: "main", GITHUB_BASE_REF: "" })
    assert.deepStrictEqual(
      codes(push.ended),
      [
        ["Evaluate", 0],
        ["Report", 0]
      ],
      JSON.stringify(push.ended)
    )

    story.tell("A pull request that does not touch the model: GO.")
    const same = await pipeline(request)
    assert.deepStrictEqual(
      codes(same.ended),
      [
        ["Evaluate", 0],
        ["Judge", 0],
        ["Report", 0]
      ],
      JSON.stringify(same.ended)
    )
    story.prints(same.ended[1]?.printed ?? "")

    story.tell("One with a weaker model: NO-GO, the step ends with 10, and the report is there all the same.")
    checkOut(models[1])
    const weaker = await pipeline({ ...request, GITHUB_REF_NAME: "13/merge" })
    assert.deepStrictEqual(
      codes(weaker.ended),
      [
        ["Evaluate", 0],
        ["Judge", 10],
        ["Report", 0]
      ],
      JSON.stringify(weaker.ended)
    )
    story.prints(weaker.ended[1]?.printed ?? "")
    assert.match(weaker.summary, /^\*\*NO-GO\*\* by policy release.*\*\*PASS\*\* .*\| evald\/arith\\_basic \|/s)
    story.prints(weaker.summary)
    assert.match(
      readFileSync(join(home.folder, "results.xml"), "utf8"),
      /<testsuite name="evald\/arith_basic" tests="1"[\s\S]*<testsuite name="policy release" tests="2" errors="0" failures="1"/
    )
    story.ends({ commands: 1, seconds: 20 })
  })
})
