import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { pathProblem, routeOf } from "../../../../interfaces/gateway/route.ts"

const context = { jobId: "j1", benchmarkIndex: 3, repository: "team/results" }
const own = "/api/v1/evaluations/jobs/j1/events"

describe("routes of the sidecar", () => {
  it.each<readonly [string, string, string]>([
    ["GET", "/health", "Health"],
    ["HEAD", "/health?x", "Health"],
    ["POST", "/health", "Model"],
    ["POST", own, "Events"],
    ["POST", `${own}?x=/../`, "Events"],
    ["GET", own, "Forbidden"],
    ["POST", "/api/v1/evaluations/jobs/j1/benchmarks/3/samples", "Samples"],
    ["POST", "/api/v1/evaluations/jobs/j1/benchmarks/4/samples", "Forbidden"],
    ["GET", "/api/v1/evaluations/jobs/j1/benchmarks/3/samples", "Forbidden"],
    ["POST", `${own}/`, "Forbidden"],
    ["POST", "/api/v1/evaluations/jobs/j2/events", "Forbidden"],
    ["GET", "/api/v1/evaluations", "Forbidden"],
    ["GET", "/API/v1/Evaluations/providers", "Forbidden"],
    ["GET", "/api/v1/%65valuations/x", "Forbidden"],
    ["GET", "/api//v1/evaluations/x", "Forbidden"],
    ["GET", "/api/v1/evaluationsx", "Model"],
    ["GET", "/api/2.0/mlflow", "Tracker"],
    ["GET", "/api/3.0/mlflow/runs/get?run_id=x", "Tracker"],
    ["PUT", "/api/2.0/mlflow-artifacts/artifacts/a", "Tracker"],
    ["GET", "/api/2.0/mlflowx", "Model"],
    ["GET", "/v2/", "Registry"],
    ["GET", "/v2/?x", "Registry"],
    ["PUT", "/v2/team/results/manifests/v1", "Registry"],
    ["PUT", "/v2/team/results", "Model"],
    ["PUT", "/v2/team/resultsx/manifests/v1", "Model"],
    ["PUT", "/_evald/upload/abc?digest=x", "Upload"],
    ["PUT", "/_evald/upload/", "Model"],
    ["PUT", "/_evald/upload/a/b", "Model"],
    ["POST", "/v1/chat/completions", "Model"],
    ["GET", "/", "Model"],
    ["GET", "/v1/models/org%2Fname", "Model"],
    ["GET", "/v1/models/gpt-4.1..x", "Model"],
    ["GET", "", "Invalid"],
    ["OPTIONS", "*", "Invalid"],
    ["GET", "http://h/", "Invalid"],
    ["GET", "/a/./b", "Invalid"],
    ["GET", "/a/..", "Invalid"],
    ["GET", "/%2e/", "Invalid"],
    ["GET", "/a%2f..%5cb", "Invalid"],
    ["GET", "/a\\b", "Invalid"]
  ])("%s %s is %s", (method, target, expected) => assert.strictEqual(routeOf(method, target, context)._tag, expected))
  it("without an export the registry paths are the model's", () =>
    assert.strictEqual(routeOf("GET", "/v2/", { jobId: "j1" })._tag, "Model"))
  const prefixed: ReadonlyArray<readonly [method: string, target: string, tag: string, path?: string]> = [
    ["POST", "/m/v1/chat/completions?x=1", "Model", "/v1/chat/completions?x=1"],
    ["GET", "/m/health", "Model", "/health"],
    ["GET", "/m/api/2.0/mlflow/runs/get", "Model", "/api/2.0/mlflow/runs/get"],
    ["GET", "/m/api/v1/evaluations", "Model", "/api/v1/evaluations"],
    ["GET", "/m/v2/", "Model", "/v2/"],
    ["GET", "/m/m/x", "Model", "/m/x"],
    ["GET", "/m//x", "Model", "//x"],
    ["GET", "/m/a%2Fb", "Model", "/a%2Fb"],
    ["GET", "/m", "Model", "/"],
    ["GET", "/m/", "Model", "/"],
    ["GET", "/m?x=/y", "Model", "/?x=/y"],
    ["GET", "/mx/v1", "Unknown"],
    ["GET", "/M/v1", "Unknown"],
    ["POST", "/v1/chat/completions", "Unknown"],
    ["POST", "/health", "Unknown"],
    ["GET", "/", "Unknown"],
    ["GET", "/health", "Health"],
    ["POST", own, "Events"],
    ["GET", "/api/2.0/mlflow", "Tracker"],
    ["GET", "/v2/", "Registry"],
    ["GET", "/m/../health", "Invalid"],
    ["GET", "/m/%2e%2e/health", "Invalid"]
  ]
  for (const [method, target, tag, path] of prefixed)
    it(`with the model below /m, ${method} ${target} is ${tag} ${path ?? ""}`, () => {
      const route = routeOf(method, target, { ...context, modelPrefix: "/m" })
      assert.deepStrictEqual([route._tag, route._tag === "Model" ? route.path : undefined], [tag, path])
    })
  it("a model below a prefix has every path that it has without one, and loses none to the sidecar", () => {
    const segment = fc.constantFrom("health", "api", "v1", "2.0", "mlflow", "evaluations", "v2", "m", "x", "_evald")
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), fc.constantFrom("", "?a=/b", "/"), (segments, end) => {
        const path = `/${segments.join("/")}${end}`
        for (const method of ["GET", "POST"])
          assert.deepStrictEqual(routeOf(method, `/m/n${path}`, { ...context, modelPrefix: "/m/n" }), {
            _tag: "Model",
            path
          })
      })
    )
  })
  it("is total, and nothing that another reader could take for the server's interface gets through", () => {
    const part = fc.constantFrom(
      "/",
      "api",
      "v1",
      "evaluations",
      "%2e",
      "..",
      ".",
      "%2f",
      "jobs",
      "j1",
      "events",
      "\\",
      "?",
      "%",
      "x",
      "EVALUATIONS",
      "%65valuations"
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const target = `/${parts.join("")}`
        const { _tag } = routeOf("GET", target, context)
        if (_tag !== "Model") return
        assert.isUndefined(pathProblem(target))
        const path = target.split("?", 1)[0] ?? ""
        const read = new URL(path.replaceAll(/\/{2,}/g, "/"), "http://h").pathname
        assert.notMatch(read.toLowerCase().replaceAll("%65", "e"), /^\/api\/v1\/evaluations(\/|$)/)
      }),
      { numRuns: 2_000 }
    )
  })
})
