/** The page for people who come from the Python SDK: both columns of its table on one server. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Finished, run, until } from "../../support/evald-process.ts"
import { type ForeignHost, foreignHost, sumsProvider } from "../../support/foreign-adapter.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"

const venv = await peerVenv(peerEnvironments.pythonSdk)
const bin = venv._tag === "Ready" ? venv.bin : ""
const provider = "sdk_sums"
const page = readFileSync("docs/python-sdk.md", "utf8")

interface Row {
  readonly theirs: string
  readonly ours: string
  readonly same: string
}
const rows: ReadonlyArray<Row> = [...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| ([a-z ]+) \|$/gm)].flatMap(
  ([, theirs = "", ours = "", same = ""]) => (theirs === "evalhub" ? [] : [{ theirs, ours, same }])
)

let host: ForeignHost
let home = ""

const program = (file: string, args: ReadonlyArray<string>): Promise<Finished> =>
  new Promise((done) => {
    execFile(
      file,
      args,
      {
        cwd: host.folder,
        env: { PATH: process.env["PATH"], HOME: home, EVALHUB_BASE_URL: host.url, NO_COLOR: "1" },
        timeout: 120_000,
        encoding: "utf8"
      },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    )
  })
const evalhub = (args: ReadonlyArray<string>) => program(join(bin, "evalhub"), args)
const evald = (args: ReadonlyArray<string>) => program(process.execPath, [resolve("dist/evald.mjs"), ...args])

const api = async (
  method: string,
  path: string,
  body?: object
): Promise<{ readonly status: number; readonly value: unknown }> => {
  const response = await fetch(`${host.url}/api/v1/evaluations/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })
  const text = await response.text()
  return { status: response.status, value: text === "" ? undefined : JSON.parse(text) }
}
interface Stored {
  readonly resource: { readonly id: string }
  readonly name: string
  readonly status?: { readonly state: string }
}
const made = async (path: string, body: object): Promise<string> => {
  const { status, value } = await api("POST", path, body)
  assert.isBelow(status, 300, JSON.stringify(value))
  return (value as Stored).resource.id
}
const listed = async (path: string, more = ""): Promise<ReadonlyArray<Stored>> =>
  ((await api("GET", `${path}?limit=100${more}`)).value as { readonly items: ReadonlyArray<Stored> }).items

const jobBody = (name: string, examples: number) => ({
  name,
  model: { url: host.modelUrl, name: "evald-demo", auth: { secret_ref: "model-key" } },
  benchmarks: [{ id: "sums", provider_id: provider, parameters: { num_examples: examples } }]
})
const collectionBody = {
  name: "set",
  category: "math",
  benchmarks: [{ id: "sums", provider_id: provider, parameters: { num_examples: 2 } }]
}
const providerBody = {
  name: "mine",
  runtime: { local: { command: "true" } },
  benchmarks: [{ id: "own", name: "own", category: "c" }]
}

beforeAll(async () => {
  if (venv._tag !== "Ready") return
  host = await foreignHost()
  home = join(host.folder, "home")
  mkdirSync(home, { recursive: true })
  await host.defineByFile(
    provider,
    sumsProvider(`${join(bin, "python")} ${resolve("docs/examples/adapters/sdk_adapter.py")}`)
  )
  for (const [name, body] of [
    ["job.json", jobBody("from a file", 2)],
    ["broken.json", { name: "broken" }],
    ["provider.json", providerBody],
    ["collection.json", collectionBody],
    ["patch.json", { name: "patched" }]
  ] as const)
    writeFileSync(join(host.folder, name), JSON.stringify(body))
  await host.evaluate(provider)
})
afterAll(() => host?.stop())

const states = /\b(pending|running|completed|failed|cancelled|partially_failed)\b/g

/** what of the stored records of this kind a text shows: identifiers, and the states of jobs */
const recordsIn = async (text: string, kind: string): Promise<ReadonlyArray<string>> => [
  ...(await listed(kind)).map(({ resource }) => resource.id).filter((id) => text.includes(id)),
  ...(kind === "jobs" ? [...new Set(text.match(states) ?? [])].sort() : [])
]

/** 0 well, 1 refused or failed, 2 a wrong line */
const endOf = (code: number | null): number => (code === 0 ? 0 : code === 64 || code === 2 ? 2 : 1)

let count = 0

/** a line with every word in capitals replaced; records that it changes are made for it alone */
const prepared = async (line: string) => {
  const words: Record<string, string> = { PROVIDER: provider, MODEL: host.modelUrl, SERVER: host.url }
  let record = ""
  if (line.includes("MINE")) {
    words["MINE"] = await made("providers", { ...providerBody, name: `mine ${++count}` })
    record = `providers/${words["MINE"]}`
  }
  if (line.includes("COLLECTION")) {
    words["COLLECTION"] = await made("collections", { ...collectionBody, name: `set ${++count}` })
    record = `collections/${words["COLLECTION"]}`
  }
  if (line.includes("RUNNING")) {
    words["RUNNING"] = await made("jobs", jobBody("long", 100_000))
    record = `jobs/${words["RUNNING"]}`
  }
  if (/\bJOB\b/.test(line)) words["JOB"] = (await listed("jobs", "&status=completed")).at(-1)?.resource.id ?? ""
  const args = line.split(" ").map((word) => word.replace(/[A-Z]{3,}/g, (name) => words[name] ?? name))
  return { args, record }
}

const jobIds = async () => new Set((await listed("jobs")).map(({ resource }) => resource.id))

const ran = async (line: string, start: typeof evalhub, same: string) => {
  const { args, record } = await prepared(line)
  const before = await jobIds()
  const { code, stdout, stderr } = await start(args)
  const shown = `${line}: ${code} ${stdout.slice(-400)} ${stderr.slice(-800)}`
  const fresh = (await listed("jobs")).filter(({ resource }) => !before.has(resource.id))
  switch (same) {
    case "records": {
      const kind = ["providers", "collections"].find((one) => line.includes(one)) ?? "jobs"
      const came = await recordsIn(stdout, kind)
      return { end: endOf(code), shown, came: came.map((word) => (record.endsWith(`/${word}`) ? "its own" : word)) }
    }
    case "new job":
      return { end: endOf(code), shown, came: fresh.map(({ name, status }) => [name, status?.state]) }
    case "record": {
      const { status, value } = await api("GET", record)
      return { end: endOf(code), shown, came: [status, (value as Stored).status?.state] }
    }
    case "text":
      return { end: endOf(code), shown, came: stdout.trim() }
    default:
      return { end: endOf(code), shown, came: "nothing is compared" }
  }
}

describe.runIf(venv._tag === "Ready")("the page for people who come from the Python SDK", { timeout: 300_000 }, () => {
  it("has every command and flag of its command line", async () => {
    const walk = [
      "import json, click",
      "from evalhub.cli.main import main",
      "found = {}",
      "def walk(command, path):",
      "    found[' '.join(path)] = [max(one.opts, key=len) for one in command.params if isinstance(one, click.Option)]",
      "    for name, below in getattr(command, 'commands', {}).items(): walk(below, path + [name])",
      "walk(main, [])",
      "print(json.dumps({k: v for k, v in found.items()}))"
    ].join("\n")
    const { stdout } = await program(join(bin, "python"), ["-c", walk])
    const commands = JSON.parse(stdout) as { readonly [command: string]: ReadonlyArray<string> }
    const leaves = Object.keys(commands).filter(
      (name) => name !== "" && !Object.keys(commands).some((other) => other.startsWith(`${name} `))
    )
    assert.isAtLeast(leaves.length, 30)
    const missing = [
      ...leaves.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name} `)),
      ...Object.values(commands)
        .flat()
        .filter((flag) => !new RegExp(`[\` ]${flag}[\` ]`).test(page))
    ]
    assert.deepStrictEqual(missing, [])
  })

  it("has rows of which both columns do the same", async () => {
    assert.isAtLeast(rows.length, 35)
    const wrong: Array<string> = []
    for (const { theirs, ours, same } of rows) {
      const [first, second] = [await ran(theirs, evalhub, same), await ran(ours, evald, same)]
      if (first.end !== second.end || JSON.stringify(first.came) !== JSON.stringify(second.came))
        wrong.push(
          `${first.end} ${JSON.stringify(first.came)} of ${first.shown}\n${second.end} ${JSON.stringify(second.came)} of ${second.shown}`
        )
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("says which variables are read: a token and a tenant arrive, those of evald go before", async () => {
    const seen: Array<readonly [token: string | undefined, tenant: unknown]> = []
    const server = createServer(({ headers }, answer) => {
      seen.push([headers.authorization, headers["x-tenant"]])
      answer.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const theirs = { HOME: home, EVALHUB_BASE_URL: url, EVALHUB_TENANT: "theirs", EVALHUB_TOKEN: "their-token" }
    for (const more of [{}, { EVALD_TENANT: "ours", EVALD_TOKEN: "our-token" }])
      assert.strictEqual((await run(["api", "GET", "/health"], { ...theirs, ...more })).code, 0)
    server.close()
    assert.deepStrictEqual(seen, [
      ["Bearer their-token", "theirs"],
      ["Bearer our-token", "ours"]
    ])
  })

  it("leaves nothing running", async () => {
    await until(
      async () => (await listed("jobs")).map(({ status }) => status?.state),
      (states) => states.every((state) => state !== "running" && state !== "pending")
    )
  })
})
