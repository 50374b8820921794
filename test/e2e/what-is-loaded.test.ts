/** What a process reads before it does anything is most of its start. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

/** the bundles that are read with this one, and the script that it runs; those it imports when asked are not */
const readWith = (entry: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(entry)) return seen
  seen.add(entry)
  for (const [, next] of readFileSync(`dist/${entry}`, "utf8").matchAll(/(?:from|import|new URL\()\s*"\.\/([^"]+)"/g))
    if (next !== undefined) readWith(next, seen)
  return seen
}

/** the files that each bundle is made of */
const inputs = Object.entries(
  JSON.parse(readFileSync("dist/.inputs.json", "utf8")) as { readonly [bundle: string]: ReadonlyArray<string> }
)
const bundlesWith = (path: string) =>
  inputs.flatMap(([bundle, files]) => (files.some((file) => file.includes(path)) ? [bundle] : []))

describe("what exports traces", () => {
  it("is in a bundle of its own, which no process reads at its start", () => {
    const bundles = bundlesWith("node_modules/@effect/opentelemetry/").map((bundle) => bundle.replace("dist/", ""))
    assert.isAbove(bundles.length, 0)
    for (const entry of readdirSync("dist").filter((name) =>
      existsSync(`interfaces/main/${name.replace(/mjs$/, "ts")}`)
    ))
      assert.deepStrictEqual(
        bundles.filter((bundle) => readWith(entry).has(bundle)),
        [],
        entry
      )
  })
  it("brings none of the OpenTelemetry packages that it names as its peers", () => {
    for (const peer of [
      "api",
      "resources",
      "sdk-logs",
      "sdk-metrics",
      "sdk-trace-base",
      "sdk-trace-node",
      "sdk-trace-web",
      "semantic-conventions",
      "core",
      "api-logs"
    ])
      assert.deepStrictEqual(bundlesWith(`node_modules/@opentelemetry/${peer}/`), [], peer)
  })
})

describe("libraries for one task", () => {
  it.each([
    ["ajv", "server.mjs"],
    ["ajv", "adapter.mjs"],
    ["fast-xml-parser", "server.mjs"],
    ["fast-xml-parser", "sidecar.mjs"],
    ["lru-cache", "sidecar.mjs"]
  ])("%s is not read with %s", (library, entry) => {
    const bundles = bundlesWith(`node_modules/${library}/`).map((bundle) => bundle.replace("dist/", ""))
    assert.isAbove(bundles.length, 0)
    assert.deepStrictEqual(
      bundles.filter((bundle) => readWith(entry).has(bundle)),
      []
    )
  })
})

describe("what libraries load for what is not used", () => {
  it.each([
    "node_modules/fast-check/",
    "node_modules/pure-rand/",
    "node_modules/tdigest/",
    "node_modules/prom-client/lib/cluster.js",
    "node_modules/prom-client/lib/pushgateway.js"
  ])("%s is in no bundle", (library) => assert.deepStrictEqual(bundlesWith(library), []))
})

describe("a server that starts", () => {
  it("does not read the documentation page's script, HTTP clients and database drivers that it may never use", () => {
    const texts = [...readWith("server.mjs")].map((name) => readFileSync(`dist/${name}`, "utf8"))
    for (const unneeded of ["SwaggerUIBundle", "UndiciError", "DataRowMessage"])
      assert.isFalse(
        texts.some((text) => text.includes(unneeded)),
        unneeded
      )
    assert.isBelow(
      texts.reduce((sum, text) => sum + text.length, 0),
      3_000_000
    )
  })
  it("reads one script, a byte for each letter: with any other letter each would take two", () => {
    const files = [...readWith("server.mjs")]
    assert.lengthOf(files, 2)
    for (const file of files) assert.notMatch(readFileSync(`dist/${file}`, "utf8"), /[^\0-\x7f]/, file)
  })
})

describe("the first program", () => {
  it("is one file: what it starts is read when it is asked for", () =>
    assert.deepStrictEqual([...readWith("evald.mjs")], ["evald.mjs"]))
})

describe("a sidecar that starts", () => {
  it("is one file of ASCII, with none of node's libraries that only some requests need and no way to require others", () => {
    assert.deepStrictEqual([...readWith("sidecar.mjs")], ["sidecar.mjs"])
    const text = readFileSync("dist/sidecar.mjs", "utf8")
    assert.notMatch(text, /[^\0-\x7f]/)
    assert.notInclude(text, "createRequire")
    const modules = new Set([...text.matchAll(/(?:from|import)\s*"node:([^"]+)"/g)].map(([, name]) => name))
    assert.isTrue(modules.has("http"))
    for (const late of ["crypto", "tls", "util", "v8", "zlib"]) assert.isFalse(modules.has(late), late)
  })
})

describe("a client command that starts", () => {
  it("reads 110 KB at most, and of node's own modules none that start processes, speak TLS or hold its fetch", () => {
    const texts = [...readWith("client-commands.mjs")].map((name) => readFileSync(`dist/${name}`, "utf8"))
    assert.isAtMost(
      texts.reduce((sum, text) => sum + text.length, 0),
      110_000
    )
    const modules = new Set(
      texts.flatMap((text) => [...text.matchAll(/(?:from|import)\s*"node:([^"]+)"/g)].map(([, name]) => name))
    )
    for (const slow of ["child_process", "readline", "readline/promises", "https", "tls", "http", "zlib"])
      assert.isFalse(modules.has(slow), slow)
  })
})
