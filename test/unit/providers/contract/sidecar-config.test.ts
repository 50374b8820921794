import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { readSidecarConfig } from "../../../../providers/contract/sidecar-config.ts"

const complete = {
  version: 1,
  mode: "native",
  listen: { port: 8080, health_port: 18081 },
  grace_seconds: 120,
  log_level: "info",
  identity: { job_id: "j", benchmark_index: 0, attempt: 1, provider_id: "p", benchmark_id: "b", tenant: "team-a" },
  server: { base_url: "https://n.N.svc:8443", token_path: "/t", ca_path: "/c" },
  model: {
    url: "https://m.example/v1",
    secret_dir: "/s",
    sa_token_path: "/m",
    sa_token_injection: "always",
    sa_token_hosts: [],
    ref_headers: []
  },
  tracker: {
    url: "https://t.example",
    token_path: "/t",
    ca_path: "/c",
    workspace: "team-a",
    insecure_skip_verify: true
  },
  registry: { host: "r.example", repository: "a/b", plain_http: false, config_path: "/r" },
  egress: { deny_cidrs: [], allow_cidrs: [], allow_hosts: [], require_tls_for_credentials: false, trust_proxy: true },
  proxy: { https: "http://p.example:3128", exempt: [".svc"], named: [], secret_dir: "/p" },
  timeouts: { connect_ms: 10000, idle_ms: 900000, event_wait_ms: 5000 },
  spool: { dir: "/data/.evald/spool", max_files: 10000, max_bytes: 67108864 }
}
const problems = (value: unknown) =>
  Either.match(readSidecarConfig(value), { onLeft: (found) => found, onRight: () => [] })
const without = (name: string) => Object.fromEntries(Object.entries(complete).filter(([key]) => key !== name))

describe("sidecar.json", () => {
  it("reads a complete document, and one without what is optional", () => {
    assert.deepStrictEqual(readSidecarConfig(complete), Either.right(complete) as ReturnType<typeof readSidecarConfig>)
    const { secret_dir: _, ...model } = complete.model
    assert.deepStrictEqual(problems({ ...without("tracker"), model, registry: undefined }), [
      "registry: must be an object"
    ])
    const least = { ...without("tracker"), model }
    assert.deepStrictEqual(
      problems(Object.fromEntries(Object.entries(least).filter(([key]) => key !== "registry" && key !== "proxy"))),
      []
    )
  })
  it.each(Object.keys(complete).filter((name) => !["tracker", "registry", "proxy"].includes(name)))(
    "%s is required",
    (name) => {
      assert.deepStrictEqual(problems(without(name)), [`${name}: is missing`])
    }
  )
  it.each<readonly [object, string]>([
    [{ extra: 1 }, "extra: is not known"],
    [{ version: 2 }, "version: must be one of 1"],
    [{ listen: { port: 65_536, health_port: 1 } }, "listen.port: must be a whole number from 0 to 65535"],
    [
      { model: { ...complete.model, sa_token_injection: "sometimes" } },
      "model.sa_token_injection: must be one of always, in_cluster, never"
    ],
    [{ model: { ...complete.model, ref_headers: [1] } }, "model.ref_headers: must be a list of texts"],
    [{ model: { ...complete.model, token: "x" } }, "model.token: is not known"],
    [{ model: { ...complete.model, prefix: "/m/" } }, "model.prefix: must not end with '/'"],
    [
      { egress: { ...complete.egress, require_tls_for_credentials: "no" } },
      "egress.require_tls_for_credentials: must be true or false"
    ],
    [{ proxy: { https: "http://p.example", password: "x" } }, "proxy.password: is not known"],
    [
      { tracker: { ...complete.tracker, insecure_skip_verify: 1 } },
      "tracker.insecure_skip_verify: must be true or false"
    ],
    [{ identity: { ...complete.identity, tenant: "" } }, "identity.tenant: must be a text"],
    [
      { identity: { ...complete.identity, benchmark_index: 1.5 } },
      "identity.benchmark_index: must be a whole number from 0 to 999"
    ]
  ])("%j is refused", (change, problem) => assert.deepStrictEqual(problems({ ...complete, ...change }), [problem]))
  it("tells all problems at once", () => assert.lengthOf(problems({ ...complete, version: 0, mode: "x", extra: 1 }), 3))
  it("is total, and no document smuggles a member past it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.isTrue(Either.isLeft(readSidecarConfig(value)))
      })
    )
    assert.deepStrictEqual(problems(JSON.parse('{"__proto__":{"version":1}}')).at(0), "__proto__: is not known")
  })
})
