import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../support/evald-process.ts"

interface Listed {
  readonly image: string
  readonly pulled: string
  readonly pinned: boolean
  readonly usedBy: ReadonlyArray<string>
}

describe("evald images", () => {
  let folder = ""
  const digest = `sha256:${"ab".repeat(32)}`
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "evald-images-"))
    mkdirSync(join(folder, "providers"))
    writeFileSync(
      join(folder, "config.yaml"),
      [
        "images: {registry: mirror.example/m}",
        `runtime: {k8s: {image: "registry.example/evald@${digest}"}}`,
        'providers: {images: {garak: "quay.io/site/garak:2"}}'
      ].join("\n")
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("lists every image once: of the server, of each provider, with the site's own ones, and as pods pull them", async () => {
    const { code, stdout, stderr } = await run(["images", "-configdir", folder, "--json"])
    assert.strictEqual(code, 0, stderr)
    const images = JSON.parse(stdout) as ReadonlyArray<Listed>
    assert.deepInclude(images, {
      image: `registry.example/evald@${digest}`,
      pulled: `mirror.example/m/evald@${digest}`,
      pinned: true,
      usedBy: ["evald (sidecar, init container)", "evald"]
    })
    assert.deepInclude(images, {
      image: "quay.io/site/garak:2",
      pulled: "mirror.example/m/site/garak:2",
      pinned: false,
      usedBy: ["garak"]
    })
    assert.isTrue(images.every(({ pulled }) => pulled.startsWith("mirror.example/m/")))
    assert.isTrue(images.some(({ usedBy }) => usedBy.includes("lm_evaluation_harness")))
    assert.lengthOf(new Set(images.map(({ image }) => image)), images.length)
  })

  it("says in words what is not pinned; a setting that is no registry is refused with its name", async () => {
    const { stdout } = await run(["images", "-configdir", folder])
    assert.match(
      stdout,
      /quay\.io\/site\/garak:2\n {2}pulled as mirror\.example\/m\/site\/garak:2\n {2}for garak; no digest/
    )
    writeFileSync(join(folder, "config.yaml"), 'images: {registry: "https://mirror.example/"}')
    const { code, stderr } = await run(["images", "-configdir", folder])
    assert.strictEqual(code, 78)
    assert.match(stderr, /images\.registry: expected a registry as it begins a reference/)
  })
})
