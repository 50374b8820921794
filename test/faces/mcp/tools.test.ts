/** Tools for agents against a real local server, by the library's own client, over both transports and in both generations of the protocol. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run } from "../../support/evald-process.ts"
import { freePort } from "../../support/free-port.ts"
import { agent, ask, type Era, refused, type User } from "./agent.ts"

let home = ""
let server: Running
let model: Running
let id = ""
let another = ""

const names = [
  "find_benchmarks",
  "get_benchmark",
  "list_jobs",
  "get_job",
  "get_results",
  "list_samples",
  "get_logs",
  "compare_jobs",
  "check_gate",
  "get_usage",
  "plan_job"
]

/** the configurations that the page of agents shows */
const shown = () =>
  [...readFileSync("docs/mcp.md", "utf8").matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = ""]) =>
      (JSON.parse(text) as { readonly mcpServers: { readonly evald: { readonly [name: string]: unknown } } }).mcpServers
        .evald
  )

const overPipe = async (era: Era, more: ReadonlyArray<string> = [], user?: User): Promise<Client> => {
  const [{ command, args } = {}] = shown()
  assert.strictEqual(command, "evald")
  const client = agent(era, user)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["dist/evald.mjs", ...(args as ReadonlyArray<string>), ...more],
      env: { HOME: home, EVALD_SERVER: server.url },
      stderr: "ignore"
    })
  )
  return client
}
const overHttp = async (era: Era): Promise<Client> => {
  const client = agent(era)
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
  return client
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-agents-"))
  const config = join(home, "config")
  mkdirSync(config)
  writeFileSync(join(config, "config.yaml"), "mcp:\n  enabled: true\n")
  server = await listen(["server", "-local", "-configdir", config], { PORT: "0", HOME: home, TMPDIR: home })
  model = await listen(["demo-model", "--port", "0"])
  const finished = async () => {
    const target = ["--model", model.url, "--name", "evald-demo", "--benchmark", "arith_basic", "--num-examples", "20"]
    const { code, stdout, stderr } = await run(["run", ...target, "--wait", "-o", "name"], {
      HOME: home,
      EVALD_SERVER: server.url
    })
    assert.strictEqual(code, 0, stderr)
    return stdout.trim().replace("job/", "")
  }
  id = await finished()
  another = await finished()
})
afterAll(async () => {
  await Promise.all([server.stop(), model.stop()])
  rmSync(home, { recursive: true, force: true })
})

const ways: ReadonlyArray<readonly [name: string, era: Era, connect: (era: Era) => Promise<Client>]> = [
  ["standard input and output", "legacy", overPipe],
  ["standard input and output, of the newest version,", "auto", overPipe],
  ["HTTP", "legacy", overHttp],
  ["HTTP, of the newest version,", "auto", overHttp]
]

describe("tools for agents", () => {
  it.each(ways)("over %s are those that read, and each answers", async (_, era, connect) => {
    const client = await connect(era)
    assert.strictEqual(client.getProtocolEra(), era === "legacy" ? "legacy" : "modern")
    const { tools } = await client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      names
    )
    for (const { name, annotations } of tools)
      assert.deepInclude(annotations, { destructiveHint: false, readOnlyHint: !/^(compare|check)_/.test(name) }, name)
    const as = <A>(name: string, args: object = {}) => ask(client, name, args) as Promise<A>

    const found = await as<{ readonly benchmarks: ReadonlyArray<object> }>("find_benchmarks", { query: "arith_basic" })
    assert.deepInclude(found.benchmarks[0], { provider: "evald", id: "arith_basic" })
    const about = await as<object>("get_benchmark", { provider: "evald", id: "arith_basic" })
    assert.nestedPropertyVal(about, "benchmark.id", "arith_basic")
    const jobs = await as<{ readonly total: number; readonly jobs: ReadonlyArray<object> }>("list_jobs", { limit: 1 })
    assert.isAtLeast(jobs.total, 2)
    assert.deepInclude(jobs.jobs[0], { state: "completed", model: "evald-demo" })
    const job = await as<object>("get_job", { id })
    assert.nestedPropertyVal(job, "counts.completed", 1)
    assert.nestedProperty(job, "why[0].says")
    const results = await as<object>("get_results", { id })
    assert.nestedProperty(results, "benchmarks[0].metrics.exact_match_flexible")
    assert.nestedProperty(results, "benchmarks[0].verdict.interval")
    const samples = await as<{ readonly next: string; readonly samples: ReadonlyArray<object> }>("list_samples", {
      id,
      limit: 3
    })
    assert.lengthOf(samples.samples, 3)
    const more = await as<{ readonly samples: ReadonlyArray<object> }>("list_samples", {
      id,
      cursor: samples.next,
      benchmark: 0
    })
    assert.lengthOf(more.samples, 17)
    const log = await as<{ readonly lines: ReadonlyArray<string> }>("get_logs", { id, lines: 2 })
    assert.isAtMost(log.lines.length, 4)
    const searched = await as<{ readonly lines: ReadonlyArray<string> }>("get_logs", {
      id,
      contains: "no line has this"
    })
    assert.deepStrictEqual(searched.lines, ["=== benchmark 0: evald/arith_basic ===", ""])
    const comparison = await as<object>("compare_jobs", { baseline: id, candidates: [another] })
    assert.nestedProperty(comparison, "candidates[0].benchmarks[0].outcome")
    const policy = { criteria: [{ benchmark: "arith_basic", kind: "absolute", threshold: 0.05 }] }
    assert.propertyVal(await as<object>("check_gate", { id, policy }), "outcome", "GO")
    assert.nestedPropertyVal(await as<object>("get_usage"), "models[0].model", "evald-demo")
    const plan = await as<object>("plan_job", {
      model_url: model.url,
      model_name: "evald-demo",
      benchmarks: [{ provider: "evald", id: "arith_basic", parameters: { num_examples: 5 } }]
    })
    assert.nestedPropertyVal(plan, "benchmarks[0].parameters.num_examples", 5)
    assert.nestedProperty(plan, "benchmarks[0].estimate.requests")

    const { contents } = await client.readResource({ uri: `evald://jobs/${id}` })
    assert.include(JSON.stringify(contents), id)
    const benchmark = await client.readResource({ uri: "evald://benchmarks/evald/arith_basic" })
    assert.include(JSON.stringify(benchmark.contents), "exact_match_flexible")
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.lengthOf(resourceTemplates, 2)
    const { prompts } = await client.listPrompts()
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      ["plan_an_evaluation", "read_a_result", "compare_two_runs"]
    )
    for (const [name, given] of [
      ["plan_an_evaluation", { question: "does it add", model: "evald-demo" }],
      ["read_a_result", { id }],
      ["compare_two_runs", { baseline: id, candidate: another }]
    ] as const) {
      const { messages } = await client.getPrompt({ name, arguments: given })
      for (const value of Object.values(given)) assert.include(JSON.stringify(messages), value, name)
    }
    await client.close()
  })

  it("a refusal is told with its code, a wrong argument with its name, and what is too much is not answered", async () => {
    const client = await overHttp("auto")
    assert.match(await refused(client, "get_job", { id: "nothing" }), /^resource_not_found: /)
    assert.match(await refused(client, "list_jobs", { limit: 51 }), /limit/)
    assert.match(await refused(client, "list_jobs", { wrong: 1 }), /additional properties|wrong/)
    assert.match(await refused(client, "list_samples", { id, content: true }), /mcp\.content/)
    assert.match(await refused(client, "get_benchmark", { provider: "evald", id: "none" }), /find_benchmarks/)
    await client.close()
  })

  it("prompts and responses are told where it is allowed and asked for", async () => {
    const client = await overPipe("legacy", ["--content"])
    const told = (await ask(client, "list_samples", { id, content: true, limit: 1 })) as object
    assert.nestedProperty(told, "samples[0].untrusted.response")
    assert.notNestedProperty(await ask(client, "list_samples", { id, limit: 1 }), "samples[0].untrusted")
    await client.close()
  })

  it.each(["legacy", "auto"] as const)(
    "of the %s version, over standard input and output, submit what the user says yes to, and it runs",
    async (era) => {
      const questions: Array<string> = []
      const host = new URL(model.url).host
      // as the page shows it, with the address of this model
      const { args = [] } = shown().at(-1) ?? {}
      const flags = (args as ReadonlyArray<string>).slice(1).map((one) => (one === "127.0.0.1:8000" ? host : one))
      assert.includeMembers(flags, ["--allow-write", host])
      const client = await overPipe(era, flags, (question) => {
        questions.push(question)
        return { action: "accept", content: { confirm: true } }
      })
      assert.includeMembers(
        (await client.listTools()).tools.map(({ name }) => name),
        ["submit_job", "cancel_job"]
      )
      const job = {
        ...{ model_url: model.url, model_name: "evald-demo", budget: { requests: 50 } },
        benchmarks: [{ provider: "evald", id: "arith_basic", parameters: { num_examples: 5 } }]
      }
      const { plan_token } = (await ask(client, "plan_job", job)) as { readonly plan_token: string }
      const { id: made } = (await ask(client, "submit_job", { ...job, plan_token })) as { readonly id: string }
      assert.match(
        questions.join("\n"),
        /^Evaluate the model "evald-demo" at .* Estimate: \d+ requests.*50 requests\.$/
      )
      await client.close()
      const waited = await run(["wait", made], { HOME: home, EVALD_SERVER: server.url })
      assert.strictEqual(waited.code, 0, waited.stdout + waited.stderr)
    }
  )

  it("a flag that allows what there is not is refused before anything is asked", async () => {
    for (const flags of [
      ["--allow-write", "delete_job"],
      ["--allow-write", "submit_job", "--model-hosts", "http://model.example.com/v1"],
      ["--allow-write", "submit_job", "--unattended-budget", "much"]
    ]) {
      const { code, stdout, stderr } = await run(
        ["mcp", ...flags],
        { HOME: home, EVALD_SERVER: server.url },
        20_000,
        ""
      )
      assert.deepStrictEqual([code, stdout], [64, ""], stderr)
      assert.include(stderr, flags.at(-2) ?? "")
    }
  })

  it("a server that is away is told as that, and the command ends with its agent", async () => {
    const client = agent("legacy")
    const away = `http://127.0.0.1:${await freePort()}`
    const pipe = new StdioClientTransport({
      command: process.execPath,
      args: ["dist/evald.mjs", "mcp", "--server", away],
      env: { HOME: home },
      stderr: "ignore"
    })
    await client.connect(pipe)
    assert.match(await refused(client, "list_jobs"), /can not be reached/)
    await client.close()
    const alone = await run(["mcp", "--server", away], { HOME: home }, 20_000, "")
    assert.deepStrictEqual([alone.code, alone.stdout], [0, ""], alone.stderr)
    assert.strictEqual((await run(["mcp", "--token-stdin"], { HOME: home }, 20_000, "x")).code, 64)
  })
})

describe("/mcp", () => {
  const post = (headers: { readonly [name: string]: string }, body: unknown, method = "POST") =>
    fetch(`${server.url}/mcp`, {
      method,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      ...(method === "POST" ? { body: JSON.stringify(body) } : {})
    })
  const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" }

  it("refuses pages of other sites, other methods, and bodies that are no JSON", async () => {
    assert.strictEqual((await post({}, listing)).status, 200)
    assert.strictEqual((await post({ origin: "http://elsewhere.example" }, listing)).status, 403)
    assert.strictEqual((await post({ "sec-fetch-site": "cross-site" }, listing)).status, 403)
    // a name that was made to lead here
    const { hostname, port } = new URL(server.url)
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: `rebound.example:${port}`, "content-type": "application/json" }
      const asked = request({ hostname, port, path: "/mcp", method: "POST", headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asked.once("error", reject).end(JSON.stringify(listing))
    })
    assert.strictEqual(rebound, 403)
    const wrong = await post({}, undefined, "GET")
    assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"])
    assert.strictEqual((await post({ "content-type": "text/plain" }, listing)).status, 415)
    const large = await post({}, { ...listing, filler: "x".repeat(11_000_000) })
    assert.strictEqual(large.status, 413)
  })
  it("is not there unless it is switched on", async () => {
    const other = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home })
    const answer = await fetch(`${other.url}/mcp`, { method: "POST", body: "{}" })
    assert.strictEqual(answer.status, 404)
    await other.stop()
  })
})

describe("what speaks the protocol", () => {
  it("is in bundles that neither the server nor a command reads at its start", () => {
    const bundles = JSON.parse(readFileSync("dist/.inputs.json", "utf8")) as {
      readonly [bundle: string]: ReadonlyArray<string>
    }
    const those = Object.entries(bundles).flatMap(([bundle, inputs]) =>
      inputs.some((input) => input.includes("@modelcontextprotocol/")) ? [bundle.replace("dist/", "")] : []
    )
    assert.isAbove(those.length, 0)
    const read = (entry: string, seen = new Set<string>()): ReadonlySet<string> => {
      if (seen.has(entry)) return seen
      seen.add(entry)
      for (const [, next] of readFileSync(`dist/${entry}`, "utf8").matchAll(
        /(?:from|import|new URL\()\s*"\.\/([^"]+)"/g
      ))
        if (next !== undefined) read(next, seen)
      return seen
    }
    for (const entry of ["server.mjs", "client-commands.mjs", "evald.mjs", "sidecar.mjs"])
      assert.deepStrictEqual(
        those.filter((bundle) => read(entry).has(bundle)),
        [],
        entry
      )
  })
})
