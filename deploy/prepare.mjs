// Bundles test/preparation.ts and runs it.
import { spawnSync } from "node:child_process"
import { build } from "esbuild"

await build({
  entryPoints: ["test/preparation.ts"],
  outfile: ".cache/preparation.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning"
})
process.exit(spawnSync(process.execPath, [".cache/preparation.mjs"], { stdio: "inherit" }).status ?? 1)
