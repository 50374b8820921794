import { assert, describe, it } from "@effect/vitest"
import { boundPodOf, serviceAccountOf } from "../../../domain/identity.ts"

describe("identities", () => {
  it("service accounts have a namespace and a name", () => {
    assert.deepStrictEqual(serviceAccountOf({ username: "system:serviceaccount:team-a:runner", groups: [] }), {
      namespace: "team-a",
      name: "runner"
    })
  })
  it.each([
    "alice",
    "system:serviceaccount:team-a",
    "system:serviceaccount::x",
    "system:serviceaccount:a:b:c",
    "system:node:n1"
  ])("%s is no service account", (username) => {
    assert.isUndefined(serviceAccountOf({ username, groups: [] }))
  })
  it("a bound token names exactly one pod", () => {
    const named = (names: ReadonlyArray<string>) =>
      boundPodOf({ username: "x", groups: [], extra: { "authentication.kubernetes.io/pod-name": names } })
    assert.strictEqual(named(["p-1"]), "p-1")
    assert.isUndefined(named(["p-1", "p-2"]))
    assert.isUndefined(boundPodOf({ username: "x", groups: [] }))
  })
})
