import { assert, describe, it } from "@effect/vitest"
import { modelPrefixProblem } from "../../../values/sidecar-paths.ts"

describe("a path that the model is moved below", () => {
  it.each(["/m", "/model/behind", "/~x", "/healthy", "/v1/m", "/api/x", "/v22m"])("%s is one", (prefix) =>
    assert.isUndefined(modelPrefixProblem(prefix))
  )
  it.each([
    ["", "must begin with '/'"],
    ["m", "must begin with '/'"],
    ["http://x/m", "must begin with '/'"],
    ["/", "must not end with '/'"],
    ["/m/", "must not end with '/'"],
    ["/m?x=1", "must be a path alone, without a query or fragment"],
    ["/m#x", "must be a path alone, without a query or fragment"],
    ["/m//n", "must be of segments of A-Z, a-z, 0-9, '-', '.', '_' and '~'"],
    ["/m%2f", "must be of segments of A-Z, a-z, 0-9, '-', '.', '_' and '~'"],
    ["/m/../n", "must not hold '.' or '..' segments"],
    ["/.", "must not hold '.' or '..' segments"],
    ["/m/v1", "must not end in a version, which programs take for that of the model's address"],
    ["/v2", "must not end in a version, which programs take for that of the model's address"],
    [`/${"m".repeat(128)}`, "must be at most 128 characters"],
    ["/health", "must lie apart from /health, a path of the sidecar itself"],
    ["/HEALTH/x", "must lie apart from /health, a path of the sidecar itself"],
    ["/api", "must lie apart from /api/v1/evaluations, a path of the sidecar itself"],
    ["/api/v1/evaluations/jobs", "must lie apart from /api/v1/evaluations, a path of the sidecar itself"],
    ["/api/2.0", "must lie apart from /api/2.0/mlflow, a path of the sidecar itself"],
    ["/v2/x", "must lie apart from /v2, a path of the sidecar itself"],
    ["/_evald/m", "must lie apart from /_evald, a path of the sidecar itself"]
  ])("%s is none: it %s", (prefix, problem) => assert.strictEqual(modelPrefixProblem(prefix), problem))
})
