/** A program of the tests as one file, inside the project, so that the database driver is found. */
import { build } from "esbuild"

export const bundleProgram = (entry: string, outfile: string): Promise<unknown> =>
  build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["better-sqlite3", "pg-native"],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
    },
    logLevel: "error"
  })
