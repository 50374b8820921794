/** What container engines read, which none of the tests has: held to the image that was made. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { blobOf, type ImageConfig, imagesOf, type Manifest, ownArchitecture } from "../support/image/image-root.ts"
import { tempDir } from "../support/temp-dir.ts"

const image = inject("image")
const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))

describe("the Dockerfile", () => {
  it.skipIf("missing" in image)(
    "case 16: gives user, path, port and commands of the image itself, and has ten lines at most",
    () => {
      const layout = join("missing" in image ? "" : image.folder, "oci")
      const [one = { digest: "" }] = imagesOf(layout)
      const { config } = blobOf<ImageConfig>(layout, blobOf<Manifest>(layout, one).config)
      const lines = linesOf("deploy/image/Dockerfile")
      assert.isAtMost(lines.length, 10)
      for (const line of [
        "FROM scratch",
        `USER ${config.User}`,
        `ENV ${config.Env[0]}`,
        `WORKDIR ${config.WorkingDir}`,
        `ENTRYPOINT ${JSON.stringify(config.Entrypoint)}`,
        `CMD ${JSON.stringify(config.Cmd)}`
      ])
        assert.include(lines, line)
      assert.match(config.User, /^[1-9]\d*:\d+$/)
      for (const line of lines) assert.notMatch(line, /latest|^ADD|SECRET|TOKEN|PASSWORD|API_KEY/)
    }
  )

  it.scoped.skipIf("missing" in image)("copies folders that --rootfs makes", () =>
    Effect.gen(function* () {
      const out = yield* tempDir
      execFileSync(process.execPath, ["deploy/image.mjs", "--rootfs", `--arch=${ownArchitecture}`, `--out=${out}`], {
        stdio: "ignore"
      })
      for (const line of linesOf("deploy/image/Dockerfile").filter((text) => text.startsWith("COPY"))) {
        const from =
          line
            .replace(/\$\{TARGETARCH\}/, ownArchitecture)
            .split(" ")
            .at(-2) ?? ""
        assert.isTrue(existsSync(join(out, "rootfs", from)), line)
      }
      assert.strictEqual(statSync(join(out, "rootfs", ownArchitecture, "tmp")).mode & 0o7777, 0o1777)
      assert.isTrue(existsSync(join(out, "rootfs", ownArchitecture, "opt/evald/dist/evald.mjs")))
    })
  )
})

describe("the pattern for images of frameworks", () => {
  it("runs as the image's user, pins what it fetches, takes from the image what is there, and passes no secret", () => {
    const lines = linesOf("deploy/image/lm-eval.Containerfile")
    assert.include(lines, "USER 65532:0")
    for (const line of lines) {
      assert.notMatch(line, /latest|SECRET|TOKEN|PASSWORD|API_KEY/)
      const [, from] = /^COPY --from=evald (\S+)/.exec(line) ?? []
      if (from !== undefined && !("missing" in image)) assert.isTrue(existsSync(join(image.root, from)), line)
    }
    const frameworks = readFileSync("test/support/peer-environments.ts", "utf8")
    const [pin = "no pin"] = /lm-eval\[api\]==[\d.]+/.exec(lines.join("\n")) ?? []
    assert.include(frameworks, pin)
  })
})
