/** Commands that talk to a server, as processes in a pipe and on a terminal, against a real local server with the demo model. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { commands } from "../../../interfaces/cli/commands.ts"
import { type Finished, listen, type Running, run, until } from "../../support/evald-process.ts"
import { freePort } from "../../support/free-port.ts"
import { plantedModel } from "../../trust/support/planted-model.ts"
import { onTerminal } from "./on-terminal.ts"

let home = ""
let server: Running
let model: Running
/** where nobody listens */
let nobody = ""
/** a finished job, and one of the same items */
let id = ""
let another = ""

const environment = () => ({ HOME: home, TMPDIR: home, EVALD_SERVER: server.url })
const evald = (...args: ReadonlyArray<string>): Promise<Finished> => run(args, environment())
const target = () => [
  "--model",
  model.url,
  "--name",
  "evald-demo",
  "--benchmark",
  "arith_basic",
  "--num-examples",
  "20"
]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-client-"))
  nobody = `http://127.0.0.1:${await freePort()}`
  server = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home })
  model = await listen(["demo-model", "--port", "0"])
  const first = await evald("run", ...target(), "--wait", "-o", "name")
  assert.strictEqual(first.code, 0, first.stdout + first.stderr)
  id = first.stdout.trim().replace("job/", "")
  const second = await evald("run", ...target(), "--wait", "-o", "name")
  another = second.stdout.trim().replace("job/", "")
})
afterAll(async () => {
  await Promise.all([server.stop(), model.stop()])
  rmSync(home, { recursive: true, force: true })
})

/** each command that reads, and what its answer has */
const reading = (): ReadonlyArray<readonly [args: ReadonlyArray<string>, has: RegExp]> => [
  [["get", "jobs"], /completed/],
  [["get", "jobs", id], /completed/],
  [["get", "providers"], /evald/],
  [["get", "collections", "quick-smoke"], /general/],
  [["get", "benchmarks", "--search", "arith"], /arith_basic/],
  [["get", "benchmarks", "evald/arith_basic"], /arith_basic/],
  [["get", "benchmarks", "--evaluates", "math", "--provider", "evald", "--limit", "1"], /evald/],
  [["describe", "job", id], /arith_basic\s+exact_match_flexible[\s\S]*\(since /],
  // as -o name prints it
  [["describe", "job", `job/${id}`], /arith_basic\s+exact_match_flexible[\s\S]*\n {2}benchmarks\/0: /],
  [["get", "collections", "collection/quick-smoke"], /general/],
  [["samples", `job/${id}`, "--limit", "3"], /correct/],
  [["compare", `job/${id}`, `job/${another}`], /arith_basic/],
  [["watch", id], /arith_basic\s+exact_match_flexible/],
  [["wait", id], /completed/],
  [["logs", id, "--tail", "5"], /=== benchmark 0: evald\/arith_basic ===/],
  [["logs", id, "--contains", "no line has this"], /^=== benchmark 0: evald\/arith_basic ===\r?\n$/],
  [["samples", id, "--limit", "3"], /correct/],
  [["open", id], new RegExp(`${server.url}/jobs/${id}`)],
  [["export", id, "-o", "junit"], /<testsuite name="evald\/arith_basic" tests="1"/],
  [["context", "list"], /server/i],
  [["whoami"], /local/],
  [["api", "GET", "/api/v1/health"], /"status":"healthy"/],
  [["completion", "bash"], /__complete/],
  [["version"], /^evald \S+ \(\S+\)\r?\nserver \S+/],
  [["compare", id, another], /arith_basic/],
  [["rescore", id], /^agrees +0 evald\/arith_basic/],
  [["run", ...target(), "--dry-run"], /arith_basic/]
]

/** what a failure says to type next, typed: it must be a right line */
const typedNext = async ({ stderr }: Finished): Promise<Finished & { readonly line: string }> => {
  const [, line = ""] = /(?:^|\n)next: evald (.*)\n$/.exec(stderr) ?? []
  assert.notStrictEqual(line, "", stderr)
  return { line, ...(await evald(...line.split(" "))) }
}

describe("in a pipe", () => {
  it("each command that reads answers, without a control code", async () => {
    for (const [args, has] of reading()) {
      const { code, stdout, stderr } = await evald(...args)
      assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}`)
      assert.match(stdout, has, args.join(" "))
      assert.notInclude(stdout + stderr, "\u001b", args.join(" "))
    }
  })
  it("lists are separated by tabs, with instants in UTC", async () => {
    const [head = "", row = ""] = (await evald("get", "jobs")).stdout.split("\n")
    assert.strictEqual(head.split("\t").length, row.split("\t").length)
    assert.match(row, /\t\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })
  it("each output holds the same record", async () => {
    const as = async (format: string) => (await evald("get", "jobs", id, "-o", format)).stdout
    assert.strictEqual(JSON.parse(await as("json")).resource.id, id)
    assert.strictEqual(JSON.parse(await as("jsonl")).resource.id, id)
    assert.include(await as("yaml"), `id: ${id}`)
    assert.strictEqual(await as("name"), `job/${id}\n`)
    assert.strictEqual(await as("jsonpath={.resource.id}"), `${id}\n`)
    assert.match(await as("csv"), new RegExp(`^id,.*\r\n${id},`))
    assert.match(await as("wide"), /\towner\t/)
    assert.strictEqual(
      (await evald("get", "jobs", id, "--columns", "id,state")).stdout,
      `id\tstate\n${id}\tcompleted\n`
    )
  })
  it("results go out as JUnit, Markdown, CSV and one line for each sample", async () => {
    const as = async (format: string) => (await evald("export", id, "-o", format)).stdout
    assert.match(await as("md"), /^\*\*(PASS|FAIL|INCONCLUSIVE)\*\*[\s\S]*\| evald\/arith\\_basic \|/)
    assert.match(await as("csv"), /^job,benchmark,[\s\S]*evald\/arith_basic,exact_match_flexible,/)
    const samples = (await as("jsonl")).trim().split("\n")
    assert.strictEqual(samples.length, 20)
    assert.isString(JSON.parse(samples[0] ?? "").record.response)
  })
  it("a report is one file with the job and as many samples as are wanted, on standard output too", async () => {
    const file = join(home, "report.html")
    const dataIn = (text: string) => JSON.parse(/id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? "")
    const made = await evald("report", id, "-o", file, "--limit", "5")
    assert.deepStrictEqual([made.code, made.stdout], [0, ""], made.stderr)
    assert.match(made.stderr, /5 of 20 samples are in it[\s\S]*written: /)
    const { job, plan, samples, samplesInAll } = dataIn(readFileSync(file, "utf8")).jobs[0]
    assert.deepStrictEqual([job.resource.id, samples.length, samplesInAll], [id, 5, 20])
    assert.strictEqual(plan.benchmarks[0].command, "evald adapter evald")
    for (const args of [
      ["report", id, "-o", "-"],
      ["export", id, "-o", "html"]
    ]) {
      const { stdout } = await evald(...args)
      assert.strictEqual(dataIn(stdout).jobs[0].samples.length, 20, args.join(" "))
      assert.isString(dataIn(stdout).jobs[0].samples[0].record.response)
    }
    const nowhere = await evald("report", id, "-o", join(home, "no", "such", "folder.html"))
    assert.strictEqual(nowhere.code, 64)
    assert.include(nowhere.stderr, "can not be written")
  })
  it("a report of several jobs holds each of them and the comparison with the first", async () => {
    const both = await evald("report", id, another, "-o", "-", "--limit", "5", "--tolerance", "0.05")
    assert.strictEqual(both.code, 0, both.stderr)
    assert.include(both.stderr, `5 of 20 samples of job ${another} are in it`)
    const { jobs, comparison } = JSON.parse(/id="data">(.*?)<\/script>/s.exec(both.stdout)?.[1] ?? "")
    assert.deepStrictEqual(
      jobs.map((one: { readonly job: { readonly resource: { readonly id: string } } }) => one.job.resource.id),
      [id, another]
    )
    assert.deepStrictEqual([comparison.baseline.job, comparison.tolerance], [id, 0.05])
    assert.strictEqual((await evald("report", id, id)).code, 64)
    assert.strictEqual((await evald("report", id, "--tolerance", "0.05")).code, 64)
  })
  it("a job that is stored is named alone on standard output, and can be cancelled and removed", async () => {
    const stored = await evald("run", ...target())
    assert.strictEqual(stored.code, 0, stored.stderr)
    const other = stored.stdout.trim()
    assert.match(stored.stderr, new RegExp(`next: evald watch ${other}`))
    assert.include([0, 1], (await evald("cancel", other)).code)
    assert.strictEqual((await evald("delete", "job", other)).code, 64)
    assert.strictEqual((await evald("delete", "job", other, "--yes")).code, 0)
    const gone = await evald("get", "jobs", other)
    assert.deepStrictEqual([gone.code, gone.stdout], [1, ""])
    assert.match(gone.stderr, /resource_not_found: .*\nnext: evald get jobs\n$/s)
  })
  it("definitions are created, then replaced, and removed", async () => {
    const file = join(home, "set.yaml")
    writeFileSync(file, "name: mine\ncategory: general\nbenchmarks:\n  - {id: arith_basic, provider_id: evald}\n")
    assert.strictEqual((await evald("apply", "-f", file)).stdout, "collection mine created\n")
    assert.strictEqual((await evald("apply", "-f", file)).stdout, "collection mine replaced\n")
    const made = (
      await evald("get", "collections", "--search", "mine", "-o", "jsonpath={.items[0].resource.id}")
    ).stdout.trim()
    assert.strictEqual((await evald("delete", "collection", made, "-y")).code, 0)
  })
  it("what a file defines is removed by the same file, collections before the providers they name; what is not there is said", async () => {
    const file = join(home, "both.yaml")
    writeFileSync(
      file,
      "kind: provider\nname: ours\nruntime: {local: {command: 'true'}}\nbenchmarks: [{id: x}]\n---\nname: theirs\ncategory: general\nbenchmarks:\n  - {id: arith_basic, provider_id: evald}\n"
    )
    const applied = await evald("apply", "-f", file)
    assert.strictEqual(applied.stdout, "provider ours created\ncollection theirs created\n", applied.stderr)
    assert.match(applied.stderr, /next: evald run --collection \S+ --model URL --name MODEL --wait\n$/)
    const unasked = await evald("delete", "-f", file)
    assert.deepStrictEqual([unasked.code, /say --yes/.test(unasked.stderr)], [64, true], unasked.stderr)
    const removed = await evald("delete", "-f", file, "--yes")
    assert.strictEqual(removed.code, 0, removed.stderr)
    assert.strictEqual(removed.stderr, "collection theirs is removed\nprovider ours is removed\n")
    for (const kind of ["providers", "collections"])
      assert.notMatch((await evald("get", kind, "--limit", "1000")).stdout, /\b(ours|theirs)\b/)
    const again = await evald("delete", "-f", file, "-y")
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "not there: collection theirs, provider ours")
    assert.strictEqual((await typedNext(again)).code, 0)
    for (const wrong of [["delete"], ["delete", "job"], ["delete", "job", "-f", file]])
      assert.strictEqual((await evald(...wrong)).code, 64, wrong.join(" "))
  })
  it("a line that is wrong stores no job (it did when only --timeout was)", async () => {
    const count = async () => (await evald("get", "jobs", "--limit", "1000", "-o", "name")).stdout.split("\n").length
    const before = await count()
    for (const wrong of [
      ["--wait", "--timeout", "soon"],
      ["--wait", "--fail-on", "score"],
      ["-o", "xml"]
    ])
      assert.strictEqual((await evald("run", ...target(), ...wrong)).code, 64, wrong.join(" "))
    assert.strictEqual(await count(), before)
  })
  it("a job with a gate asks no more than it takes with --early-stop, and its samples make the same score again", async () => {
    const file = join(home, "early-stop.yaml")
    const gate = "gate: {policy: {criteria: [{benchmark: arith_basic, kind: absolute, threshold: 0.3}]}}"
    writeFileSync(
      file,
      `name: x\nmodel: {url: "${model.url}", name: evald-demo}\n${gate}\nbenchmarks:\n  - {id: arith_basic, provider_id: evald}\n`
    )
    const stopped = await evald("run", "-f", file, "--early-stop", "0.05", "--wait", "-o", "json")
    assert.strictEqual(stopped.code, 0, stopped.stderr)
    const { resource, results } = JSON.parse(stopped.stdout)
    const [{ early_stopped: early, test, samples, validity }] = results.benchmarks
    assert.strictEqual(early.of, 200)
    assert.isBelow(early.asked, 120)
    assert.deepStrictEqual(
      [samples.count, test.interval.n, test.interval.method],
      [early.asked, early.asked, "betting"]
    )
    assert.strictEqual(validity.status, "valid")
    const rescored = await evald("rescore", "--server", server.url, resource.id)
    assert.match(rescored.stdout, /agrees/, rescored.stderr)
    for (const wrong of [
      ["-f", file, "--early-stop", "soon"],
      [...target(), "--early-stop", "0.05"]
    ])
      assert.strictEqual((await evald("run", ...wrong)).code, 64, wrong.join(" "))
  })
  it("against a baseline it asks no more than the difference takes; a budget it can not keep to ends it without a score", async () => {
    const whole = await evald("run", ...target().slice(0, 6), "--wait", "-o", "name")
    const baseline = whole.stdout.trim().replace("job/", "")
    const file = join(home, "against-baseline.yaml")
    const criterion = "{benchmark: arith_basic, kind: relative_to_baseline, tolerance: 0.1}"
    const submitted = (requests: number) => {
      writeFileSync(
        file,
        [
          `name: x\nmodel: {url: "${model.url}", name: evald-demo}`,
          `gate: {policy: {criteria: [${criterion}]}, baseline: {job: ${baseline}}}`,
          `budget: {requests: ${requests}}\nbenchmarks:\n  - {id: arith_basic, provider_id: evald}\n`
        ].join("\n")
      )
      return evald("run", "-f", file, "--early-stop", "0.05", "--wait", "-o", "json")
    }
    const stopped = await submitted(195)
    const { resource, results } = JSON.parse(stopped.stdout)
    const [{ early_stopped: early, usage }] = results.benchmarks
    assert.strictEqual(early.of, 200)
    assert.isBelow(early.asked, 160)
    assert.isBelow(usage.requests, 195)
    const path = `${server.url}/api/v1/evaluations/jobs/${resource.id}/gates`
    const { items } = await until(
      async () => (await fetch(path)).json() as Promise<{ items: ReadonlyArray<Record<string, unknown>> }>,
      (gates) => gates.items.length === 1
    )
    assert.strictEqual(items[0]?.["outcome"], "GO", JSON.stringify(items))
    const policy = join(home, "against-baseline-policy.yaml")
    writeFileSync(policy, `criteria: [${criterion}]\n`)
    const judged = await evald("gate", resource.id, "--policy", policy, "--baseline", baseline)
    // bounds of a loss stood beside the score
    assert.match(judged.stdout, /loss -?0\.\d{4}.*stopped early after \d+ of 200 items/, judged.stderr)
    const spent = await submitted(20)
    const failed = JSON.parse(spent.stdout)
    assert.deepStrictEqual(
      [failed.status.state, failed.status.benchmarks[0].error_message.message_code],
      ["failed", "budget_exhausted"]
    )
    assert.notProperty(failed.results.benchmarks[0] ?? {}, "early_stopped")
  })
  it("a file's job takes the name, the tags and the secret of the line (they were passed over)", async () => {
    const file = join(home, "tagged.yaml")
    const body = `name: x\ntags: [nightly]\nmodel: {url: "${model.url}", name: m}\nbenchmarks: [{id: arith_basic, provider_id: evald}]\n`
    writeFileSync(file, body)
    const made = await evald("run", "-f", file, "--job-name", "y", "--tags", "main,arm", "-o", "json")
    assert.strictEqual(made.code, 0, made.stderr)
    const { name, tags, resource } = JSON.parse(made.stdout)
    assert.deepStrictEqual([name, tags], ["y", ["nightly", "main", "arm"]])
    assert.strictEqual((await evald("get", "jobs", "--tags", "main", "-o", "name")).stdout, `job/${resource.id}\n`)
    assert.strictEqual((await evald("cancel", `job/${resource.id}`)).code, 0)
    const refused = await evald("run", "-f", file, "--api-key-secret", "nobodys", "--wait")
    assert.match(refused.stdout + refused.stderr, /nobodys/)
    writeFileSync(file, body.replace("[nightly]", "nightly"))
    assert.match((await evald("run", "-f", file, "--tags", "main")).stderr, /tags/)
  })
  it("a job that has ended runs again, whole, or what failed of it", async () => {
    const again = await evald("rerun", id, "--wait", "-o", "jsonpath={.rerun_of.job}")
    assert.deepStrictEqual([again.code, again.stdout], [0, `${id}\n`], again.stderr)
    const nothing = await evald("rerun", id, "--failed")
    assert.strictEqual(nothing.code, 1)
    assert.notStrictEqual(nothing.stderr, "")
    assert.strictEqual((await evald("rerun", id, "--failed", "--invalid")).code, 64)
  })
  it("what does not narrow a kind of records is said, and nobody is asked", async () => {
    const { code, stderr } = await run(["get", "providers", "--status", "failed"], { HOME: home, EVALD_SERVER: nobody })
    assert.strictEqual(code, 64)
    assert.include(stderr, "--status does not narrow providers")
  })
  it("a reader that has enough ends a command without a word", async () => {
    const piped = (words: string) =>
      spawnSync("bash", ["-c", `"$NODE" dist/evald.mjs ${words} | true; echo "\${PIPESTATUS[0]}"`], {
        env: { PATH: process.env["PATH"], NODE: process.execPath, ...environment() },
        encoding: "utf8"
      })
    for (const words of [
      "get benchmarks --limit 100 -o json -q",
      `export ${id} -o jsonl`,
      `logs ${id}`,
      "run --help"
    ]) {
      const { stdout, stderr } = piped(words)
      assert.deepStrictEqual([stdout, stderr], ["0\n", ""], words)
    }
  })
  it("numbers and order are the same in every language, and instants in every time zone", async () => {
    const as = async (more: object) => {
      const { code, stdout } = await run(["get", "jobs"], { ...environment(), ...more })
      const csv = await run(["samples", id, "-o", "csv"], { ...environment(), ...more })
      return [code, stdout, csv.code, csv.stdout]
    }
    const plain = await as({})
    for (const other of [{ LC_ALL: "de_DE.UTF-8" }, { LANG: "tr_TR.UTF-8" }, { TZ: "Asia/Kathmandu" }])
      assert.deepStrictEqual(await as(other), plain, JSON.stringify(other))
  })
})

describe("on a terminal", () => {
  it.each([80, 40])(
    "%i columns wide each command that reads answers, and no line of a table is longer",
    async (columns) => {
      for (const [args, has] of reading()) {
        const { code, text } = await onTerminal(args, environment(), columns)
        assert.strictEqual(code, 0, `${args.join(" ")}: ${text}`)
        if (columns === 80) assert.match(text, has, args.join(" "))
        if (args[0] === "get")
          for (const line of text.split(/\r?\n/)) assert.isAtMost([...line].length, columns, args.join(" "))
      }
    }
  )
  it("no table is wider than forty columns, and times are local with their offset, in CSV UTC", async () => {
    for (const args of [
      ["samples", id, "--limit", "3"],
      ["samples", id, "--limit", "3", "--content", "-o", "wide"],
      ["compare", id, another],
      ["whoami", "-o", "wide"],
      ["get", "jobs", "-o", "wide"],
      ["run", ...target(), "--dry-run"]
    ]) {
      const { code, text } = await onTerminal([...args, "-q"], environment(), 40)
      assert.strictEqual(code, 0, text)
      for (const line of text.split(/\r?\n/)) assert.isAtMost([...line].length, 40, args.join(" "))
    }
    const created = async (format: string) =>
      (await onTerminal(["get", "jobs", id, "-o", format], { ...environment(), TZ: "Asia/Kathmandu" }, 200)).text
    assert.match(await created("table"), / \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+05:45\r?\n/)
    assert.match(await created("csv"), /,\d{4}-\d\d-\d\dT[\d:.]+Z\r+\n/)
  })
  it("each command that changes something answers as well, so that every command was on one", async () => {
    const policy = join(home, "on-terminal.json")
    writeFileSync(
      policy,
      JSON.stringify({ criteria: [{ benchmark: "arith_basic", kind: "absolute", threshold: 0.05 }] })
    )
    const set = join(home, "on-terminal.yaml")
    writeFileSync(set, "name: shown\ncategory: general\nbenchmarks:\n  - {id: arith_basic, provider_id: evald}\n")
    const other = (await evald("run", ...target())).stdout.trim()
    const changing: ReadonlyArray<readonly [args: ReadonlyArray<string>, has: RegExp]> = [
      [["run", ...target(), "--watch"], /arith_basic/],
      [["rerun", id, "--wait"], /arith_basic/],
      [["gate", id, "--policy", policy], /GO/],
      [["apply", "-f", set], /collection shown created/],
      [["login", "here", "--server", server.url], /local/],
      [["wait", other], /completed/],
      [["report", id, "-o", join(home, "on-terminal.html")], /written: /],
      [["cancel", other], /job_can_not_be_updated/],
      [["delete", "job", other, "--yes"], /is removed/]
    ]
    for (const [args, has] of changing) {
      const { code, text } = await onTerminal(args, { ...environment(), HOME: join(home, "on-terminal") }, 80)
      assert.strictEqual(code, args[0] === "cancel" ? 1 : 0, `${args.join(" ")}: ${text}`)
      assert.match(text, has, args.join(" "))
    }
    const driven = new Set([...reading(), ...changing].map(([[name]]) => name))
    const left = commands.flatMap(({ name, client }) => (client === undefined || driven.has(name) ? [] : [name]))
    // its input and output are an agent's
    assert.deepStrictEqual(left, ["mcp"])
  })
  it("removal is asked for, and only yes removes", async () => {
    const { stdout } = await evald("run", ...target(), "-o", "jsonpath={.resource.id}")
    const other = stdout.trim()
    const no = await onTerminal(["delete", "job", other], environment(), 80, "n\n")
    assert.strictEqual(no.code, 1, no.text)
    assert.include(no.text, "[y/N]")
    assert.strictEqual((await onTerminal(["delete", "job", other], environment(), 80, "y\n")).code, 0)
  })
})

describe("exit codes", () => {
  const weak = () => ["run", ...target(), "-q"]
  it("0 for a completed job whatever its verdict, 10 below the threshold when the verdict is asked for, 11 when it is open", async () => {
    const body = (threshold: number, examples: number) => {
      const file = join(home, `job-${threshold}-${examples}.yaml`)
      writeFileSync(
        file,
        `name: x\nmodel: {url: "${model.url}", name: evald-demo}\npass_criteria: {threshold: ${threshold}}\nbenchmarks:\n  - {id: arith_basic, provider_id: evald, parameters: {num_examples: ${examples}}}\n`
      )
      return file
    }
    assert.strictEqual((await evald("run", "-f", body(0.999, 40), "--wait")).code, 0)
    const below = await evald("run", "-f", body(0.999, 40), "--wait", "--fail-on", "verdict")
    assert.strictEqual(below.code, 10, below.stdout)
    assert.match(below.stdout, /FAIL/)
    // each says what to type next, and that shows why
    const wrong = await typedNext(below)
    assert.deepStrictEqual([wrong.code, /\tincorrect\t/.test(wrong.stdout)], [0, true], wrong.line)
    assert.strictEqual((await evald("run", "-f", body(0.05, 40), "--wait", "--fail-on", "verdict")).code, 0)
    const open = await evald("run", "-f", body(0.9, 2), "--wait", "--fail-on", "verdict")
    assert.strictEqual(open.code, 11, open.stdout)
    assert.match((await typedNext(open)).stdout, /verdict: +inconclusive/)
  })
  it("11 for a result that can not be believed, which is an error in JUnit", async () => {
    const empty = await plantedModel(model.url, "evald-demo", (answer) => ({
      ...answer,
      choices: [{ message: { role: "assistant", content: "" }, finish_reason: "stop" }]
    }))
    const at = ["--model", empty.url, "--name", "evald-demo", "--benchmark", "arith_basic", "--num-examples", "5"]
    const ended = await evald("run", ...at, "--fail-on", "verdict").finally(empty.close)
    assert.strictEqual(ended.code, 11, ended.stdout)
    const { stdout, line } = await typedNext(ended)
    assert.match(stdout, /verdict: +invalid/)
    const junit = await evald("export", line.split(" ").at(-1) ?? "", "-o", "junit", "--inconclusive=fail")
    assert.match(junit.stdout, /errors="1" failures="0"[\s\S]*<error message="invalid: /)
  })
  it("3 for a failed job, 124 when the wait was too long, and the job goes on", async () => {
    const failed = await evald(
      "run",
      "--model",
      "http://127.0.0.1:9/v1",
      "--name",
      "m",
      "--benchmark",
      "arith_basic",
      "--wait"
    )
    assert.strictEqual(failed.code, 3, failed.stdout + failed.stderr)
    assert.match((await typedNext(failed)).stdout, /failed/)
    const slow = await evald(...weak())
    const waited = await evald("wait", slow.stdout.trim(), "--timeout", "0.001")
    assert.strictEqual(waited.code, 124, waited.stderr)
    assert.match(waited.stderr, /goes on\nnext: evald watch/)
    assert.strictEqual((await typedNext(waited)).code, 0)
    // milliseconds of 30 days are more than a timer takes: it ended at once
    assert.strictEqual(
      (await evald("wait", slow.stdout.trim(), "--for", "state=completed", "--timeout", "30d")).code,
      0
    )
  })
  it("130 when it is interrupted, and the job goes on", async () => {
    const waiting = await listen(["run", ...target(), "--wait"], environment())
    assert.strictEqual(await waiting.stop("SIGINT"), 130)
    await until(
      async () => waiting.output(),
      (text) => text.includes("next: ")
    )
    const [, started = ""] = /job (\S+) on/.exec(waiting.output()) ?? []
    assert.include(waiting.output(), `next: evald watch ${started}`)
    assert.strictEqual((await evald("watch", started)).code, 0)
  })
  it("64 for a wrong line, 69 for nobody there, 78 for a wrong context, each with what to type next", async () => {
    for (const [code, args] of [
      [64, ["get", "jbos"]],
      [64, ["run"]],
      [64, ["get", "jobs", "-o", "xml"]],
      [64, ["watch"]],
      [69, ["get", "jobs", "--server", nobody]],
      [78, ["get", "jobs", "--context", "nobody"]]
    ] as const) {
      const { code: ended, stdout, stderr } = await evald(...args)
      assert.strictEqual(ended, code, `${args.join(" ")}: ${stderr}`)
      assert.strictEqual(stdout, "")
      const [, next = ""] = /\nnext: evald (.*)\n$/.exec(stderr) ?? []
      assert.notStrictEqual(next, "", args.join(" "))
      // a server would not end
      if (!next.startsWith("server")) assert.strictEqual((await evald(...next.split(" "))).code, 0, next)
    }
  })
  it("77 for who is not let in; the token goes out from its file, and is never said", async () => {
    const seen: Array<string | undefined> = []
    const closed = createServer(({ headers }, answer) => {
      seen.push(headers.authorization)
      answer.writeHead(401, { "content-type": "application/json" })
      answer.end(JSON.stringify({ message: "no", message_code: "unauthorized", trace: "t", detail: "no" }))
    })
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve))
    const file = join(home, "token")
    writeFileSync(file, "very-secret\n")
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    const { code, stdout, stderr } = await evald("get", "jobs", "--server", url, "--token-file", file)
    closed.close()
    assert.deepStrictEqual([code, seen], [77, ["Bearer very-secret"]], stderr)
    assert.notInclude(stdout + stderr, "very-secret")
  })
  it("0, 10 or 11 as a gate says", async () => {
    const gate = async (threshold: number) => {
      const file = join(home, `policy-${threshold}.json`)
      writeFileSync(file, JSON.stringify({ criteria: [{ benchmark: "arith_basic", kind: "absolute", threshold }] }))
      return evald("gate", id, "--policy", file, "-o", "jsonpath={.outcome}")
    }
    const codes = { GO: 0, "NO-GO": 10, INCONCLUSIVE: 11 } as const
    for (const [threshold, outcome] of [
      [0.05, "GO"],
      [0.85, "INCONCLUSIVE"],
      [0.999, "NO-GO"]
    ] as const) {
      const judged = await gate(threshold)
      assert.deepStrictEqual([judged.stdout, judged.code], [`${outcome}\n`, codes[outcome]], judged.stderr)
      if (outcome !== "GO") assert.strictEqual((await typedNext(judged)).code, 0)
    }
  })
})

describe("evald run --local", () => {
  it("is one command to a verdict, and leaves a database in the user's state directory and no server", async () => {
    const alone = { HOME: join(home, "local"), TMPDIR: home }
    const { code, stdout, stderr } = await run(["run", "--local", ...target()], alone)
    assert.strictEqual(code, 0, stdout + stderr)
    assert.match(stdout, /arith_basic\s+exact_match_flexible\s+0\.\d+/)
    assert.match(stdout, /overall: score/)
    assert.match(stderr, /\nnext: DB_URL=\S+local\.db'? evald server -local\n$/)
    assert.deepStrictEqual(
      readdirSync(join(alone.HOME, ".local/state/evald")).filter((name) => !/-(wal|shm|journal)$/.test(name)),
      // the server's own lock is on a file that stays
      ["local.db", "local.db.lock"]
    )
    const [, url = ""] = /on (http:\/\/\S+)/.exec(stderr) ?? []
    assert.strictEqual((await run(["get", "jobs", "--server", url], alone)).code, 69)
  })
})

describe("evald run --local, and later", () => {
  it("says how to look at the job, which works; while somebody looks, another job runs (its server ended at once)", async () => {
    const alone = { HOME: join(home, "it's later"), TMPDIR: home, PORT: String(await freePort()) }
    const first = await run(["run", "--local", ...target(), "-o", "name"], alone)
    assert.strictEqual(first.code, 0, first.stderr)
    const { value = "", words = "" } =
      /^next: DB_URL=(?<value>.*) evald (?<words>.*)$/m.exec(first.stderr)?.groups ?? {}
    const asShell = spawnSync("sh", ["-c", `printf %s ${value}`]).stdout.toString()
    const later = await listen(words.split(" "), { ...alone, DB_URL: asShell })
    try {
      const [page = ""] = /http:\/\/\S+\/jobs\/\S+/.exec(first.stderr) ?? []
      assert.strictEqual(page, `${later.url}/${first.stdout.trim().replace("job/", "jobs/")}`)
      assert.strictEqual((await fetch(page)).status, 200)
      const kept = await run(["get", "jobs", "-o", "name", "--server", later.url], alone)
      assert.strictEqual(kept.stdout, first.stdout)
      const second = await run(["run", "--local", ...target(), "-o", "name"], alone)
      assert.strictEqual(second.code, 0, second.stderr)
    } finally {
      await later.stop()
    }
  })
})

describe("evald run --local -f -", () => {
  it("takes the job from standard input, which is read once (it was empty when the server had started)", async () => {
    const alone = { HOME: join(home, "input"), TMPDIR: home }
    const benchmarks = [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 5 } }]
    const body = { name: "piped", model: { url: model.url, name: "evald-demo" }, benchmarks }
    const piped = await run(["run", "--local", "-f", "-", "-o", "name"], alone, 110_000, JSON.stringify(body))
    assert.strictEqual(piped.code, 0, piped.stderr)
    assert.match(piped.stdout, /^job\/\S+\n$/)
  })
})

describe("evald run --local that is interrupted", () => {
  it("ends its server, and its job does not begin anew with the next one", async () => {
    const alone = { HOME: join(home, "interrupted"), TMPDIR: home }
    const waiting = await listen(["run", "--local", ...target()], alone)
    assert.strictEqual(await waiting.stop("SIGINT"), 130)
    const [, url = ""] = /on (http:\/\/\S+)/.exec(waiting.output()) ?? []
    assert.strictEqual((await run(["get", "jobs", "--server", url], alone)).code, 69)
    await until(
      async () => waiting.output(),
      (text) => text.includes("is cancelled")
    )
  })
})

describe("the bundle of client commands", () => {
  it("has nothing of Effect, of node's HTTP libraries or of the server in it", () => {
    const bundles = JSON.parse(readFileSync("dist/.inputs.json", "utf8")) as {
      readonly [bundle: string]: ReadonlyArray<string>
    }
    const read = new Set(["client-commands.mjs"])
    for (const bundle of read)
      for (const [, next = ""] of readFileSync(`dist/${bundle}`, "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
        read.add(next)
    const inputs = [...read].flatMap((bundle) => bundles[`dist/${bundle}`] ?? [])
    assert.include(inputs, "interfaces/client/client.ts")
    // how wide signs are, is all that is not of this repository
    const widths = /^node_modules\/get-east-asian-width\//
    for (const input of inputs.filter((one) => !widths.test(one)))
      assert.match(input, /^(interfaces\/(cli|client|main)|values)\//, input)
    // what a command loads when it is asked for has values of Effect, as proxies are read with them, and nothing of what runs effects; what reads
    // kubeconfigs for the contexts that want it is a bundle of servers' code
    const apart = "context-token.mjs"
    const reached = new Set(["client-commands.mjs"])
    const left = new Set<string>()
    for (const bundle of reached)
      for (const [, next = ""] of readFileSync(`dist/${bundle}`, "utf8").matchAll(
        /(?:from|import)\s*\(?"\.\/([^"]+)"/g
      ))
        (next === apart ? left : reached).add(next)
    assert.isAbove(reached.size, 5)
    assert.deepStrictEqual([...left], [apart])
    for (const bundle of reached)
      for (const input of bundles[`dist/${bundle}`] ?? []) {
        assert.notMatch(input, /^node_modules\/@effect\//, bundle)
        assert.notMatch(
          input,
          /^node_modules\/effect\/.*\/(Effect|Fiber|Runtime|Layer|Schedule|core|core-effect|fiberRuntime|runtime|layer)\.js$/,
          bundle
        )
      }
  })
})
