/** The image in a real registry, by a client of others: pushed, validated, pulled back; the bill of materials beside it. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { goTool } from "../support/go-tools/tools.ts"
import { blobOf, type Descriptor, imagesOf, type Manifest } from "../support/image/image-root.ts"
import { missingPrograms, startPeerProcess } from "../support/peer-process.ts"
import { tempDir } from "../support/temp-dir.ts"

const image = inject("image")
const crane = goTool("crane")
const missing = missingPrograms({ "docker-registry": "apt-get install docker-registry" })

const registry = Effect.gen(function* () {
  const dir = yield* tempDir
  const file = join(dir, "registry.yml")
  const { port } = yield* startPeerProcess("docker-registry", {
    arguments: (port) => {
      writeFileSync(
        file,
        `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${join(dir, "store")}\nhttp:\n  addr: 127.0.0.1:${port}\n`
      )
      return ["serve", file]
    }
  })
  return `127.0.0.1:${port}/evald`
})

const run = (...args: ReadonlyArray<string>): string => {
  const { status, stdout, stderr } = spawnSync(typeof crane === "string" ? crane : "", args, {
    encoding: "utf8",
    maxBuffer: 1e8
  })
  if (status !== 0) throw new Error(`crane ${args.join(" ")}: ${stderr}`)
  return stdout.trim()
}

const [imageBlock, billBlock, signBlock, checkBlock, copyBlock] = blocksRunBy(
  "test/image/registry.test.ts",
  "docs/install.md"
)

interface Shell {
  /** what the commands of a block print; they must succeed */
  readonly typed: (block: string | undefined) => string
  readonly attempt: (block: string) => {
    readonly status: number | null
    readonly stdout: string
    readonly stderr: string
  }
}

/** blocks of the page as somebody types them: with the page's registry, in a folder of their own, on the image that is there */
const shellIn = (dir: string, folder: string, repository: string): Shell => {
  const bin = join(dir, "bin")
  mkdirSync(bin)
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program("crane", `exec "${crane}" --insecure "$@"`)
  program("evald", `exec "${process.execPath}" "${resolve("dist/evald.mjs")}" "$@"`)
  // the set-up of this suite has made the image, by this very line; what is signed is the one in its folder
  program(
    "node",
    `[ "$*" = deploy/image.mjs ] && exit; cd "${process.cwd()}" && exec "${process.execPath}" "$@" --out="${folder}"`
  )
  const attempt: Shell["attempt"] = (block) =>
    spawnSync("bash", ["-euo", "pipefail", "-c", block], {
      cwd: dir,
      encoding: "utf8",
      maxBuffer: 1e8,
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }
    })
  return {
    attempt,
    typed: (block = "exit 99") => {
      const text = block
        .replaceAll("registry.example/evald", repository)
        .replaceAll("=evald.pem", `=${join(dir, "evald.pem")}`)
        .replaceAll(".cache/image", folder)
      const { status, stdout, stderr } = attempt(text)
      if (status !== 0) throw new Error(`${text}\nended with ${status}: ${stderr}`)
      return stdout.trim()
    }
  }
}

describe.skipIf("missing" in image || typeof crane !== "string" || missing.length > 0)(
  "the image in a registry",
  () => {
    const folder = "missing" in image ? "" : image.folder
    const layout = join(folder, "oci")
    const bill = () =>
      (
        JSON.parse(readFileSync(join(folder, "sbom", "index.json"), "utf8")) as {
          readonly manifests: ReadonlyArray<Descriptor>
        }
      ).manifests[0]
    const shell = (repository: string) => Effect.map(tempDir, (dir) => ({ dir, ...shellIn(dir, folder, repository) }))

    it.scopedLive("pushed as an index it is valid, and comes back with the digests that it went with", () =>
      Effect.gen(function* () {
        const { made } = "missing" in image ? { made: undefined } : image
        const repository = yield* registry
        const [, tag] = /registry\.example\/evald:(\S+)/.exec(imageBlock ?? "") ?? []
        const reference = `${repository}:${tag}`
        // every blob is fetched and compared with what the manifests say of it
        assert.include((yield* shell(repository)).typed(imageBlock), made?.digest ?? "nothing")
        assert.strictEqual(run("digest", "--insecure", reference), made?.digest)
        const back = join(yield* tempDir, "back")
        run("pull", "--insecure", "--format=oci", reference, back)
        const returned = JSON.parse(readFileSync(join(back, "index.json"), "utf8")) as {
          readonly manifests: ReadonlyArray<Descriptor>
        }
        assert.deepStrictEqual(
          returned.manifests.map(({ digest }) => digest),
          [made?.digest]
        )
        for (const { digest } of imagesOf(layout)) {
          const there = blobOf<Manifest>(layout, { digest })
          assert.deepStrictEqual(blobOf<Manifest>(back, { digest }), there)
          for (const blob of [there.config, ...there.layers])
            assert.deepStrictEqual(
              readFileSync(join(back, "blobs", blob.digest.replace(":", "/"))),
              readFileSync(join(layout, "blobs", blob.digest.replace(":", "/")))
            )
        }
      })
    )

    it.scopedLive(
      "the bill of materials is found beside it by the digest of the image, in a registry without an API for that",
      () =>
        Effect.gen(function* () {
          const repository = yield* registry
          const { digest = "" } = "missing" in image ? {} : image.made
          run("push", "--insecure", layout, `${repository}:1`)
          const found = (yield* shell(repository)).typed(billBlock)
          const entry = bill()
          const { host } = new URL(`http://${repository}`)
          const api = yield* Effect.promise(() => fetch(`http://${host}/v2/evald/referrers/${digest}`))
          assert.strictEqual(api.status, 404)
          const referrers = JSON.parse(found.slice(found.indexOf("{"))) as {
            readonly manifests: ReadonlyArray<Descriptor & { readonly artifactType: string }>
          }
          assert.deepStrictEqual(
            referrers.manifests.map((one) => [one.artifactType, one.digest]),
            [["application/vnd.cyclonedx+json", entry?.digest ?? ""]]
          )
          const manifest = JSON.parse(run("manifest", "--insecure", `${repository}@${entry?.digest}`)) as Manifest
          assert.strictEqual(manifest.subject?.digest, digest)
          const document = run("blob", "--insecure", `${repository}@${manifest.layers[0]?.digest}`)
          assert.strictEqual(document, readFileSync(join(folder, "evald.cdx.json"), "utf8").trim())
        })
    )

    it.scopedLive(
      "the signature is made, pushed beside it and checked by the commands of the page; another image has none",
      () =>
        Effect.gen(function* () {
          const repository = yield* registry
          const { digest = "" } = "missing" in image ? {} : image.made
          const { typed, attempt } = yield* shell(repository)
          typed(
            "openssl genpkey -algorithm ed25519 -out evald.pem; openssl pkey -in evald.pem -pubout -out evald.pub.pem"
          )
          run("push", "--insecure", layout, `${repository}:0.1.0`)
          typed(billBlock)
          typed(signBlock)
          const checked = typed(checkBlock)
          assert.include(checked, "verified evald\n")
          assert.include(checked, digest.replace("sha256:", "sha256   "))
          // the bill of materials is still beside it
          const referrers = JSON.parse(run("manifest", "--insecure", `${repository}:${digest.replace(":", "-")}`)) as {
            readonly manifests: ReadonlyArray<{ readonly artifactType: string }>
          }
          assert.sameMembers(
            referrers.manifests.map(({ artifactType }) => artifactType),
            ["application/vnd.cyclonedx+json", "application/vnd.dsse.envelope.v1+json"]
          )
          const other = attempt(
            `evald verify --key evald.pub.pem --digest sha256:${"0".repeat(64)} image-signature.json`
          )
          assert.strictEqual(other.status, 1)
          assert.include(other.stderr, `it is about ${digest}`)
        })
    )

    it.scopedLive(
      "every image that pods may pull is copied into a site's own registry by the page's line, digest by digest",
      () =>
        Effect.gen(function* () {
          const outside = yield* registry
          const inside = (yield* registry).replace("/evald", "/mirror")
          const { dir, typed } = yield* shell(outside)
          run("push", "--insecure", layout, `${outside}:0.1.0`)
          const frameworks = `${outside.replace("/evald", "")}/frameworks`
          const others = readdirSync("config/providers")
            .map((name) => name.replace(".yaml", ""))
            .filter((id) => id !== "evald")
          const [first = "", ...rest] = others.map((id) => `${frameworks}:${id}`)
          run("copy", "--insecure", `${outside}:0.1.0`, first)
          for (const reference of rest) run("copy", "--insecure", first, reference)
          mkdirSync(join(dir, "site"))
          writeFileSync(
            join(dir, "site", "config.yaml"),
            JSON.stringify({
              images: { registry: inside },
              runtime: { k8s: { image: `${outside}:0.1.0` } },
              providers: { images: Object.fromEntries(others.map((id) => [id, `${frameworks}:${id}`])) }
            })
          )
          typed(copyBlock)
          const images = JSON.parse(typed("evald images -configdir site --json")) as ReadonlyArray<{
            readonly image: string
            readonly pulled: string
          }>
          assert.lengthOf(images, others.length + 1)
          for (const { image, pulled } of images) {
            assert.isTrue(pulled.startsWith(inside), pulled)
            assert.strictEqual(run("digest", "--insecure", pulled), run("digest", "--insecure", image))
          }
        })
    )
  }
)
