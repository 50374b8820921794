// One bundle per process, split into shared chunks, so that a process loads only what it needs: the sidecar carries no database driver.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { build } from "esbuild"
import { parse } from "yaml"

const { version } = JSON.parse(readFileSync("package.json", "utf8"))
const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" })
const gitHash = git.status === 0 ? git.stdout.trim() : "unknown"

const entries = readdirSync("interfaces/main").filter((name) => name.endsWith(".ts"))
rmSync("dist", { recursive: true, force: true })
const { warnings, metafile } = await build({
  entryPoints: entries.map((name) => `interfaces/main/${name}`),
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "linked",
  metafile: true,
  define: { __EVALD_VERSION__: JSON.stringify(version), __EVALD_GIT_HASH__: JSON.stringify(gitHash) },
  logLevel: "warning",
  external: ["better-sqlite3", "pg-native", "@parcel/watcher"],
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" }
})
chmodSync("dist/evald.mjs", 0o755)
mkdirSync("dist/bin")
symlinkSync("../evald.mjs", "dist/bin/evald") // the folder that local adapters find on their PATH
// the values of the shipped YAML files by content hash: parsing them is half of the start-up time
const parsed = {}
for (const folder of ["config/providers", "config/collections"]) {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(`${folder}/${name}`, "utf8")
    parsed[createHash("sha256").update(text).digest("hex")] = parse(text)
  }
}
writeFileSync("dist/parsed-definitions.json", JSON.stringify(parsed))
const bytes = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`built ${entries.length} entry points, ${(bytes / 1e6).toFixed(1)} MB with source maps, ${warnings.length} warnings`)
