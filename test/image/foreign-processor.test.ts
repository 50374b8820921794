/** The image for the other processor: of the same parts, its program and its compiled driver started under an emulator where one is installed. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import {
  blobOf,
  type ImageConfig,
  imagesOf,
  type Manifest,
  ownArchitecture,
  unpack
} from "../support/image/image-root.ts"
import { findProgram } from "../support/peer-process.ts"

const image = inject("image")
const foreign = ownArchitecture === "amd64" ? "arm64" : "amd64"
const emulator = `qemu-${foreign === "arm64" ? "aarch64" : "x86_64"}-static`
const isMade = !("missing" in image) && image.made.platforms.some(({ architecture }) => architecture === foreign)
const qemu = findProgram(emulator)

const why = !isMade
  ? `there is no image for ${foreign} here (apt-get install g++-aarch64-linux-gnu)`
  : qemu === undefined
    ? `${emulator} is not installed (apt-get install qemu-user-static)`
    : undefined
if (why !== undefined) {
  if (process.env["EVALD_REQUIRE_ARM64"] === "1") throw new Error(`EVALD_REQUIRE_ARM64=1, and ${why}`)
  process.stderr.write(`SKIPPED: starting the image for ${foreign}, because ${why}\n`)
}

describe.skipIf(!isMade)(`the image for ${foreign}`, () => {
  const layout = join("missing" in image ? "" : image.folder, "oci")
  let root = ""
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "evald-foreign-"))
    unpack(layout, root, foreign)
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it("shares the bundles with the other one, and says the same of itself", () => {
    const both = imagesOf(layout).map((one) => blobOf<Manifest>(layout, one))
    const configs = both.map(({ config }) => blobOf<ImageConfig>(layout, config).config)
    assert.lengthOf(both, 2)
    assert.strictEqual(both[0]?.layers.at(-1)?.digest, both[1]?.layers.at(-1)?.digest)
    assert.deepStrictEqual(configs[0], configs[1])
  })

  it("has programs of that processor only", () => {
    // the machine of an ELF file: 0x3e x86-64, 0xb7 aarch64
    for (const path of [
      "usr/local/bin/node",
      "bin/dash",
      "opt/evald/node_modules/better-sqlite3/build/Release/better_sqlite3.node"
    ])
      assert.strictEqual(readFileSync(join(root, path)).readUInt16LE(18), foreign === "arm64" ? 0xb7 : 0x3e, path)
  })

  it.skipIf(qemu === undefined)("starts, and its driver answers a query", () => {
    const node = (...args: ReadonlyArray<string>) =>
      execFileSync(qemu ?? "", ["-L", root, join(root, "usr/local/bin/node"), ...args], { encoding: "utf8" })
    assert.match(node(join(root, "opt/evald/dist/evald.mjs"), "version"), /^evald \d/)
    const driver = join(root, "opt/evald/node_modules/better-sqlite3")
    const query = `console.log(process.arch, new (require(${JSON.stringify(driver)}))(":memory:").prepare("select 42 as x").get().x)`
    assert.strictEqual(node("-e", query).trim(), `${foreign === "arm64" ? "arm64" : "x64"} 42`)
  })
})
