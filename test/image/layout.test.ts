/** What the image is made of: the same bytes every time, small, nothing that does not belong there. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import {
  blobOf,
  blobPath,
  type Descriptor,
  type ImageConfig,
  imagesOf,
  type Manifest
} from "../support/image/image-root.ts"
import { tempDir } from "../support/temp-dir.ts"

const image = inject("image")

describe.skipIf("missing" in image)("the layout of the image", () => {
  const { folder, root, made } = "missing" in image ? { folder: "", root: "", made: undefined } : image
  const layout = join(folder, "oci")
  const filesOf = (from: string): ReadonlyArray<string> =>
    readdirSync(from, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(from, join(entry.parentPath, entry.name)))
      .sort()
  const each = (look: (manifest: Manifest, config: ImageConfig, image: Descriptor) => void) => {
    for (const one of imagesOf(layout)) {
      const manifest = blobOf<Manifest>(layout, one)
      look(manifest, blobOf<ImageConfig>(layout, manifest.config), one)
    }
  }

  it.scoped("made a second time it has the same bytes, in every file of the layout", () =>
    Effect.gen(function* () {
      const again = yield* tempDir
      execFileSync(process.execPath, ["deploy/image.mjs", `--out=${again}`], { stdio: "ignore" })
      const digests = (from: string) =>
        filesOf(from).map(
          (name) =>
            `${name} ${createHash("sha256")
              .update(readFileSync(join(from, name)))
              .digest("hex")}`
        )
      assert.isAbove(digests(layout).length, 6)
      for (const one of ["oci", "sbom"])
        assert.deepStrictEqual(digests(join(again, one)), digests(join(folder, one)), one)
    })
  )

  it("every blob has the digest and size of its name, every layer the digest that the configuration says of it unpacked", () => {
    for (const name of readdirSync(join(layout, "blobs", "sha256")))
      assert.strictEqual(
        createHash("sha256")
          .update(readFileSync(join(layout, "blobs", "sha256", name)))
          .digest("hex"),
        name
      )
    each((manifest, config) => {
      for (const { digest, size } of [manifest.config, ...manifest.layers])
        assert.strictEqual(statSync(blobPath(layout, digest)).size, size)
      const unpacked = manifest.layers.map(
        ({ digest }) =>
          `sha256:${createHash("sha256")
            .update(gunzipSync(readFileSync(blobPath(layout, digest))))
            .digest("hex")}`
      )
      assert.deepStrictEqual(config.rootfs.diff_ids, unpacked)
    })
  })

  it("compressed it is at most 60 MB for each processor", () => {
    each((manifest) =>
      assert.isAtMost(
        manifest.layers.reduce((sum, { size }) => sum + size, 0),
        60e6
      )
    )
  })

  it("user, entry point, labels, times and history are said, the time is that of the commit", () => {
    const time = execFileSync("git", ["log", "-1", "--format=%ct"], { encoding: "utf8" })
    const created = new Date(Number(time) * 1000).toISOString().replace(".000Z", "Z")
    const revision = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim()
    each((manifest, { config, history, ...rest }, { platform }) => {
      assert.strictEqual(config.User, "65532:0")
      assert.deepStrictEqual([...config.Entrypoint, ...config.Cmd], ["evald", "server"])
      assert.strictEqual(config.Labels["org.opencontainers.image.revision"], revision)
      assert.strictEqual(config.Labels["org.opencontainers.image.version"], made?.version)
      assert.strictEqual(rest.created, created)
      assert.strictEqual(rest.architecture, platform?.architecture)
      assert.lengthOf(history, manifest.layers.length)
      for (const { created_by, created: at } of history) {
        assert.strictEqual(at, created)
        assert.match(created_by, /\d/)
      }
      assert.isEmpty(config.Env.filter((text) => /SECRET|TOKEN|PASSWORD|KEY/.test(text)))
    })
  })

  it("everything belongs to root but the folder for data, has one time, and nothing can be written by others or raises rights", () => {
    each((manifest) => {
      for (const { digest } of manifest.layers) {
        const list = execFileSync("tar", ["--numeric-owner", "--full-time", "-tvzf", blobPath(layout, digest)], {
          encoding: "utf8",
          maxBuffer: 1e8,
          env: { ...process.env, TZ: "UTC" }
        })
        for (const line of list.trim().split("\n")) {
          const [mode = "", owner, , date, time, path] = line.split(/\s+/)
          const isOwn = path === "var/lib/evald/"
          assert.strictEqual(`${owner} ${date} ${time}`, `${isOwn ? "65532/0" : "0/0"} 1970-01-01 00:00:00`, line)
          if (path !== "tmp/" && !isOwn && !mode.startsWith("l")) assert.match(mode, /^.rw.r-.r-.$/, line)
          assert.notMatch(mode, /s/i, line)
        }
      }
    })
  })

  it("no package manager, compiler, source, test or map is in it", () => {
    const files = filesOf(root)
    assert.include(files, "opt/evald/dist/evald.mjs")
    assert.include(files, "opt/evald/config/providers/evald.yaml")
    assert.deepStrictEqual(
      files.filter((path) =>
        /(^|\/)(npm|npx|corepack|apt|dpkg|gcc|cc|make)$|\.(ts|map|cpp|h|o|a)$|(^|\/)tests?\//.test(path)
      ),
      []
    )
  })

  it("whatever its programs and libraries link is there", () => {
    const files = filesOf(root)
    const names = new Set(files.map((path) => path.split("/").at(-1)))
    const binaries = files.filter((path) => {
      const state = lstatSync(join(root, path))
      if (!state.isFile() || state.size < 4) return false
      return readFileSync(join(root, path)).subarray(0, 4).equals(Buffer.from("\u007fELF", "latin1"))
    })
    assert.isAbove(binaries.length, 15)
    const linked = binaries.flatMap((path) => {
      const text = execFileSync("readelf", ["--dynamic", join(root, path)], { encoding: "utf8" })
      return [...text.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = ""]) => ({ path, name }))
    })
    assert.deepStrictEqual(
      linked.filter(({ name }) => !names.has(name)),
      []
    )
    for (const path of files.filter((one) => lstatSync(join(root, one)).isSymbolicLink())) {
      const target = readlinkSync(join(root, path))
      assert.isTrue(
        lstatSync(target.startsWith("/") ? join(root, target) : join(root, path, "..", target)).isFile(),
        path
      )
    }
  })
})
