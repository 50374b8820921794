// One bundle per process, split into shared chunks, so that a process loads only what it needs: the sidecar carries no database driver.
import { readdirSync, rmSync } from "node:fs"
import { build } from "esbuild"

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
  logLevel: "warning",
  external: ["better-sqlite3", "pg-native", "@parcel/watcher"],
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" }
})
const bytes = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`built ${entries.length} entry points, ${(bytes / 1e6).toFixed(1)} MB with source maps, ${warnings.length} warnings`)
