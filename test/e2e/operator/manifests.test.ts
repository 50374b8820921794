/** `evald operator manifests`: what a release carries is what the program writes, with the names that the configuration gives. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../../support/evald-process.ts"
import { at } from "../../support/http-app.ts"
import { objectsIn } from "../../support/installed.ts"
import { tempDir } from "../../support/temp-dir.ts"

const manifests = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => run(["operator", "manifests", ...args], env))

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

describe("evald operator manifests", () => {
  it.scoped("writes the files that are in deploy/, byte for byte", () =>
    Effect.gen(function* () {
      const folder = join(yield* tempDir, "new", "folder")
      const { code, stdout, stderr } = yield* manifests([folder])
      assert.deepStrictEqual([code, stdout, stderr], [0, "", ""])
      const written = filesBelow(folder)
      assert.includeMembers(
        [...written],
        [
          "install.yaml",
          "kustomize/base/crd.yaml",
          "kustomize/overlays/openshift/kustomization.yaml",
          "helm/evald-operator/values.yaml",
          "roles/jobs-writer.yaml"
        ]
      )
      for (const path of written)
        assert.strictEqual(readFileSync(join(folder, path), "utf8"), readFileSync(join("deploy", path), "utf8"), path)
    })
  )

  it.effect("writes install.yaml to the output, with - and without anything", () =>
    Effect.gen(function* () {
      const wanted = readFileSync("deploy/install.yaml", "utf8")
      for (const args of [[], ["-"]]) {
        const { code, stdout, stderr } = yield* manifests(args)
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.strictEqual(stdout, wanted)
      }
    })
  )

  it.scoped("takes groups, names and the image from the configuration, in every form", () =>
    Effect.gen(function* () {
      const [config, folder] = [yield* tempDir, yield* tempDir]
      const settings = {
        domain: "eval.example",
        api_groups: { service: "svc.example" },
        operator: { namespace: "evals", cluster_role_prefix: "x-" }
      }
      writeFileSync(join(config, "config.yaml"), JSON.stringify(settings))
      const image = `registry.example:5000/team/evald@sha256:${"a".repeat(64)}`
      const { code, stderr } = yield* manifests(["--configdir", config, folder], { EVALD_OPERATOR_IMAGE: image })
      assert.deepStrictEqual([code, stderr], [0, ""])
      const read = (path: string) => readFileSync(join(folder, path), "utf8")
      const objects = objectsIn(read("install.yaml"))
      const named = (kind: string) => objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name)
      assert.deepStrictEqual(named("Namespace"), ["evals"])
      assert.deepStrictEqual(named("CustomResourceDefinition"), ["evaluationservices.svc.example"])
      assert.include(named("ClusterRole"), "x-jobs-writer")
      const operator = objects.find(({ kind }) => kind === "Deployment")
      assert.strictEqual(at(operator, "spec.template.spec.containers.0.image"), image)
      const everything = filesBelow(folder).map((path) => [path, read(path)] as const)
      for (const [path, text] of everything) assert.notMatch(text, /evald\.internal\b/, path)
      const kustomization = read("kustomize/overlays/kubernetes/kustomization.yaml")
      assert.include(kustomization, "newName: registry.example:5000/team/evald\n")
      assert.include(kustomization, `digest: sha256:${"a".repeat(64)}`)
      assert.match(read("helm/evald-operator/values.yaml"), /repository: registry\.example:5000\/team\/evald\n/)
    })
  )

  it.scoped("exits with 64 for a wrong command line, 78 for a wrong configuration, 1 where it can not write", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const taken = join(folder, "file")
      writeFileSync(taken, "")
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp, Record<string, string>?]> = [
        [["one", "two"], 64, /unexpected argument 'two'/],
        [["--no-such-flag"], 64, /unknown flag '--no-such-flag'/],
        [["--configdir", join(folder, "none")], 78, /does not exist/],
        [["-"], 78, /operator\.image: .*name a tag/, { EVALD_OPERATOR_IMAGE: "registry.example:5000/evald" }],
        [["-"], 78, /operator\.workers/, { EVALD_OPERATOR_WORKERS: "many" }],
        [[taken], 1, /EEXIST|ENOTDIR/],
        [[join(taken, "below")], 1, /ENOTDIR/]
      ]
      for (const [args, wanted, message, env] of cases) {
        const { code, stdout, stderr } = yield* manifests(args, env)
        assert.strictEqual(code, wanted, `${args.join(" ")}: ${stderr}`)
        assert.match(stderr, message)
        assert.strictEqual(stdout, "")
      }
      const asked = yield* manifests(["--help"])
      assert.strictEqual(asked.code, 0)
      assert.match(asked.stdout, /Usage: evald operator manifests .*\[DIR\|-\]/)
    })
  )
})
