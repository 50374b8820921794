/** A release, as somebody makes it who publishes it afterwards: everything in one folder, the same bytes twice, nothing sent anywhere. */
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { goTool } from "../support/go-tools/tools.ts"
import { type Descriptor, imagesOf } from "../support/image/image-root.ts"
import { tempDir } from "../support/temp-dir.ts"

const image = inject("image")
const helm = goTool("helm")
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }

const digests = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}  ${name}`
    )

/** everything is made twice */
const makingMillis = 300_000

describe.skipIf("missing" in image)("a release", () => {
  it.scopedLive(
    "has image, chart, package, manifests, bill of materials, changes and checksums; made again, the same bytes",
    () =>
      Effect.gen(function* () {
        const place = yield* tempDir
        const [block = "exit 99"] = blocksRunBy("test/image/release.test.ts", "docs/install.md")
        // asynchronous: the worker has to answer the runner meanwhile
        const made = (name: string) =>
          Effect.promise(async () => {
            const folder = join(place, name)
            // whoever changes something here has a checkout with changes
            const script = block.replaceAll(".cache/release", folder).replace("release.mjs", "release.mjs --draft")
            await promisify(execFile)("sh", ["-e", "-c", script], { maxBuffer: 1e8 })
            return folder
          })
        const first = yield* made("first")
        const second = yield* made("second")
        assert.deepStrictEqual(digests(second), digests(first))
        assert.deepStrictEqual(readdirSync(first).sort(), [
          "CHANGES.md",
          "SHA256SUMS",
          "build.json",
          `evald-${version}.cdx.json`,
          `evald-${version}.oci.tar`,
          `evald-${version}.tgz`,
          `evald-operator-${version}.tgz`,
          "install.yaml"
        ])
        const info = JSON.parse(readFileSync(join(first, "build.json"), "utf8")) as {
          readonly version: string
          readonly revision: string
          readonly image: { readonly digest: string; readonly platforms: ReadonlyArray<{ readonly digest: string }> }
        }
        assert.strictEqual(info.version, version)
        assert.strictEqual(info.revision, execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim())
        const layout = join(place, "layout")
        execFileSync("mkdir", [layout])
        execFileSync("tar", ["-xf", join(first, `evald-${version}.oci.tar`), "-C", layout])
        const top = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as {
          readonly manifests: ReadonlyArray<Descriptor>
        }
        assert.deepStrictEqual(
          top.manifests.map(({ digest }) => digest),
          [info.image.digest]
        )
        assert.deepStrictEqual(
          imagesOf(layout).map(({ digest }) => digest),
          info.image.platforms.map(({ digest }) => digest)
        )
        assert.strictEqual(info.image.digest, "missing" in image ? "" : image.made.digest)
        assert.strictEqual(
          readFileSync(join(first, "install.yaml"), "utf8"),
          readFileSync("deploy/install.yaml", "utf8")
        )
        const bill = JSON.parse(readFileSync(join(first, `evald-${version}.cdx.json`), "utf8")) as {
          readonly metadata: { readonly component: { readonly purl: string } }
        }
        assert.include(bill.metadata.component.purl, encodeURIComponent(info.image.digest))
        const packed = execFileSync("tar", ["-tzf", join(first, `evald-${version}.tgz`)], { encoding: "utf8" })
        assert.include(packed, "package/dist/evald.mjs\n")
        if (typeof helm === "string") {
          const template = (chart: string) =>
            execFileSync(helm, ["template", "evald-operator", chart, "--kube-version", "1.34.0"], {
              encoding: "utf8",
              maxBuffer: 1e8,
              env: { PATH: process.env["PATH"], HOME: "/nonexistent" }
            })
          assert.strictEqual(
            template(join(first, `evald-operator-${version}.tgz`)),
            template(resolve("deploy/helm/evald-operator"))
          )
        }
        assert.match(readFileSync(join(first, "CHANGES.md"), "utf8"), /^# evald \d+\.\d+\.\d+\n\n\d{4}-\d\d-\d\d\n/)
      }),
    makingMillis
  )

  it.scoped("a version is written wherever it stands, and a checkout with changes is refused", () =>
    Effect.gen(function* () {
      const clone = join(yield* tempDir, "clone")
      execFileSync("git", ["clone", "--quiet", "--shared", ".", clone])
      symlinkSync(resolve("node_modules"), join(clone, "node_modules"))
      const release = (...args: ReadonlyArray<string>) =>
        spawnSync(process.execPath, ["deploy/release.mjs", ...args], { cwd: clone, encoding: "utf8" })
      const wrong = release("--set=next")
      assert.deepStrictEqual([wrong.status, wrong.stdout], [1, ""])
      assert.include(wrong.stderr, "'next' is no version such as 0.2.0")
      const set = release("--set=9.8.7")
      assert.strictEqual(set.status, 0, set.stderr)
      const text = (path: string) => readFileSync(join(clone, path), "utf8")
      for (const path of [
        "package.json",
        "deploy/install.yaml",
        "deploy/helm/evald-operator/Chart.yaml",
        "docs/install.md"
      ])
        assert.include(text(path), "9.8.7", path)
      assert.notInclude(text("docs/install.md"), `evald:${version}`)
      assert.match(text("CHANGELOG.md"), /\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n/)
      assert.strictEqual(text("package-lock.json").split('"version": "9.8.7"').length - 1, 2)
      const refused = release()
      assert.strictEqual(refused.status, 1)
      assert.include(refused.stderr, "the checkout has changes: commit them, or make a draft")
    })
  )
})
