/**
 * Every message code of the error catalogue through a command line, with its exit code, and the command that is said next is a right one. The table
 * does not compile while a code is missing; what no command line can bring about has its reason.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type RequestCode, requestCodes } from "../../../interfaces/http/groups/request-codes.ts"
import { run } from "../../support/evald-process.ts"
import { collectionsPath, eventBody, HttpApp, idOf, jobBody, jobsPath, providersPath } from "../../support/http-app.ts"
import { worlds } from "../../support/worlds/message-codes.ts"

type Http = HttpApp["Type"]

interface Typed {
  readonly line: ReadonlyArray<string>
  /** what the line's FILE holds */
  readonly file?: unknown
  readonly environment?: { readonly [name: string]: string }
  /** makes what the line's ID names */
  readonly id?: (http: Http) => Effect.Effect<string, unknown>
}
type Case = (Typed & { readonly world: keyof typeof worlds }) | { readonly never: string }

const local = (typed: Typed): Case => ({ world: "local", ...typed })
const submitted = (given: object, world: keyof typeof worlds = "local"): Case => ({
  world,
  line: ["run", "-f", "FILE"],
  file: jobBody(given as { readonly [member: string]: unknown })
})
const reviewed = (token: string, more: { readonly [name: string]: string } = { EVALD_TENANT: "a" }): Case => ({
  world: "reviewed",
  line: ["get", "jobs"],
  environment: { EVALD_TOKEN: token, ...more }
})
/** a job of two benchmarks, of which these have completed */
const jobOf =
  (...completed: ReadonlyArray<number>) =>
  (http: Http) =>
    Effect.gen(function* () {
      const benchmarks = [0, 1].map(() => ({ id: "b", provider_id: "p" }))
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) }))
      for (const index of completed)
        yield* http.send("POST", `${jobsPath}/${id}/events`, {
          body: eventBody({ status: "completed", benchmark_index: index })
        })
      return id
    })
const provider = { name: "own", runtime: { local: { command: "true" } }, benchmarks: [{ id: "x" }] }
const ownProvider = (http: Http) => Effect.map(http.send("POST", providersPath, { body: provider }), idOf)
const patched = (...operations: ReadonlyArray<object>): Case =>
  local({ line: ["api", "PATCH", `${providersPath}/ID`, "-f", "FILE"], id: ownProvider, file: operations })
const logOf = (world: keyof typeof worlds): Case => ({ world, line: ["logs", "ID", "-b", "0"], id: jobOf() })

/** what no command sends, which the last test here looks for in all that they send */
const unsent = {
  idempotency_key_invalid: "idempotency-key",
  idempotency_key_reused: "idempotency-key",
  not_acceptable: "accept",
  expectation_failed: "expect",
  precondition_failed: "if-match",
  // `evald mcp` alone does, and tells the code to its agent: test/faces/mcp/writing.test.ts
  plan_token_invalid: "plan-token"
} as const
const withoutHeader = (code: keyof typeof unsent): Case => ({ never: `no command sends the header ${unsent[code]}` })

const cases: { readonly [Code in RequestCode]: Case } = {
  invalid_value: submitted({ name: "" }),
  invalid_json_request: local({ line: ["api", "POST", jobsPath, "-f", "FILE"], file: "{" }),
  missing_tenant_header: reviewed("alice", {}),
  query_bad_parameter: local({ line: ["api", "GET", `${jobsPath}?nonsense=1`] }),
  query_parameter_invalid: local({ line: ["api", "GET", `${jobsPath}?limit=101`] }),
  query_parameter_value_invalid: local({ line: ["get", "jobs", "--status", "done"] }),
  invalid_patch_operation: patched({ op: "move", path: "/name" }),
  unallowed_patch: patched({ op: "replace", path: "/resource/id", value: "x" }),
  resource_does_not_exist: submitted({ benchmarks: [{ id: "none", provider_id: "p" }] }),
  policy_invalid: local({ line: ["gate", "ID", "--policy", "FILE"], id: jobOf(), file: { criteria: [] } }),
  early_stop_unsupported: submitted({ early_stop: { alpha: 0.05 } }),
  model_url_required: submitted({ model: { name: "m", url: "" } }),
  collection_empty: local({
    line: ["run", "--model", "http://model.example.com/v1", "--name", "m", "--collection", "empty"]
  }),
  evaluation_job_empty: submitted({ benchmarks: undefined }),
  tracker_required_for_experiment: submitted({ experiment: { name: "e" } }),
  hardware_profile_not_found: submitted({ hardware_config: { hardware_profile_name: "absent" } }, "cluster"),
  hardware_profile_disabled: submitted({ hardware_config: { hardware_profile_name: "off" } }, "cluster"),
  hardware_profile_invalid: submitted({ hardware_config: { hardware_profile_name: "odd" } }, "cluster"),
  read_only_provider: local({ line: ["delete", "provider", "p", "--yes"] }),
  read_only_collection: local({ line: ["delete", "collection", "empty", "--yes"] }),
  local_runtime_unavailable: submitted({}, "unready"),
  benchmark_not_supported: submitted({ benchmarks: [{ id: "later", provider_id: "p" }] }),
  idempotency_key_invalid: withoutHeader("idempotency_key_invalid"),
  unauthorized: reviewed("stranger"),
  forbidden: reviewed("bob"),
  resource_not_found: local({ line: ["get", "jobs", "none"] }),
  route_not_found: local({ line: ["api", "GET", "/none"] }),
  method_not_allowed: local({ line: ["api", "PUT", jobsPath] }),
  not_acceptable: withoutHeader("not_acceptable"),
  request_timeout: {
    never:
      "a command reads what it sends before it asks, and sends it with its length in one piece, as the last test sees"
  },
  request_body_too_large: submitted({ description: "x".repeat(4000) }),
  unsupported_media_type: local({
    line: ["api", "POST", `${jobsPath}/ID/benchmarks/0/samples`, "-f", "FILE"],
    id: jobOf(),
    file: {}
  }),
  expectation_failed: withoutHeader("expectation_failed"),
  request_head_too_large: local({ line: ["get", "jobs", "--tenant", "x".repeat(40_000)] }),
  job_can_not_be_updated: local({ line: ["cancel", "ID"], id: jobOf(0, 1) }),
  job_has_not_ended: local({ line: ["rerun", "ID", "--failed"], id: jobOf() }),
  benchmark_can_not_be_updated: local({
    line: ["api", "POST", `${jobsPath}/ID/events`, "-f", "FILE"],
    id: jobOf(0),
    file: eventBody()
  }),
  resource_in_use: local({
    line: ["delete", "provider", "ID", "--yes"],
    id: (http) =>
      Effect.tap(ownProvider(http), (id) =>
        http.send("POST", collectionsPath, {
          body: { name: "own", category: "c", benchmarks: [{ id: "x", provider_id: id }] }
        })
      )
  }),
  idempotency_key_reused: withoutHeader("idempotency_key_reused"),
  plan_token_invalid: withoutHeader("plan_token_invalid"),
  sample_conflict: {
    never: "samples come as lines of JSON from adapters; evald api sends all as JSON, which is unsupported_media_type"
  },
  signature_unavailable: local({ line: ["api", "GET", `${jobsPath}/ID/attestation`], id: jobOf() }),
  precondition_failed: withoutHeader("precondition_failed"),
  too_many_requests: {
    world: "limited",
    line: ["get", "jobs"],
    id: (http) => Effect.as(http.send("GET", jobsPath), "")
  },
  too_many_streams: { world: "crowded", line: ["api", "GET", `${jobsPath}?watch=true`] },
  tenant_limit_reached: submitted({}, "quota"),
  internal_error: submitted({}, "defective"),
  tracker_request_failed: submitted({ experiment: { name: "e" } }, "tracked"),
  database_unavailable: logOf("forgetful"),
  cluster_unavailable: submitted({ hardware_config: { hardware_profile_name: "away" } }, "cluster"),
  machine_unavailable: logOf("full"),
  review_unavailable: reviewed("unheard"),
  too_many_connections: { world: "narrow", line: ["get", "jobs"] }
}

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-codes-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const codes = Object.keys(requestCodes) as ReadonlyArray<RequestCode>

for (const [name, world] of Object.entries(worlds))
  layer(world, { excludeTestServices: true, timeout: "60 seconds" })(`typed against the server '${name}'`, (it) => {
    const typed = codes.flatMap((code) => {
      const one = cases[code]
      return "never" in one || one.world !== name ? [] : [[code, one] as const]
    })
    it.scoped(
      `${typed.map(([code]) => code).join(", ")}: said, with the exit code, and what comes next is a right line`,
      () =>
        Effect.gen(function* () {
          const http = yield* HttpApp
          const folder = yield* home
          yield* Effect.forEach(
            typed,
            ([code, { line, file, environment = {}, id: make }]) =>
              Effect.gen(function* () {
                const path = join(folder, `${code}.json`)
                if (file !== undefined) writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file))
                const id = make === undefined ? "" : yield* make(http)
                const words = line.map((word) => (word === "FILE" ? path : word.replace(/\bID\b/, id)))
                const variables = { HOME: folder, EVALD_SERVER: `http://127.0.0.1:${http.port}`, ...environment }
                const { code: exit, stdout, stderr } = yield* Effect.promise(() => run(words, variables))
                const said = stdout + stderr
                assert.match(said, new RegExp(`\\b${code}\\b`), code)
                const { status } = requestCodes[code]
                assert.strictEqual(exit, status === 401 || status === 403 ? 77 : 1, `${code}: ${said}`)
                const [, next] = /\nnext: evald (.*)\n$/.exec(stderr) ?? []
                // words in capitals are for the person to fill in
                if (next === undefined || /\b[A-Z]{2,}\b(?!\s*\/)/.test(next.replace("GET ", ""))) return
                const after = yield* Effect.promise(() => run(next.split(" "), variables))
                assert.notStrictEqual(after.code, 64, `${code}: ${next}: ${after.stderr}`)
              }),
            { concurrency: 3, discard: true }
          )
        })
    )
  })

/** what a server hears of each command, whose answer is always the same refusal */
const heard = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly heads: ReadonlyArray<IncomingHttpHeaders>; close: () => void }>(
        (resolve) => {
          const heads: Array<IncomingHttpHeaders> = []
          const server = createServer((request, response) => {
            heads.push(request.headers)
            request.resume().once("end", () => {
              response.writeHead(404, { "content-type": "application/json" })
              response.end(JSON.stringify({ message: "none", message_code: "resource_not_found", trace: "t" }))
            })
          })
          server.listen(0, "127.0.0.1", () =>
            resolve({ port: (server.address() as AddressInfo).port, heads, close: () => server.close() })
          )
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

it.scoped("what no command line brings about is about what no command sends", () =>
  Effect.gen(function* () {
    const { port, heads } = yield* heard
    const folder = yield* home
    const file = join(folder, "body.json")
    writeFileSync(file, JSON.stringify({ ...jobBody(), category: "c", criteria: [] }))
    const lines: ReadonlyArray<ReadonlyArray<string>> = [
      ...["jobs", "providers", "collections", "benchmarks"].flatMap((kind) => [
        ["get", kind],
        ["get", kind, "x"]
      ]),
      ...[
        ["run", "-f", file],
        ["run", "-f", file, "--dry-run"],
        ["apply", "-f", file],
        ["rerun", "x"],
        ["cancel", "x"]
      ],
      ...["job", "provider", "collection"].map((kind) => ["delete", kind, "x", "--yes"]),
      ...[
        ["describe", "job", "x"],
        ["watch", "x"],
        ["wait", "x"],
        ["logs", "x"],
        ["samples", "x"],
        ["open", "x"]
      ],
      ...["junit", "jsonl"].map((format) => ["export", "x", "-o", format]),
      ...[["compare", "x", "y"], ["gate", "x", "--policy", file], ["whoami"], ["version"]],
      ...["GET", "POST", "PUT", "PATCH"].map((method) => [
        "api",
        method,
        "/api/v1/x",
        ...(method === "GET" ? [] : ["-f", file])
      ])
    ]
    yield* Effect.forEach(
      lines,
      (line) => {
        const environment = { HOME: folder, EVALD_SERVER: `http://127.0.0.1:${port}`, EVALD_TOKEN: "t" }
        return Effect.promise(() => run(line, environment))
      },
      { concurrency: 3, discard: true }
    )
    assert.isAtLeast(heads.length, lines.length)
    const sent = new Set(heads.flatMap((head) => Object.keys(head)))
    for (const header of Object.values(unsent)) assert.notInclude([...sent], header)
    for (const head of heads) assert.notProperty(head, "transfer-encoding")
  })
)
