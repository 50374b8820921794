/** Alert rules and dashboard, held to Prometheus' own tool and to the metrics of a server that has worked. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { isObject, listMember, member, textMember } from "../../values/json.ts"
import { listen, type Running, run } from "../support/evald-process.ts"
import { goTool } from "../support/go-tools/tools.ts"

const promtool = goTool("promtool")
const rulesFile = resolve("deploy/monitoring/alerts.yaml")

const rules = listMember(parse(readFileSync(rulesFile, "utf8")), "groups").flatMap((group) =>
  listMember(group, "rules")
)
const queries = listMember(JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")), "panels").flatMap(
  (panel) => listMember(panel, "targets").map((target) => textMember(target, "expr") ?? "")
)

interface Case {
  /** values of the series that make it fire, and of those that do not, a minute each */
  readonly fires: { readonly [series: string]: string }
  readonly quiet: { readonly [series: string]: string }
  readonly at: string
  /** of the alert, besides its severity */
  readonly labels?: { readonly [name: string]: string }
}

const cases: { readonly [alert: string]: Case } = {
  EvaldDatabaseDown: {
    fires: { 'evald_database_up{instance="a"}': "0x10", 'evald_database_up{instance="b"}': "1x10" },
    quiet: { 'evald_database_up{instance="a"}': "0 1x9" },
    at: "5m",
    labels: { instance: "a" }
  },
  EvaldRequestsFail: {
    fires: {
      'evald_http_request_duration_seconds_count{status="500"}': "0+10x20",
      'evald_http_request_duration_seconds_count{status="200"}': "0+100x20"
    },
    quiet: {
      'evald_http_request_duration_seconds_count{status="500"}': "0+1x20",
      'evald_http_request_duration_seconds_count{status="200"}': "0+100x20"
    },
    at: "15m"
  },
  EvaldTasksWait: {
    fires: { 'evald_task_lag_seconds{kind="launch"}': "400x30" },
    quiet: { 'evald_task_lag_seconds{kind="launch"}': "200x30" },
    at: "20m",
    labels: { kind: "launch" }
  },
  EvaldTasksGivenUp: {
    fires: { 'evald_tasks{kind="cleanup",state="buried"}': "1x30" },
    quiet: { 'evald_tasks{kind="cleanup",state="waiting"}': "9x30" },
    at: "20m",
    labels: { kind: "cleanup" }
  },
  EvaldBenchmarksFail: {
    fires: {
      'evald_benchmarks_ended_total{state="failed"}': "0+6x90",
      'evald_benchmarks_ended_total{state="completed"}': "0+2x90"
    },
    quiet: {
      'evald_benchmarks_ended_total{state="failed"}': "0+2x90",
      'evald_benchmarks_ended_total{state="completed"}': "0+6x90"
    },
    at: "80m"
  },
  EvaldCleanupStuck: {
    fires: { evald_cleanup_pending: "200x60" },
    quiet: { evald_cleanup_pending: "20x60" },
    at: "40m"
  },
  EvaldDefinitionsWrong: {
    fires: { 'evald_catalog_problems{severity="error"}': "1x30" },
    quiet: { 'evald_catalog_problems{severity="warning"}': "1x30" },
    at: "20m"
  }
}

const text = (value: unknown): { readonly [name: string]: string } =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)])) : {}

/** as the tool wants to be told what to expect of one alert */
const testOf = (alert: string, { at, labels = {}, ...series }: Case, which: "fires" | "quiet") => {
  const rule = rules.find((one) => textMember(one, "alert") === alert)
  const filled = (words: string) =>
    words.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? "?")
  const expected = {
    exp_labels: { ...text(member(rule, "labels")), ...labels },
    exp_annotations: Object.fromEntries(
      Object.entries(text(member(rule, "annotations"))).map(([name, words]) => [name, filled(words)])
    )
  }
  return {
    interval: "1m",
    input_series: Object.entries(series[which]).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: which === "fires" ? [expected] : [] }]
  }
}

describe.skipIf(typeof promtool !== "string")("what watches a service", () => {
  let folder = ""
  let model: Running
  let server: Running
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "evald-monitoring-"))
    server = await listen(["server", "-local"], { PORT: "0", HOME: folder, TMPDIR: folder })
    model = await listen(["demo-model", "--port", "0"])
  })
  afterAll(async () => {
    await Promise.all([server.stop(), model.stop()])
    rmSync(folder, { recursive: true, force: true })
  })
  const tool = (args: ReadonlyArray<string>, input = "") =>
    execFileSync(typeof promtool === "string" ? promtool : "", [...args], { encoding: "utf8", input })
  const written = (name: string, value: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }

  it("is read by Prometheus without a complaint: the rules, and the questions of the dashboard", () => {
    assert.include(tool(["check", "rules", "--lint=all", "--lint-fatal", rulesFile]), `${rules.length} rules found`)
    assert.isAbove(queries.length, 8)
    const records = queries.map((expr, at) => ({ record: `panel:question:${at}`, expr }))
    const file = written("questions.yaml", { groups: [{ name: "dashboard", rules: records }] })
    assert.include(tool(["check", "rules", "--lint=all", "--lint-fatal", file]), `${queries.length} rules found`)
    assert.throws(() =>
      tool([
        "check",
        "rules",
        written("wrong.yaml", { groups: [{ name: "a", rules: [{ record: "b", expr: "sum(" }] }] })
      ])
    )
  })

  it("every alert fires for what it is about, with its words, and is quiet otherwise", () => {
    assert.sameMembers(
      rules.map((rule) => textMember(rule, "alert")),
      Object.keys(cases)
    )
    const tests = Object.entries(cases).flatMap(([alert, one]) => [
      testOf(alert, one, "fires"),
      testOf(alert, one, "quiet")
    ])
    const file = written("tests.yaml", { rule_files: [rulesFile], evaluation_interval: "1m", tests })
    assert.include(tool(["test", "rules", file]), "SUCCESS")
  })

  it("asks for what a server that has worked tells, and what it tells is well formed", async () => {
    const target = ["--model", model.url, "--name", "evald-demo", "--benchmark", "arith_basic", "--num-examples", "4"]
    const ended = await run(["run", ...target, "--wait"], { HOME: folder, TMPDIR: folder, EVALD_SERVER: server.url })
    assert.strictEqual(ended.code, 0, ended.stderr)
    const told = await (await fetch(`${server.url}/metrics`)).text()
    const { stdout, stderr } = spawnSync(typeof promtool === "string" ? promtool : "", ["check", "metrics"], {
      encoding: "utf8",
      input: told
    })
    // the names that prom-client gives to figures of Node.js are not ours to choose
    const complaints = `${stdout}${stderr}`
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("evald_nodejs_"))
    assert.deepStrictEqual(complaints, [])
    const kinds = new Map([...told.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", kind = ""]) => [name, kind]))
    const names = [...queries, ...rules.map((rule) => textMember(rule, "expr") ?? "")].flatMap((expression) =>
      [...expression.matchAll(/\bevald_\w+/g)].map(([name]) => name)
    )
    assert.isAbove(new Set(names).size, 12)
    assert.deepStrictEqual(
      names.filter((name) => !kinds.has(name) && kinds.get(name.replace(/_(bucket|count|sum)$/, "")) !== "histogram"),
      []
    )
  })
})
