/**
 * Programs of others that a test compares with, each compiled once per machine from published Go modules (`go.mod` beside this file) and
 * kept in the user's cache folder under the digest of everything that decides its content. Without Go there are none:
 * `EVALD_REQUIRE_TOOLS=1` makes that a failure.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Modules that share many dependencies have one go.mod. `source`: a main program of ours, which the module does not publish as one; `tags`:
 * what of it is compiled.
 */
interface Source {
  readonly package: string
  readonly modules: string
  readonly source?: string
  readonly tags?: string
}

const packages = {
  crane: { package: "github.com/google/go-containerregistry/cmd/crane", modules: "." },
  "compose-project": { package: "./compose", modules: ".", source: "compose/main.go" },
  helm: { package: "helm.sh/helm/v3/cmd/helm", modules: "kubernetes" },
  kubectl: { package: "./kubectl", modules: "kubernetes", source: "kubectl/main.go" },
  // without the clients of every cloud, which find targets
  promtool: { package: "github.com/prometheus/prometheus/cmd/promtool", modules: "prometheus", tags: "remove_all_sd" }
} as const satisfies { readonly [tool: string]: Source }
export type GoTool = keyof typeof packages
export const goTools = Object.keys(packages) as ReadonlyArray<GoTool>

const settings = { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" }
const usualFlags = ["-trimpath", "-ldflags", "-s -w"]

/** path of the program, compiled when need be; `root`: the folder of this file, when it was bundled to another place */
const compiled = (tool: GoTool, root: string): string | { readonly missing: string } => {
  const { package: path, modules: folderOfModules, source, tags }: Source = packages[tool]
  const flags = tags === undefined ? usualFlags : [...usualFlags, "-tags", tags]
  const modules = join(root, folderOfModules)
  const go = spawnSync("go", ["version"], { encoding: "utf8" })
  if (go.status !== 0) return { missing: "Go is not installed" }
  const decisive = [
    go.stdout,
    ...["go.mod", "go.sum", ...(source === undefined ? [] : [source])].map((name) =>
      readFileSync(join(modules, name), "utf8")
    )
  ]
  const stamp = createHash("sha256")
    .update(JSON.stringify([decisive, settings, flags, path]))
    .digest("hex")
  const folder = join(
    process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
    "evald",
    "go-tools",
    stamp.slice(0, 16)
  )
  const program = join(folder, tool)
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, ".build-"))
  try {
    process.stderr.write(`compiling ${tool} for the tests (once on this machine) …\n`)
    execFileSync("go", ["build", ...flags, "-o", join(scratch, tool), path], {
      cwd: modules,
      env: { ...process.env, ...settings },
      stdio: ["ignore", "inherit", "inherit"]
    })
    renameSync(join(scratch, tool), program)
    return program
  } catch (error) {
    return { missing: `${tool} does not compile: ${error instanceof Error ? error.message : "unknown reason"}` }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** path of the program; else why there is none, said aloud */
export const goTool = (
  tool: GoTool,
  root: string = dirname(fileURLToPath(import.meta.url))
): string | { readonly missing: string } => {
  const found = compiled(tool, root)
  if (typeof found === "string") return found
  if (process.env["EVALD_REQUIRE_TOOLS"] === "1") throw new Error(`EVALD_REQUIRE_TOOLS=1, and ${found.missing}`)
  process.stderr.write(`SKIPPED: what needs ${tool}, because ${found.missing}\n`)
  return found
}
