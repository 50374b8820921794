/** T0: roles, what the operator can grant with them, and the files that are made of them. */

import { readFileSync } from "node:fs"
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { decodeInstance } from "../../../../../domain/operator/custom-resource.ts"
import { isKubeObject } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { allObjects, installationFiles } from "../../../../../infrastructure/kubernetes/installation/files.ts"
import {
  boundRoles,
  operandRoles,
  operatorClusterRole,
  type PolicyRule
} from "../../../../../infrastructure/kubernetes/installation/roles.ts"
import { offeredBy } from "../../../../../infrastructure/kubernetes/manifests/definitions.ts"
import { desiredTenant } from "../../../../../infrastructure/kubernetes/manifests/tenant.ts"
import { isObject, member, textMember } from "../../../../../values/json.ts"
import { deploy, filesInput, sampleFiles } from "../../../../support/installed.ts"
import {
  customResource,
  desiredOf,
  instanceOf,
  objectsOf,
  platform,
  postgresql,
  sqlite
} from "../../../../support/operator-inputs.ts"

const rights = (rules: ReadonlyArray<PolicyRule>): ReadonlyArray<string> =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)))
  )
const namesOf = (spec: unknown) => {
  const instance = instanceOf(spec)
  return [
    ...objectsOf(desiredOf(instance)),
    ...desiredTenant({ platform, instance, tenant: "team-a", certificates: {} }).all
  ]
}

describe("T0: roles", () => {
  it("case 10: the seven of the specification have its rights, rule by rule, and come first", () => {
    const experiments = (verbs: ReadonlyArray<string>) => [
      { apiGroups: ["mlflow.kubeflow.org"], resources: ["experiments"], verbs }
    ]
    assert.deepStrictEqual(
      operandRoles(platform)
        .slice(0, 7)
        .map(({ name, rules }) => [name, rules]),
      [
        [
          "auth-reviewer",
          [
            { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
            { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] }
          ]
        ],
        ["jobs-writer", [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "delete"] }]],
        ["job-config", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "get", "update", "delete"] }]],
        ["providers-access", [{ apiGroups: ["evald.internal"], resources: ["providers"], verbs: ["get"] }]],
        ["collections-access", [{ apiGroups: ["evald.internal"], resources: ["collections"], verbs: ["get"] }]],
        ["tracker-access", experiments(["create", "get", "list", "update", "delete"])],
        ["tracker-jobs-access", experiments(["create", "get", "list"])]
      ]
    )
  })

  it("case 11: what the operator grants in a Role it holds itself; what it refers to it may bind, and no more", () => {
    const held = rights(operatorClusterRole(platform))
    const everything = [sqlite, { ...postgresql, replicas: 2 }].flatMap(namesOf)
    const granted = everything.flatMap((object) =>
      object.kind === "Role" ? rights(object["rules"] as ReadonlyArray<PolicyRule>) : []
    )
    assert.isNotEmpty(granted)
    assert.deepStrictEqual(
      granted.filter((right) => !held.includes(right)),
      []
    )
    const referred = everything.flatMap((object) => {
      const roleRef = member(object, "roleRef")
      return textMember(roleRef, "kind") === "ClusterRole" ? [textMember(roleRef, "name")] : []
    })
    assert.deepStrictEqual([...new Set(referred)].sort(), [...boundRoles(platform)].sort())
    assert.notInclude(boundRoles(platform).join(), "tenant-")
  })

  it("every kind that an instance or a tenant consists of is one that the operator may write and delete", () => {
    const held = rights(operatorClusterRole({ ...platform, securityProfile: "openshift" }))
    const plural = (kind: string) =>
      kind === "NetworkPolicy" ? "networkpolicies" : kind === "Ingress" ? "ingresses" : `${kind.toLowerCase()}s`
    const spec = { ...postgresql, replicas: 2, expose: { type: "Route" } }
    const objects = [
      ...[sqlite, { ...sqlite, expose: { type: "Ingress", host: "e" } }].flatMap(namesOf),
      ...objectsOf(desiredOf(instanceOf(spec), { apis: { serviceMonitor: true, route: true } }))
    ]
    for (const { apiVersion, kind } of objects)
      for (const verb of ["get", "list", "watch", "create", "patch", "delete"]) {
        const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : ""
        assert.include(held, `${verb} ${plural(kind)}.${group}`)
      }
  })
})

describe("T0: manifests", () => {
  it("case 13: the committed files are what the generator makes", () => {
    const files = installationFiles(filesInput)
    assert.isAbove(Object.keys(files).length, 50)
    const stale = Object.entries(files).filter(([path, text]) => readFileSync(new URL(path, deploy), "utf8") !== text)
    assert.deepStrictEqual(
      stale.map(([path]) => path),
      []
    )
  })

  it("case 13: every group follows a changed api_groups", () => {
    const groups = { service: "evals.example", platform: "p.example", tracker: "t.example" }
    const input = { ...filesInput, installation: { ...filesInput.installation, groups, definitions: [] } }
    for (const profile of ["kubernetes", "openshift"] as const) {
      const text = JSON.stringify(allObjects(input, profile))
      for (const old of Object.values(platform.groups)) {
        // the prefix of labels is a setting of its own
        const left = text.replaceAll(`domain: ${old}`, "")
        assert.notInclude(left, old)
      }
      for (const group of Object.values(groups)) assert.include(text, group)
    }
    const crd = allObjects(input, "kubernetes").find(({ kind }) => kind === "CustomResourceDefinition")
    assert.strictEqual(crd?.metadata.name, "evaluationservices.evals.example")
  })

  it("samples are resources, definitions and bindings that can be used as they are", () => {
    const objects = sampleFiles.flatMap(([, all]) => all)
    const instances = objects.filter(({ kind }) => kind === "EvaluationService")
    assert.lengthOf(instances, 2)
    for (const { spec, metadata } of instances)
      assert.isTrue(Either.isRight(decodeInstance(customResource(spec, { name: metadata.name }))))
    const [definition] = objects.filter(isKubeObject).flatMap((object) => offeredBy(object, platform.domain))
    assert.deepInclude(definition, { id: "team-a-bench", runsLocally: false })
    assert.isUndefined(definition?.problem)
    const user = operandRoles(platform).find(({ name }) => name === "tenant-user")
    const role = objects.find(({ kind }) => kind === "Role")
    assert.deepStrictEqual(role?.["rules"], user?.rules as unknown)
  })
})

describe("T0: the definition of the resource", () => {
  const crd = allObjects(filesInput, "kubernetes").find(({ kind }) => kind === "CustomResourceDefinition")
  const [version] = (member(member(crd, "spec"), "versions") as ReadonlyArray<unknown>) ?? []
  const schema = member(member(version, "schema"), "openAPIV3Schema")

  /** every node with its path */
  const nodes = (
    node: unknown,
    path: string
  ): ReadonlyArray<readonly [string, { readonly [name: string]: unknown }]> => {
    if (!isObject(node)) return []
    const properties = node["properties"]
    return [
      [path, node],
      ...(isObject(properties)
        ? Object.entries(properties).flatMap(([name, inner]) => nodes(inner, `${path}.${name}`))
        : []),
      ...nodes(node["items"], `${path}[]`),
      ...nodes(node["additionalProperties"], `${path}{}`)
    ]
  }
  const all = nodes(member(member(schema, "properties"), "spec"), "spec")

  it("describes every member", () => {
    assert.isAbove(all.length, 120)
    const bare = all.filter(([path, node]) => !/(\[\]|\{\})$/.test(path) && typeof node["description"] !== "string")
    assert.deepStrictEqual(
      bare.map(([path]) => path),
      []
    )
  })

  it("bounds every text, list and map, and keeps unknown members in spec.config only", () => {
    const unbounded = all.filter(
      ([, node]) =>
        (node["type"] === "string" && node["enum"] === undefined && node["maxLength"] === undefined) ||
        (node["type"] === "array" && node["maxItems"] === undefined) ||
        (node["type"] === "object" && node["properties"] === undefined && node["maxProperties"] === undefined)
    )
    assert.deepStrictEqual(
      unbounded.map(([path]) => path),
      []
    )
    const open = all.filter(([, node]) => node["x-kubernetes-preserve-unknown-fields"] === true)
    assert.deepStrictEqual(
      open.map(([path]) => path),
      ["spec.config"]
    )
  })

  it("an optional object that must exist has an empty default, one that switches something on has none", () => {
    const withDefault = all.filter(([, node]) => node["type"] === "object" && isObject(node["default"]))
    const empty = withDefault.filter(
      ([, node]) => isObject(node["default"]) && Object.keys(node["default"]).length === 0
    )
    for (const path of [
      "spec.metrics",
      "spec.metrics.serviceMonitor",
      "spec.networkPolicy",
      "spec.expose",
      "spec.timeouts",
      "spec.tracker.auth"
    ])
      assert.include(
        empty.map(([known]) => known),
        path
      )
    for (const path of ["spec.database.persistence", "spec.tracker", "spec.otel", "spec.tls"])
      assert.notInclude(
        withDefault.map(([known]) => known),
        path
      )
  })
})
