/**
 * T2: each way to install on a real control plane of its own: installed, an instance made, upgraded with other values, removed. No node runs
 * here, so the operator's pods do not start: what is shown is what the API server takes, keeps and gives back.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { isObject, listMember, member, textMember } from "../../values/json.ts"
import { controlPlaneBinaries } from "../cluster/control-plane/binaries.ts"
import { kubeconfig, type RunningControlPlane, startControlPlane } from "../cluster/control-plane/processes.ts"
import { deploy } from "../support/installed.ts"
import { frozenReleases } from "../support/releases/frozen.ts"
import { type CommandLine, commandLine, helm, kubectl, noTools } from "./command-line.ts"

const binaries = controlPlaneBinaries()
if ("missing" in binaries) {
  if (process.env["EVALD_REQUIRE_T2"] === "1")
    throw new Error(`EVALD_REQUIRE_T2=1, and there is no control plane: ${binaries.missing}`)
  process.stderr.write(`SKIPPED: installations on a real control plane, because ${binaries.missing}\n`)
}
const missing = noTools || "missing" in binaries

const folder = (path: string): string => fileURLToPath(new URL(path, deploy))
const sample = (name: string): string => folder(`kustomize/samples/${name}.yaml`)

describe.skipIf(missing)("T2: installing on a real control plane", () => {
  let plane: RunningControlPlane | undefined
  let { attempt, run }: CommandLine = {
    attempt: () => Promise.reject(),
    run: () => Promise.reject(),
    typed: () => Promise.reject()
  }
  const scratch = mkdtempSync(join(tmpdir(), "evald-install-"))

  beforeAll(async () => {
    if ("missing" in binaries) return
    plane = await startControlPlane(binaries.folder)
    const { server, ca, tokens } = plane.controlPlane
    ;({ attempt, run } = commandLine(scratch, kubeconfig(server, ca, tokens.administrator)))
  })
  afterAll(async () => {
    await plane?.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  const stored = async (...args: ReadonlyArray<string>): Promise<unknown> =>
    parse(await run(kubectl, "get", ...args, "-o", "yaml"))
  const isThere = async (...args: ReadonlyArray<string>): Promise<boolean> =>
    (await attempt(kubectl, ["get", ...args])).ok
  const imageOf = async (): Promise<unknown> => {
    const [container] = listMember(
      member(
        member(member(await stored("deployment", "evald-operator", "-n", "evald-system"), "spec"), "template"),
        "spec"
      ),
      "containers"
    )
    return textMember(container, "image")
  }
  const uidOf = async (): Promise<unknown> =>
    member(member(await stored("evs", "evald", "-n", "evals"), "metadata"), "uid")
  const makeInstance = async () => {
    await run(kubectl, "wait", "--for=condition=Established", "--timeout=60s", "crd/evaluationservices.evald.internal")
    await run(kubectl, "apply", "--server-side", "-f", sample("sqlite"))
    for (const name of ["tenant-namespace", "tenant-user", "tenant-provider"])
      await run(kubectl, "apply", "--server-side", "-f", sample(name))
    return await uidOf()
  }
  const gone = (...args: ReadonlyArray<string>) =>
    run(kubectl, "delete", "--ignore-not-found", "--wait=true", "--timeout=60s", ...args)
  /** the control plane is as it was */
  const cleared = async () => {
    await gone("namespace", "evals", "team-a", "evald-system")
    await gone("crd", "evaluationservices.evald.internal")
    assert.strictEqual(
      await run(kubectl, "get", "clusterroles,clusterrolebindings", "-l", "app.kubernetes.io/name=evald", "-o", "name"),
      ""
    )
  }

  const applied = async (source: ReadonlyArray<string>, upgrade: ReadonlyArray<string>) => {
    await run(kubectl, "apply", "--server-side", ...source)
    const uid = await makeInstance()
    // once more nothing changes
    const before = member(
      member(await stored("deployment", "evald-operator", "-n", "evald-system"), "metadata"),
      "generation"
    )
    await run(kubectl, "apply", "--server-side", ...source)
    const after = member(
      member(await stored("deployment", "evald-operator", "-n", "evald-system"), "metadata"),
      "generation"
    )
    assert.strictEqual(after, before)
    await run(kubectl, "apply", "--server-side", ...upgrade)
    assert.strictEqual(await imageOf(), "registry.example/evald:9.9.9")
    assert.strictEqual(await uidOf(), uid, "the instance is the same after the upgrade")
    // the operator goes, the definition and its instances stay: what the page on upgrades says
    await gone("-f", folder("kustomize/base/operator.yaml"))
    assert.isFalse(await isThere("deployment", "evald-operator", "-n", "evald-system"))
    assert.strictEqual(await uidOf(), uid)
    await gone(...source)
    assert.isFalse(await isThere("crd", "evaluationservices.evald.internal"))
    await cleared()
  }

  it("install.yaml: applied twice alike, upgraded under a living instance, removed without a trace", async () => {
    const file = folder("install.yaml")
    const next = join(scratch, "next.yaml")
    const text = readFileSync(file, "utf8")
    writeFileSync(next, text.replaceAll(/\bevald:\d+\.\d+\.\d+/g, "registry.example/evald:9.9.9"))
    await applied(["-f", file], ["-f", next, "--force-conflicts"])
  })

  it("an overlay of kustomize: the same, with the image named once", async () => {
    const overlay = join(scratch, "overlay")
    mkdirSync(overlay)
    writeFileSync(join(overlay, "all.yaml"), await run(kubectl, "kustomize", folder("kustomize/overlays/kubernetes")))
    writeFileSync(
      join(overlay, "kustomization.yaml"),
      "resources: [all.yaml]\nimages: [{name: evald, newName: registry.example/evald, newTag: 9.9.9}]\n"
    )
    await applied(["-k", folder("kustomize/overlays/kubernetes")], ["-k", overlay, "--force-conflicts"])
  })

  it("the chart: installed, upgraded under a living instance, removed; the definition and the instance stay", async () => {
    const chart = folder("helm/evald-operator")
    const release = ["evald-operator", chart, "--namespace", "evald-system"]
    await run(helm, "install", ...release, "--create-namespace")
    const uid = await makeInstance()
    await run(helm, "upgrade", ...release, "--set", "image.repository=registry.example/evald,image.tag=9.9.9")
    assert.strictEqual(await imageOf(), "registry.example/evald:9.9.9")
    assert.strictEqual(await uidOf(), uid)
    await run(helm, "uninstall", "evald-operator", "--namespace", "evald-system", "--wait")
    assert.isFalse(await isThere("deployment", "evald-operator", "-n", "evald-system"))
    assert.strictEqual(await uidOf(), uid)
    // taken up again by a new release
    await run(helm, "install", ...release)
    assert.strictEqual(await uidOf(), uid)
    await run(helm, "uninstall", "evald-operator", "--namespace", "evald-system", "--wait")
    await cleared()
  })

  for (const release of frozenReleases)
    it(`${basename(release)}: upgraded under its instances to a build whose definition and manifests have more`, async () => {
      const resources = ["sqlite", "postgresql", "tenant-namespace", "tenant-user", "tenant-provider"]
      const specs = async () =>
        Object.fromEntries(
          listMember(await stored("evs", "--all-namespaces"), "items").map((one) => [
            textMember(member(one, "metadata"), "uid"),
            member(one, "spec")
          ])
        )
      await run(kubectl, "apply", "--server-side", "-f", join(release, "install.yaml"))
      await run(
        kubectl,
        "wait",
        "--for=condition=Established",
        "--timeout=60s",
        "crd/evaluationservices.evald.internal"
      )
      const applyResources = async () => {
        for (const name of resources) {
          const documents = parseAllDocuments(readFileSync(join(release, "resources", `${name}.yaml`), "utf8"))
          // both samples have the same name
          for (const one of documents)
            if (one.get("kind") === "EvaluationService") one.setIn(["metadata", "name"], `evald-${name}`)
          const file = join(scratch, `${name}.yaml`)
          writeFileSync(file, documents.map(String).join("---\n"))
          await run(kubectl, "apply", "--server-side", "-f", file)
        }
      }
      await applyResources()
      const before = await specs()
      assert.lengthOf(Object.keys(before), 2)
      // one more member of the resource, another image, a further object: what a release may differ in
      const next = join(scratch, "upgraded.yaml")
      const documents = parseAllDocuments(readFileSync(folder("install.yaml"), "utf8"))
      const [definition] = documents.filter((one) => one.get("kind") === "CustomResourceDefinition")
      definition?.setIn(
        ["spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties", "later"],
        { type: "string", default: "set by the upgrade" }
      )
      writeFileSync(
        next,
        [
          ...documents.map(String),
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later, namespace: evald-system}\n"
        ]
          .join("---\n")
          .replaceAll(/\bevald:\d+\.\d+\.\d+/g, "registry.example/evald:9.9.9")
      )
      await run(kubectl, "apply", "--server-side", "--force-conflicts", "-f", next)
      assert.strictEqual(await imageOf(), "registry.example/evald:9.9.9")
      assert.isTrue(await isThere("configmap", "later", "-n", "evald-system"))
      const upgraded = Object.fromEntries(
        Object.entries(before).map(([uid, spec]) => [
          uid,
          // what the resource has got since the release, and what the upgrade brings
          { mounts: [], ...(isObject(spec) ? spec : {}), later: "set by the upgrade" }
        ])
      )
      assert.deepStrictEqual(await specs(), upgraded)
      // the resources of the release are taken as they were
      await applyResources()
      assert.deepStrictEqual(await specs(), upgraded)
      await gone("-f", next)
      await cleared()
    })

  it("what can not be is refused with words that help, by kubectl as well", async () => {
    await run(kubectl, "apply", "--server-side", "-f", folder("kustomize/base/crd.yaml"))
    await run(kubectl, "wait", "--for=condition=Established", "--timeout=60s", "crd/evaluationservices.evald.internal")
    await run(kubectl, "apply", "--server-side", "-f", sample("sqlite"))
    const { ok, stderr } = await attempt(kubectl, ["scale", "evs/evald", "-n", "evals", "--replicas=2"])
    assert.isFalse(ok)
    assert.include(stderr, "sqlite is a file that one pod owns: set replicas to 1")
    // the document of the API follows a new definition some time later
    const explain = ["explain", "evs.spec.database.type"] as const
    for (let tries = 0; tries < 60 && !(await attempt(kubectl, explain)).ok; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 500))
    assert.include(await run(kubectl, ...explain), "sqlite: a file, one replica")
    const shown = await run(kubectl, "get", "evs", "-n", "evals", "-o", "wide")
    const columns = shown.split("\n", 1)[0]?.split(/\s+/)
    assert.includeMembers(columns ?? [], ["PHASE", "READY", "REPLICAS", "TENANTS", "AGE", "DATABASE", "URL", "REASON"])
    assert.isTrue(isObject(await stored("evs", "evald", "-n", "evals")))
    await cleared()
  })
})
