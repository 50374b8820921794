/** Every command that speaks with a server, typed by somebody whom the server lets in: what each must say, whatever lies between. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect, Stream } from "effect"
import { assert } from "vitest"
import { commands } from "../../../interfaces/cli/commands.ts"
import { run } from "../evald-process.ts"
import { eventBody, idleRuntime, jobBody, jobsPath } from "../http-app.ts"

/** what `logs` shows */
export const loggingRuntime = idleRuntime({
  logs: () =>
    Effect.succeed({ text: Stream.make(new TextEncoder().encode("a line of the log\n")), source: "live" as const })
})

interface Typist {
  /** where what adapters report goes, which no command sends */
  readonly server: string
  readonly ca?: string
  readonly adapterToken: string
  readonly userToken: string
  readonly tenant: string
  /** a folder in which files and homes may be made */
  readonly folder: string
  /** of every command, with the address that it is to ask */
  readonly environment: { readonly [name: string]: string; readonly EVALD_SERVER: string }
}

/** as an adapter */
const report = (
  { server, ca, adapterToken, tenant }: Typist,
  path: string,
  type: string,
  body: string
): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adapterToken}`, "x-tenant": tenant, "content-type": type }
    const url = new URL(jobsPath + path, server)
    const sent = (url.protocol === "https:" ? secureRequest : plainRequest)(
      url,
      { method: "POST", headers, agent: false, ...(ca === undefined ? {} : { ca }) },
      (answer) => {
        answer.resume()
        answer.once("end", () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))
        )
      }
    )
    sent.once("error", reject)
    sent.end(body)
  })

const samples = Array.from({ length: 12 }, (_, index) =>
  JSON.stringify({
    ...{ v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0 },
    ...{ verdict: index === 0 ? "incorrect" : "correct", score: index === 0 ? 0 : 1 },
    ...{ prompt: `question ${index}`, response: "answer" }
  })
).join("\n")

const finish = async (typist: Typist, id: string): Promise<void> => {
  const event = (given: { readonly [member: string]: unknown }) =>
    report(typist, `/${id}/events`, "application/json", JSON.stringify(eventBody(given)))
  await event({ status: "running" })
  await report(typist, `/${id}/benchmarks/0/samples`, "application/x-ndjson", `${samples}\n`)
  await event({ status: "completed", metrics: { acc: 11 / 12 } })
}

/** asks one tool of `evald mcp` */
const throughAgent = async (environment: { readonly [name: string]: string }): Promise<string> => {
  const client = new Client({ name: "a test", version: "1.0.0" })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["dist/evald.mjs", "mcp"],
      env: environment,
      stderr: "ignore"
    })
  )
  const told = JSON.stringify(await client.callTool({ name: "list_jobs", arguments: {} }))
  await client.close()
  return told
}

const codeOfGate: { readonly [outcome: string]: number } = { GO: 0, "NO-GO": 10, INCONCLUSIVE: 11 }

/** fails with the first command that does not do what it is for; answers the names of those that were typed */
export const everyCommand = async (typist: Typist): Promise<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(typist.folder, "commands-"))
  const credentials = { EVALD_TENANT: typist.tenant, EVALD_TOKEN: typist.userToken }
  const environment = { HOME: folder, ...credentials, ...typist.environment }
  const typed = new Set<string>()
  const evald = async (args: ReadonlyArray<string>, has: RegExp, expected = 0): Promise<string> => {
    typed.add(args[0] ?? "")
    const { code, stdout, stderr } = await run(args, environment)
    assert.strictEqual(code, expected, `${args.join(" ")}: ${stdout}${stderr}`)
    assert.match(stdout, has, args.join(" "))
    return stdout.trim()
  }
  const file = (name: string, content: object): string => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const body = file("job.json", jobBody({ name: "typed" }))
  const submitted = () => evald(["run", "-f", body], /^\S+\n$/)
  const [id, another, open] = [await submitted(), await submitted(), await submitted()]
  await finish(typist, id)
  await finish(typist, another)

  await evald(["get", "jobs"], new RegExp(`${id}[\\s\\S]*completed`))
  await evald(["get", "providers"], /\bp\b/)
  await evald(["get", "benchmarks"], /\bplain\b/)
  await evald(["describe", "job", id], /completed/)
  await evald(["watch", id], /completed/)
  await evald(["wait", id], /completed/)
  await evald(["logs", id], /a line of the log/)
  await evald(["samples", id, "--verdict", "incorrect"], /\bs0\b/)
  await evald(["open", id], new RegExp(`/jobs/${id}\n$`))
  await evald(["report", id, "-o", "-"], /id="data">\{.*question 0/)
  await evald(["export", id, "-o", "junit"], /<testsuite name="p\/b"/)
  await evald(["compare", id, another], /p\/b/)
  const policy = file("policy.json", { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.05 }] })
  const judged = await run(["gate", id, "--policy", policy, "-o", "json"], environment)
  typed.add("gate")
  const { outcome } = JSON.parse(judged.stdout || "{}") as { readonly outcome?: string }
  assert.strictEqual(judged.code, codeOfGate[outcome ?? ""], judged.stdout + judged.stderr)

  await evald(["rescore", id], /^skipped 0 p\/b: not of questions of ours\n$/)
  await evald(["rerun", id], /^\S+\n$/)
  await evald(["cancel", open], /^/)
  await evald(["delete", "job", open, "--yes"], /^/)
  await evald(["get", "jobs", open], /^$/, 1)
  const entries = [{ id: "b", provider_id: "p" }]
  const set = file("set.json", { name: "typed", category: "general", benchmarks: entries })
  await evald(["apply", "-f", set], /collection typed created/)
  await evald(["apply", "-f", set], /collection typed/)

  // in a home of its own, with nothing in the environment but the way to the server
  const home = join(folder, "home")
  mkdirSync(home)
  const { EVALD_SERVER: server, EVALD_CA: ca, ...way } = typist.environment
  const to = ["--server", server, "--tenant", typist.tenant, ...(ca === undefined ? [] : ["--ca", ca])]
  const alone = { ...way, HOME: home }
  const entered = await run(["login", "typed", ...to, "--token-stdin"], alone, 60_000, `${typist.userToken}\n`)
  typed.add("login")
  assert.strictEqual(entered.code, 0, entered.stderr)
  const contexts = await run(["context", "list"], alone)
  typed.add("context")
  assert.match(contexts.stdout, /\btyped\b/)
  assert.match((await run(["get", "jobs", id], alone)).stdout, /completed/)

  await evald(["whoami"], new RegExp(`\\b${typist.tenant}\\b`))
  await evald(["api", "GET", `${jobsPath}?limit=1`], /"total_count":\d+/)
  await evald(["completion", "bash"], /__complete/)
  assert.include((await run(["__complete", "watch", ""], environment)).stdout, id)
  await evald(["version"], /\nserver \S+/)
  typed.add("mcp")
  assert.include(await throughAgent(environment), id)
  return [...typed]
}

/** names of the commands that speak with a server, in the order of the help */
export const commandsWithServer: ReadonlyArray<string> = commands.flatMap(({ name, client }) =>
  client === undefined ? [] : [name]
)
