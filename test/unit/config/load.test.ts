import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { load } from "../../../config/load.ts"
import { settings } from "../../../config/settings.ts"

const withFolder = <A>(files: Readonly<Record<string, string>>, use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "evald-config-"))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const read = (files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
  withFolder(files, (folder) => Effect.runSync(Effect.either(load(folder, environment))))
const good = (files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
  Either.getOrThrow(read(files, environment))
const problems = (files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) => {
  const result = read(files, environment)
  assert.isTrue(Either.isLeft(result), "expected problems")
  return Either.isLeft(result) ? result.left.problems : []
}

describe("configuration", () => {
  it("without a file or variables it is the spec's server: port 8080, SQLite in memory, metrics on, telemetry off", () => {
    const settings = good({})
    assert.strictEqual(settings["service.port"], 8080)
    assert.strictEqual(settings["database.driver"], "sqlite")
    assert.isUndefined(settings["database.url"])
    assert.isTrue(settings["metrics.enabled"])
    assert.isFalse(settings["telemetry.enabled"])
    assert.strictEqual(settings.domain, "evald.internal")
  })
  it("the environment wins over the file, a secret file over both, and an empty variable counts as unset", () => {
    withFolder(
      { "config.yaml": "service: {port: 9000}\ndatabase: {url: from-file}\n", "db.txt": "from-secret\n" },
      (folder) => {
        const run = (environment: Readonly<Record<string, string>>) => Effect.runSync(load(folder, environment))
        assert.strictEqual(run({})["service.port"], 9000)
        assert.strictEqual(run({ PORT: "9100" })["service.port"], 9100)
        assert.strictEqual(run({ PORT: "" })["service.port"], 9000)
        const url = run({ DB_URL: "from-variable", DB_URL_FILE: join(folder, "db.txt") })["database.url"]
        assert.strictEqual(url === undefined ? "" : Redacted.value(url), "from-secret")
        // where it is read again when it changes
        assert.deepStrictEqual(run({ DB_URL_FILE: join(folder, "db.txt") }).files, {
          "database.url": join(folder, "db.txt")
        })
        assert.deepStrictEqual(run({ DB_URL: "from-variable" }).files, {})
      }
    )
  })
  it("mapped files of the secrets directory fill settings", () => {
    withFolder({ "secrets/token": "s3cret\n" }, (folder) => {
      writeFileSync(
        join(folder, "config.yaml"),
        `secrets:\n  dir: ${join(folder, "secrets")}\n  mappings: {token: tracker.token}\n`
      )
      const token = Effect.runSync(load(folder, {}))["tracker.token"]
      assert.strictEqual(token === undefined ? "" : Redacted.value(token), "s3cret")
    })
  })
  it("reports every problem at once, with key, value and source", () => {
    const found = problems(
      { "config.yaml": "service: {port: 99999999}\ndatabase: {drvier: sqlite}\nmetrics: {enabled: maybe}\n" },
      { EVALD_LOG_LEVEL: "loud" }
    )
    assert.strictEqual(found.length, 4)
    assert.match(found.join("\n"), /service\.port: expected a whole number from 0 to 65535, not '99999999'/)
    assert.match(found.join("\n"), /database\.drvier: unknown setting .*did you mean database\.driver\?/)
    assert.match(found.join("\n"), /metrics\.enabled: expected true or false, not 'maybe'/)
    assert.match(found.join("\n"), /log\.level: expected one of .*from EVALD_LOG_LEVEL/)
  })
  it("a duration is a number of seconds, or a number with s, m or h", () => {
    const read = (given: string) =>
      good({ "config.yaml": `grace: {exit_seconds: ${given}}\ntracker: {http_timeout: ${given}}\n` })
    for (const [given, seconds] of [
      ["30", 30],
      ["30s", 30],
      ["'30 s'", 30],
      ["2m", 120],
      ["'2M'", 120]
    ] as const)
      assert.deepStrictEqual(
        [read(given)["grace.exit_seconds"], read(given)["tracker.http_timeout"]],
        [seconds, seconds],
        given
      )
    assert.strictEqual(
      good({ "config.yaml": "timeouts: {benchmark_seconds: 2h}\n" })["timeouts.benchmark_seconds"],
      7200
    )
    assert.strictEqual(
      good({ "config.yaml": "runtime: {k8s: {ttl_seconds_after_finished: -1}}\n" })[
        "runtime.k8s.ttl_seconds_after_finished"
      ],
      -1
    )
    for (const given of ["2x", "1.5m", "m", "61m", "0s", "' '", "2m30s"])
      assert.match(
        problems({ "config.yaml": `grace: {exit_seconds: ${given}}\n` })[0] ?? "",
        /^grace\.exit_seconds: expected a duration from 1 to 3600 seconds, such as 30, 30s or 2m, not /,
        given
      )
  })
  it("every setting that counts seconds is a duration", () => {
    for (const [key, { read: take }] of Object.entries(settings))
      if (/_seconds(_|$)|_timeout$/.test(key)) assert.strictEqual(take("1m")._tag, "Right", key)
  })
  it("agents change nothing unless it is set, and what bounds them must be tools, hosts and sums", () => {
    const bare = good({})
    assert.deepStrictEqual(
      [bare["mcp.allow_write"], bare["mcp.model_hosts"], bare["mcp.unattended_budget"]],
      [[], [], undefined]
    )
    const set = good({
      "config.yaml":
        "mcp:\n  allow_write: [submit_job, cancel_job]\n  model_hosts: [Model.example.com, '10.0.0.7:8000']\n  unattended_budget: requests=200,cost=1.5\n"
    })
    assert.deepStrictEqual(set["mcp.allow_write"], ["submit_job", "cancel_job"])
    assert.deepStrictEqual(set["mcp.model_hosts"], ["model.example.com", "10.0.0.7:8000"])
    assert.deepStrictEqual(set["mcp.unattended_budget"], { requests: 200, cost: 1.5 })
    const found = problems({
      "config.yaml":
        "mcp:\n  allow_write: [delete_job]\n  model_hosts: ['http://model.example.com']\n  unattended_budget: much\n"
    })
    assert.lengthOf(found, 3)
    for (const key of ["mcp.allow_write", "mcp.model_hosts", "mcp.unattended_budget"])
      assert.match(found.join("\n"), new RegExp(`${key}.*expected`))
  })
  it("the path that sidecars have the model below is one apart from their own, from the file or the environment", () => {
    assert.isUndefined(good({})["sidecar.model_prefix"])
    assert.strictEqual(good({ "config.yaml": "sidecar: {model_prefix: /m}\n" })["sidecar.model_prefix"], "/m")
    assert.strictEqual(good({}, { EVALD_SIDECAR_MODEL_PREFIX: "/n" })["sidecar.model_prefix"], "/n")
    assert.deepStrictEqual(
      ["m", "/m/", "/m?x", "/health"].map(
        (prefix) => problems({ "config.yaml": `sidecar: {model_prefix: "${prefix}"}\n` })[0]?.split(", not '")[0]
      ),
      [
        "sidecar.model_prefix: expected a path such as /m, which must begin with '/'",
        "sidecar.model_prefix: expected a path such as /m, which must not end with '/'",
        "sidecar.model_prefix: expected a path such as /m, which must be a path alone, without a query or fragment",
        "sidecar.model_prefix: expected a path such as /m, which must lie apart from /health, a path of the sidecar itself"
      ]
    )
  })
  it("a broken YAML file names the file and the line", () => {
    const [problem = ""] = problems({ "config.yaml": "service:\n  port: [1\n" })
    assert.match(problem, /config\.yaml: .* at line \d+/)
  })
  it("a value of a secret never appears in a problem", () => {
    withFolder(
      {
        "config.yaml":
          "secrets: {dir: /nonexistent-folder, mappings: {x: local.token}}\ntracker: {token: CANARY}\nservice: {port: x}\n"
      },
      (folder) => {
        const result = Effect.runSync(Effect.either(load(folder, {})))
        assert.isTrue(Either.isLeft(result))
        if (Either.isLeft(result)) {
          assert.match(result.left.message, /cannot read \/nonexistent-folder\/x/)
          assert.notInclude(result.left.message, "CANARY")
        }
      }
    )
  })
  it("budgets of tenants and prices of models are read, names with dots among them, and what is none is named", () => {
    const text = `budgets: {defaults: {"*": {tokens: 5}}, caps: {team-a: {cost: 2.5}}}
prices: {org/model-1.5: {input: 0.2, output: 1}}
`
    const settings = good({ "config.yaml": text })
    assert.deepStrictEqual(
      [settings["budgets.defaults"], settings["budgets.caps"], settings.prices],
      [{ "*": { tokens: 5 } }, { "team-a": { cost: 2.5 } }, { "org/model-1.5": { input: 0.2, output: 1 } }]
    )
    const wrong = problems({
      "config.yaml": "budgets: {caps: {a: {tokens: many, token: 1}}}\nprices: {m: {input: 1}}\n"
    }).join("\n")
    assert.match(wrong, /budgets\.caps\.a\.tokens: expected a number from 0, not 'many'/)
    assert.match(wrong, /budgets\.caps\.a\.token: unknown setting/)
    assert.match(wrong, /prices\.m: needs both input and output/)
  })
  it("limits of validity of a tenant are read like the server's own, and what is none is named", () => {
    const tenants = (text: string) => ({ "config.yaml": `validity: {truncated: 0.1, tenants: ${text}}\n` })
    const settings = good(tenants("{team-a: {truncated: 0.2, few_items: 50}, team-b: {error_share: 0}}"))
    assert.strictEqual(settings["validity.truncated"], 0.1)
    assert.deepStrictEqual(settings["validity.tenants"], {
      "team-a": { truncated: 0.2, few_items: 50 },
      "team-b": { error_share: 0 }
    })
    const wrong = problems(tenants("{team-a: {truncated: 2, truncate: 0.2}, team-b: 0.1}")).join("\n")
    assert.match(wrong, /validity\.tenants\.team-a\.truncated: expected a share from 0 to 1, such as 0\.05, not '2'/)
    assert.match(wrong, /validity\.tenants\.team-a\.truncate: unknown setting .*validity\.tenants\.<tenant>\.<code>/)
    assert.match(wrong, /validity\.tenants\.team-b: unknown setting/)
  })
  it("addresses of a tenant have a name, and all members", () => {
    const tenants = (text: string) => ({ "config.yaml": `notifications: {tenants: ${text}}\n` })
    const settings = good(
      tenants("{team-a: {chat: {url: 'https://hooks.example.com/a', events: [failed, decided], secret_ref: hook-key}}}")
    )
    assert.deepStrictEqual(settings["notifications.tenants"], {
      "team-a": [{ url: "https://hooks.example.com/a", events: ["failed", "decided"], secretRef: "hook-key" }]
    })
    const wrong = problems(tenants("{team-a: {chat: {url: 'https://x', event: failed}, loose: text}}")).join("\n")
    assert.match(
      wrong,
      /notifications\.tenants\.team-a\.chat\.event: unknown setting .* members url, events, secret_ref/
    )
    assert.match(wrong, /notifications\.tenants\.team-a\.chat\.secret_ref: is missing/)
    assert.match(wrong, /notifications\.tenants\.team-a\.loose: unknown setting/)
  })
  it("map settings keep free names: images and framework commands", () => {
    const settings = good(
      { "config.yaml": "frameworks: {lighteval: {command: /opt/le}}\nproviders: {images: {garak: reg/garak:1}}\n" },
      { EVALD_PROVIDER_IMAGE_LM_EVALUATION_HARNESS: "reg/lm:2" }
    )
    assert.deepStrictEqual(settings.frameworks, { lighteval: { command: "/opt/le" } })
    assert.deepStrictEqual(settings["providers.images"], { garak: "reg/garak:1", LM_EVALUATION_HARNESS: "reg/lm:2" })
  })
})
