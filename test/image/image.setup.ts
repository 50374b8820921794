/** Makes the image once for all tests of a run, as a user would, and unpacks it; without it they are skipped, loudly, or fail when EVALD_REQUIRE_IMAGE=1. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"
import { namespaceProblem } from "../support/image/image-process.ts"
import { type MadeImage, ownArchitecture, unpack } from "../support/image/image-root.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** or why there is none */
    readonly image:
      | { readonly folder: string; readonly root: string; readonly made: MadeImage }
      | { readonly missing: string }
    /** why no process can be started in it here */
    readonly noNamespaces: string | undefined
  }
}

const isRequired = process.env["EVALD_REQUIRE_IMAGE"] === "1"
const say = (text: string) => process.stderr.write(`${text}\n`)

export default (project: TestProject): (() => void) | undefined => {
  const noNamespaces = namespaceProblem()
  project.provide("noNamespaces", noNamespaces)
  if (noNamespaces !== undefined) {
    if (isRequired) throw new Error(`EVALD_REQUIRE_IMAGE=1, and nothing of the image can be run here: ${noNamespaces}`)
    say(`\nSKIPPED: every test that runs something from the image, because ${noNamespaces}\n`)
  }
  const folder = resolve(".cache/image")
  const before = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ["deploy/image.mjs", `--out=${folder}`], {
    encoding: "utf8",
    maxBuffer: 1e8
  })
  if (status !== 0) {
    const missing = `the image cannot be made here: ${stderr.trim().slice(-1500)}`
    if (isRequired) throw new Error(`EVALD_REQUIRE_IMAGE=1, and ${missing}`)
    say(`\nSKIPPED: every test of the image, because ${missing}\n`)
    project.provide("image", { missing })
    return undefined
  }
  const made = JSON.parse(readFileSync(join(folder, "image.json"), "utf8")) as MadeImage
  for (const arch of made.skipped) say(`SKIPPED: the image for ${arch}: ${stderr.match(/SKIPPED: .*/g)?.join("; ")}`)
  say(`image ${made.digest} after ${((performance.now() - before) / 1000).toFixed(1)} s`)
  const place = mkdtempSync(join(tmpdir(), "evald-image-"))
  // the image's user looks into it
  chmodSync(place, 0o755)
  const root = join(place, "root")
  unpack(join(folder, "oci"), root, ownArchitecture)
  project.provide("image", { folder, root, made })
  return () => rmSync(place, { recursive: true, force: true })
}
