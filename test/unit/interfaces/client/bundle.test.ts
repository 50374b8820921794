import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { assert, describe, it } from "vitest"
import { operations } from "../../../../interfaces/client/operations.ts"
import { apiRoutes } from "../../../../interfaces/http/api.ts"

/** bytes that a page or a command line pays for the client */
const largest = 4096

describe("the client without the Effect runtime", () => {
  it("weighs at most 4 KB compressed, and nothing but its own two files is in it", async () => {
    const { outputFiles, metafile } = await build({
      ...{
        entryPoints: ["interfaces/client/client.ts"],
        bundle: true,
        minify: true,
        format: "esm",
        platform: "browser"
      },
      ...{ target: "es2022", write: false, metafile: true, logLevel: "silent" }
    })
    assert.sameMembers(Object.keys(metafile.inputs), ["interfaces/client/client.ts", "interfaces/client/operations.ts"])
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length
    assert.isAtMost(bytes, largest)
  })

  it("has a row for every operation, with method, path, query and codes of the contract (npm run docs writes it)", () => {
    const rows = apiRoutes().map(({ name, method, path, query, codes }) => [
      name,
      { method, path, query: query.join(" "), codes: [...new Set(codes)].sort() }
    ])
    const written = Object.entries(operations).map(([name, [method, path, query, , codes]]) => [
      name,
      { method, path, query, codes: codes.split(" ").sort() }
    ])
    assert.deepStrictEqual(Object.fromEntries(written), Object.fromEntries(rows))
  })
})
