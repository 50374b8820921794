import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parse } from "yaml"
import {
  guardOf,
  type Method,
  matchesPath,
  methods,
  reviewsOf,
  type ServedRoute,
  tableProblems,
  verbOf
} from "../../../../../interfaces/http/access/access-table.ts"
import { readAccessTable } from "../../../../../interfaces/http/access/read-table.ts"

const document: unknown = parse(readFileSync("config/auth.yaml", "utf8"))
const table = Either.getOrThrowWith(readAccessTable(document), (problems) => new Error(problems.join("\n")))
const groups = { service: "evald.internal", tracker: "mlflow.kubeflow.org" }

/** "group resource:verb" of each review, "public" or "unlisted" */
const needed = (method: Method, path: string): ReadonlyArray<string> => {
  const guard = guardOf(table, method, path)
  if (guard._tag !== "Guarded") return [guard._tag.toLowerCase()]
  return reviewsOf(guard.rule, method, "team-a", groups).map(({ group, resource, verb, namespace }) => {
    assert.strictEqual(namespace, "team-a")
    return `${group} ${resource}:${verb}`
  })
}
const own = (resource: string, verb: string) => [`evald.internal ${resource}:${verb}`]
const api = "/api/v1/evaluations"

describe("case 32: the shipped table", () => {
  it.each<readonly [Method, string, ReadonlyArray<string>]>([
    [
      "POST",
      `${api}/jobs`,
      [
        "evald.internal evaluations:create",
        "mlflow.kubeflow.org experiments:create",
        "mlflow.kubeflow.org experiments:get"
      ]
    ],
    ["GET", `${api}/jobs`, own("evaluations", "get")],
    ["HEAD", `${api}/jobs`, own("evaluations", "get")],
    ["GET", `${api}/jobs/x`, own("evaluations", "get")],
    ["DELETE", `${api}/jobs/x`, own("evaluations", "delete")],
    ["GET", `${api}/jobs/x/watch`, own("evaluations", "get")],
    ["GET", `${api}/jobs/x/logs`, own("evaluations", "get")],
    ["GET", `${api}/jobs/x/benchmarks/3/logs`, own("evaluations", "get")],
    ["POST", `${api}/jobs/x/events`, own("status-events", "create")],
    ["GET", `${api}/providers`, own("providers", "get")],
    ["POST", `${api}/providers`, own("providers", "create")],
    ["PUT", `${api}/providers/x`, own("providers", "update")],
    ["PATCH", `${api}/collections/x`, own("collections", "update")],
    ["DELETE", `${api}/collections/x`, own("collections", "delete")],
    ["GET", "/api/v1/health", ["public"]],
    ["HEAD", "/api/v1/health/ready", ["public"]],
    ["GET", "/metrics", ["public"]],
    ["PUT", `${api}/jobs/x`, ["unlisted"]],
    ["POST", "/api/v1/health", ["unlisted"]],
    ["GET", `${api}/jobs/x/`, ["unlisted"]],
    ["GET", `${api}/jobs/..`, ["unlisted"]],
    ["GET", `${api}/jobs/a%2Fb`, ["unlisted"]],
    ["GET", `${api}/jobs/%2e%2e`, ["unlisted"]],
    ["GET", `${api}/jobs//events`, ["unlisted"]],
    ["GET", "/docs/a/b", ["unlisted"]]
  ])("%s %s", (method, path, expected) => assert.deepStrictEqual(needed(method, path), expected))

  const served = (): ReadonlyArray<ServedRoute> =>
    [...table.public, ...table.rules].flatMap(({ path, methods: listed }) => listed.map((method) => ({ method, path })))
  it("agrees with the routes it names, however parameters are written", () => {
    assert.deepStrictEqual(
      tableProblems(
        table,
        served().map(({ method, path }) => ({ method, path: path.replaceAll(/\{(\w+)\}/g, ":$1") }))
      ),
      []
    )
    assert.deepStrictEqual(tableProblems(table, [...served(), { method: "HEAD", path: "/metrics" }]), [])
  })
  it("a route without a rule, and a rule without a route, are named", () => {
    assert.deepStrictEqual(tableProblems(table, [...served(), { method: "POST", path: "/api/v1/extra" }]), [
      "route POST /api/v1/extra has no authorisation rule"
    ])
    assert.deepStrictEqual(
      tableProblems(
        table,
        served().filter(({ path }) => path !== "/metrics")
      ),
      ["rule GET /metrics names no route"]
    )
  })
  it("an entry that is given twice, or both public and guarded, is named", () => {
    const doubled = { ...table, public: [...table.public, { path: `${api}/jobs/{job}`, methods: ["GET"] as const }] }
    assert.deepStrictEqual(tableProblems(doubled, served()), [`rule GET ${api}/jobs/{id} is given twice`])
  })
})

describe("matching", () => {
  it("a literal segment wins over a parameter, wherever it stands", () => {
    const review = (resource: string) => [{ group: "service", resource, verb: "get" as const }] as const
    const both = {
      public: [],
      rules: [
        { path: "/a/{x}", methods: ["GET"] as const, reviews: review("one") },
        { path: "/a/b", methods: ["GET"] as const, reviews: review("two") }
      ]
    }
    const guard = guardOf(both, "GET", "/a/b")
    assert.strictEqual(guard._tag === "Guarded" ? guard.rule.path : "", "/a/b")
  })
  it("needs the exact number of segments", () => {
    assert.isTrue(matchesPath("/a/{x}", "/a/b"))
    for (const path of ["/a", "/a/", "/a/b/c", "a/b", "", "/A/b", "/a/b\\c"])
      assert.isFalse(matchesPath("/a/{x}", path))
  })
  it("verbs", () => assert.deepStrictEqual(methods.map(verbOf), ["get", "get", "create", "update", "update", "delete"]))
})

describe("case 32: reading a table", () => {
  const rule = (change: object) => ({
    version: 1,
    public: [],
    rules: [{ path: "/a", methods: ["GET"], reviews: [{ group: "service", resource: "r", verb: "get" }], ...change }]
  })
  it.each<readonly [unknown, RegExp]>([
    [null, /must be an object/],
    [{ version: 2, public: [], rules: [] }, /version 2/],
    [{ version: 1, rules: [] }, /public must be a list/],
    [{ ...rule({}), extra: 1 }, /unknown member 'extra'/],
    [rule({ path: "a" }), /rules\[0\]: path 'a'/],
    [rule({ path: "/a/*" }), /path/],
    [rule({ methods: [] }), /methods are required/],
    [rule({ methods: ["FETCH"] }), /method 'FETCH'/],
    [rule({ reviews: [] }), /at least one review/],
    [rule({ path: "/api/v1/info" }), /^accepted$/],
    [rule({ path: "/api/v1/info", reviews: [] }), /^accepted$/],
    [rule({ path: "/api/v1/info", reviews: undefined }), /at least one review/],
    [rule({ path: "/api/v1/evaluations/jobs", reviews: [] }), /at least one review/],
    [rule({ reviews: ["x"] }), /reviews\[0\] must be an object/],
    [rule({ reviews: [{ group: "nobody", resource: "r", verb: "get" }] }), /group 'nobody'/],
    [rule({ reviews: [{ group: "service", resource: "R", verb: "get" }] }), /resource 'R'/],
    [rule({ reviews: [{ group: "service", resource: "r", verb: "read" }] }), /verb 'read'/],
    [
      rule({ reviews: [{ group: "service", resource: "r", verb: "get", namespace: "x" }] }),
      /unknown member 'namespace'/
    ],
    [rule({ review: [] }), /unknown member 'review'/]
  ])("%j: refused, unless the route tells callers about themselves", (given, why) => {
    const read = readAccessTable(given)
    assert.match(Either.isLeft(read) ? read.left.join("\n") : "accepted", why)
  })
  it("a full API group is taken as it is", () => {
    const read = Either.getOrThrow(
      readAccessTable(rule({ reviews: [{ group: "batch.example.io", resource: "jobs", verb: "list" }] }))
    )
    const guard = guardOf(read, "GET", "/a")
    assert.deepStrictEqual(guard._tag === "Guarded" ? reviewsOf(guard.rule, "GET", "t", groups) : [], [
      { namespace: "t", verb: "list", group: "batch.example.io", resource: "jobs" }
    ])
  })
})
