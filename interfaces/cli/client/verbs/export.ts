/** `evald export`: results for other programs: JUnit for pipelines, Markdown for a pull request, CSV and JSON Lines for tables, a report for people. */
import { isHollow, overall, remarks } from "../../demo/result-table.ts"
import { exits, Stop } from "../exit.ts"
import { type Job, jobOf } from "../follow.ts"
import { verdictOf } from "../job-shown.ts"
import { csvText } from "../output.ts"
import { dataTo, plain, taken } from "../screen.ts"
import { flagOf, type Handler, jobArgument } from "../session.ts"
import { type Gate, gateCases, newestGate } from "./judged.ts"
import { reportOf } from "./report.ts"
import { samplesOf } from "./samples.ts"

type Result = Job["results"]["benchmarks"][number]

const escaped = (text: string): string =>
  plain(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const resultOf = (job: Job, index: number): Result | undefined =>
  job.results.benchmarks.find(({ benchmark_index }) => benchmark_index === index)

const flagsOf = (result: Result | undefined): string =>
  (result?.validity?.flags ?? []).map(({ code, message }) => `${code}: ${message}`).join("; ")

interface Case {
  readonly benchmark: string
  readonly verdict: "pass" | "fail" | "inconclusive" | "invalid" | "failed" | "none"
  readonly score: number | undefined
  readonly low: number | undefined
  readonly high: number | undefined
  readonly n: number | undefined
  readonly metric: string
  readonly threshold: number | undefined
  readonly why: string
}

const caseOf = (
  job: Job,
  { benchmark_index, provider_id, id, status, error_message }: Job["status"]["benchmarks"][number]
): Case => {
  const result = resultOf(job, benchmark_index)
  const test = result?.test
  const metric = test?.primary_score_metric ?? ""
  const verdict =
    status !== "completed"
      ? "failed"
      : result?.validity?.status === "invalid"
        ? "invalid"
        : (test?.decided ?? (test?.pass === undefined ? "none" : test.pass ? "pass" : "fail"))
  return {
    benchmark: `${provider_id}/${id}`,
    verdict,
    score: test?.primary_score,
    low: test?.interval?.low,
    high: test?.interval?.high,
    n: test?.interval?.n ?? result?.metrics_schema?.find(({ name }) => name === metric)?.n,
    metric,
    threshold: test?.threshold,
    why:
      verdict === "failed"
        ? `${status}${error_message === undefined ? "" : ` (${error_message.message_code}): ${error_message.message}`}`
        : flagsOf(result)
  }
}

const casesOf = (job: Job): ReadonlyArray<Case> => job.status.benchmarks.map((benchmark) => caseOf(job, benchmark))
const shown = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(3))

const caseXml = (one: Case, strict: boolean): string => {
  const text = `${one.metric} ${shown(one.score)} [${shown(one.low)}, ${shown(one.high)}], threshold ${shown(one.threshold)}, n ${one.n ?? "-"}`
  const inner: { readonly [verdict: string]: string } = {
    fail: `<failure message="${escaped(`below the threshold: ${text}`)}"/>`,
    inconclusive: strict
      ? `<failure message="${escaped(`inconclusive: ${text}`)}"/>`
      : `<skipped message="${escaped(`inconclusive: ${text}`)}"/>`,
    invalid: `<error message="${escaped(`invalid: ${one.why}`)}"/>`,
    failed: `<error message="${escaped(one.why)}"/>`,
    none: `<skipped message="no threshold"/>`
  }
  return `    <testcase classname="${escaped(one.benchmark)}" name="${escaped(one.metric === "" ? "result" : one.metric)}">${inner[one.verdict] ?? ""}<system-out>${escaped(text)}</system-out></testcase>`
}

/** one suite for each benchmark, one case for its criterion; and one suite for the policy that judged the job, a case for each of its criteria */
export const junitText = (job: Job, strict: boolean, gate?: Gate): string => {
  const cases = casesOf(job)
  const suites = cases.map((one) => {
    const [errors, failures, skipped] = [
      one.verdict === "invalid" || one.verdict === "failed",
      one.verdict === "fail" || (strict && one.verdict === "inconclusive"),
      one.verdict === "none" || (!strict && one.verdict === "inconclusive")
    ].map(Number)
    return `  <testsuite name="${escaped(one.benchmark)}" tests="1" errors="${errors}" failures="${failures}" skipped="${skipped}">\n${caseXml(one, strict)}\n  </testsuite>`
  })
  const judged = gate === undefined ? [] : gateCases(gate)
  if (gate !== undefined) suites.push(gateXml(gate, strict))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escaped(job.name)}" tests="${cases.length + judged.length}">\n${suites.join("\n")}\n</testsuites>\n`
}

/** advisory criteria decide nothing, so that they fail nothing */
const gateXml = (gate: Gate, strict: boolean): string => {
  const name = escaped(`policy ${gate.policy.name ?? "without a name"}`)
  const cases = gateCases(gate).map((one) => {
    const sign =
      one.outcome === "PASS"
        ? ""
        : one.isAdvisory || (one.outcome === "INCONCLUSIVE" && !strict)
          ? "skipped"
          : "failure"
    const text = escaped(
      `${one.outcome}: ${one.wanted}; score ${shown(one.value)}, loss ${shown(one.loss)}${one.why === undefined ? "" : `; ${one.why}`}`
    )
    const xml = `    <testcase classname="${name}" name="${escaped(`${one.benchmark}: ${one.wanted}`)}">${sign === "" ? "" : `<${sign} message="${text}"/>`}<system-out>${text}</system-out></testcase>`
    return { sign, xml }
  })
  const count = (wanted: string) => cases.filter(({ sign }) => sign === wanted).length
  return `  <testsuite name="${name}" tests="${cases.length}" errors="0" failures="${count("failure")}" skipped="${count("skipped")}">\n${cases.map(({ xml }) => xml).join("\n")}\n  </testsuite>`
}

const csvOf = (job: Job): string =>
  csvText([
    ["job", "benchmark", "metric", "score", "low", "high", "n", "threshold", "verdict", "why"],
    ...casesOf(job).map(({ benchmark, metric, score, low, high, n, threshold, verdict, why }) =>
      [job.resource.id, benchmark, metric, score, low, high, n, threshold, verdict, why].map((value) =>
        value === undefined ? "" : plain(String(value))
      )
    )
  ])

/** text of others inside a table of Markdown: neither markup nor a new cell */
const cell = (text: string): string => plain(text).replace(/[\\`*_{}[\]<>()#+!|~@]/g, "\\$&")

/** what a policy said of the job, which is what a reader of a pull request asks first */
const gateLines = (gate: Gate): ReadonlyArray<string> => [
  `**${gate.outcome}** by policy ${cell(gate.policy.name ?? "without a name")}${gate.baseline === undefined ? "" : `, held against ${cell(gate.baseline.name)} of ${cell(gate.baseline.model.name)}`}`,
  "",
  "| benchmark | must hold | outcome | score | loss | bounds | n | why |",
  "|---|---|---|---|---|---|---|---|",
  ...gateCases(gate).map(
    (one) =>
      `| ${cell(one.benchmark)} | ${cell(one.wanted)} | ${one.outcome}${one.isAdvisory ? " (advisory)" : ""} | ${shown(one.value)} | ${shown(one.loss)} | ${one.bounds === undefined ? "-" : `${shown(one.bounds.low)} to ${shown(one.bounds.high)}`} | ${one.n ?? "-"} | ${one.why === undefined ? "-" : cell(one.why)} |`
  ),
  ""
]

export const markdownText = (job: Job, link: string, gate?: Gate): string => {
  const cases = casesOf(job)
  const invalid = cases.filter(({ verdict }) => verdict === "invalid" || verdict === "failed")
  const notes = isHollow(job) ? remarks(job).map((line) => line.trim()) : []
  return [
    ...(gate === undefined ? [] : gateLines(gate)),
    `**${(verdictOf(job) ?? job.status.state).toUpperCase()}** ${cell(job.name)}: ${cell(overall(job).trim())}`,
    "",
    "| benchmark | metric | score | interval | n | threshold | verdict |",
    "|---|---|---|---|---|---|---|",
    ...cases.map(
      (one) =>
        `| ${cell(one.benchmark)} | ${cell(one.metric)} | ${shown(one.score)} | ${one.low === undefined ? "-" : `${shown(one.low)} to ${shown(one.high)}`} | ${one.n ?? "-"} | ${shown(one.threshold)} | ${one.verdict} |`
    ),
    ...(invalid.length === 0
      ? []
      : [
          "",
          "What does not count, and why:",
          "",
          ...invalid.map(({ benchmark, why }) => `- ${cell(benchmark)}: ${cell(why)}`)
        ]),
    ...(invalid.length === 0 && notes.length > 0 ? ["", ...notes.map((note) => `- ${cell(note)}`)] : []),
    "",
    `[Job ${job.resource.id}](${link})`,
    ""
  ].join("\n")
}

const formats = ["junit", "csv", "jsonl", "html", "md"]

export const exporting: Handler = async (session) => {
  const [format = "", inconclusive] = [flagOf(session, "output"), flagOf(session, "inconclusive")]
  if (!formats.includes(format)) throw new Stop(exits.usage, `-o must be one of ${formats.join(", ")}`)
  if (inconclusive !== undefined && inconclusive !== "fail") throw new Stop(exits.usage, "--inconclusive takes 'fail'")
  const id = jobArgument(session)
  const connection = await session.connect()
  if (format === "jsonl") {
    for await (const page of samplesOf(connection, id, undefined, { content: true }, Number.MAX_SAFE_INTEGER)) {
      dataTo(session.screen, page.map((sample) => `${JSON.stringify(sample)}\n`).join(""))
      await taken()
    }
    return exits.done
  }
  if (format === "html") {
    session.screen.out((await reportOf(session, connection, [id])).text)
    return exits.done
  }
  const job = await jobOf(connection, id)
  const gate = format === "csv" ? undefined : await newestGate(connection, id)
  const text =
    format === "junit"
      ? junitText(job, inconclusive === "fail", gate)
      : format === "csv"
        ? csvOf(job)
        : markdownText(job, `${connection.target.server}/jobs/${encodeURIComponent(id)}`, gate)
  session.screen.out(text)
  return exits.done
}
