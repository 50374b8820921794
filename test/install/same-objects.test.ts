/**
 * install.yaml, each overlay of kustomize and the chart are the same objects, as the tools that people use render them. Helm makes the
 * namespace by itself and marks what it keeps; nothing else may differ.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { allObjects } from "../../infrastructure/kubernetes/installation/files.ts"
import { goTool } from "../support/go-tools/tools.ts"
import { deploy, filesInput, objectsIn } from "../support/installed.ts"
import type { Checked } from "../support/policy-checks.ts"

const [helm, kubectl] = [goTool("helm"), goTool("kubectl")]
const missing = typeof helm !== "string" || typeof kubectl !== "string"

const run = (tool: typeof helm, ...args: ReadonlyArray<string>): string =>
  execFileSync(typeof tool === "string" ? tool : "", [...args], {
    encoding: "utf8",
    maxBuffer: 1e8,
    stdio: ["ignore", "pipe", "pipe"],
    // neither a cluster nor anybody's settings
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", KUBECONFIG: "/nonexistent" }
  })

const folder = (path: string): string => fileURLToPath(new URL(path, deploy))
const chart = folder("helm/evald-operator")
const template = (...values: ReadonlyArray<string>) =>
  objectsIn(
    run(
      helm,
      ...["template", "evald-operator", chart, "--namespace", "evald-system"],
      // compiled from its module the tool takes itself for an old one
      ...["--kube-version", "1.34.0"],
      ...values
    )
  )
const kustomize = (profile: string) => objectsIn(run(kubectl, "kustomize", folder(`kustomize/overlays/${profile}`)))

/** by kind and name; without the namespace, and without Helm's mark */
const comparable = (objects: ReadonlyArray<Checked>): ReadonlyMap<string, unknown> =>
  new Map(
    objects
      .filter(({ kind }) => kind !== "Namespace")
      .map((object) => {
        const { annotations: _, ...metadata } = object.metadata
        return [`${object.kind} ${metadata.namespace ?? ""}/${metadata.name}`, { ...object, metadata }] as const
      })
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
/** as plain data: what the generator shares between objects is not shared in a file */
const plain = (objects: ReadonlyArray<unknown>): ReadonlyArray<Checked> =>
  JSON.parse(JSON.stringify(objects)) as ReadonlyArray<Checked>

const refusal = (call: () => unknown): string => {
  try {
    call()
    return "accepted"
  } catch (error) {
    return error instanceof Error && "stderr" in error ? String(error.stderr) : String(error)
  }
}

describe.skipIf(missing)("ways to install", () => {
  it("install.yaml, the overlay and the chart are the same objects on plain Kubernetes", () => {
    const file = objectsIn(readFileSync(new URL("install.yaml", deploy), "utf8"))
    assert.isAbove(file.length, 40)
    const expected = comparable(file)
    assert.deepStrictEqual(comparable(plain(allObjects(filesInput, "kubernetes"))), expected)
    assert.deepStrictEqual(comparable(kustomize("kubernetes")), expected)
    assert.deepStrictEqual(comparable(template()), expected)
  })

  it("the overlay and the chart are the same objects on OpenShift", () => {
    const expected = comparable(plain(allObjects(filesInput, "openshift")))
    assert.deepStrictEqual(comparable(kustomize("openshift")), expected)
    assert.deepStrictEqual(comparable(template("--set", "profile=openshift")), expected)
  })

  it("both overlays have the namespace, with its level of pod security", () => {
    for (const profile of ["kubernetes", "openshift"] as const) {
      const namespace = kustomize(profile).find(({ kind }) => kind === "Namespace")
      const wanted = allObjects(filesInput, profile).find(({ kind }) => kind === "Namespace")
      assert.deepStrictEqual(namespace?.metadata.labels, wanted?.metadata.labels)
    }
  })

  it("values of the chart reach the operator and the servers it starts; the definition is kept when the chart goes", () => {
    const digest = `sha256:${"a".repeat(64)}`
    const objects = template(
      "--set",
      `image.repository=registry.example/evald,image.digest=${digest},replicas=3,defaultTlsMode=Disabled`
    )
    const text = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"))
    assert.include(text, `"image":"registry.example/evald@${digest}"`)
    assert.include(text, `"name":"EVALD_OPERATOR_IMAGE","value":"registry.example/evald@${digest}"`)
    assert.include(text, '"name":"EVALD_OPERATOR_DEFAULT_TLS_MODE","value":"Disabled"')
    assert.include(text, '"replicas":3')
    const more = template(
      "--set-string",
      "env[0].name=EVALD_OPERATOR_WORKERS,env[0].value=8,env[1].name=EVALD_LOG_LEVEL,env[1].value=debug"
    )
    assert.include(
      JSON.stringify(more.find(({ kind }) => kind === "Deployment")),
      '{"name":"EVALD_OPERATOR_WORKERS","value":"8"},{"name":"EVALD_LOG_LEVEL","value":"debug"}]'
    )
    const crd = objects.find(({ kind }) => kind === "CustomResourceDefinition")
    assert.deepStrictEqual(crd?.metadata["annotations"], { "helm.sh/resource-policy": "keep" })
  })

  it("the chart is free of the linter's complaints, and refuses values that it does not know", () => {
    assert.include(run(helm, "lint", "--strict", chart), "0 chart(s) failed")
    for (const [value, words] of [
      ["replicas=0", "replicas"],
      ["profile=eks", "profile"],
      ["imge.tag=1", "imge"],
      ["image.tag=latest", "tag"]
    ] as const)
      assert.include(
        refusal(() => template("--set", value)),
        words,
        value
      )
  })
})
