// The bill of materials of the image, CycloneDX 1.6: what each file of its layers comes from. Serial and time are those of the image, so
// that the document is the same for the same commit.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { lock, sha256 } from "./machine.mjs"

const locked = JSON.parse(readFileSync("package-lock.json", "utf8")).packages

/** folder below node_modules of a file of a package, nested ones included */
const packageFolder = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]

const npmPurl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`

const occurrences = (paths) => ({ evidence: { occurrences: [...paths].sort().map((location) => ({ location })) } })

const licenseOf = ({ license }) =>
  typeof license !== "string"
    ? {}
    : { licenses: /[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }] }

const npmComponent = (folder, paths) => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const { name, version } = manifest
  const purl = npmPurl(name, version)
  const integrity = /^sha512-(.*)$/.exec(locked[folder]?.integrity ?? "")?.[1]
  const hashes =
    integrity === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity, "base64").toString("hex") }] }
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...hashes,
    ...licenseOf(manifest),
    ...occurrences(paths)
  }
}

/** `…/dist/ui/assets/main.js` → `ui/assets/main.js` */
const belowDist = (bundle) => bundle.replace(/^(?:.*\/)?dist\//, "")

/** the packages that the bundles are made of, each with the bundles that hold some of it; `inputs`: bundle → its source files */
const bundled = (inputs) => {
  const bundles = new Map()
  for (const [bundle, files] of Object.entries(inputs))
    for (const folder of files.map(packageFolder).filter((found) => found !== undefined))
      bundles.set(folder, (bundles.get(folder) ?? new Set()).add(`opt/evald/dist/${belowDist(bundle)}`))
  return [...bundles]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, paths]) => npmComponent(folder, paths))
}

const debianComponent = (arch, { name, version, sha256: hash, entries }) => {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-12`
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    hashes: [{ alg: "SHA-256", content: hash }],
    ...occurrences(entries.map(({ path }) => path))
  }
}

const nodeComponent = (arch, entries) => {
  const { package: name } = lock.node[arch]
  const purl = npmPurl(name, lock.node.version)
  const program = entries.find(({ path }) => path.endsWith("/node"))
  return {
    type: "platform",
    "bom-ref": purl,
    name: "node",
    version: lock.node.version,
    purl,
    cpe: `cpe:2.3:a:nodejs:node.js:${lock.node.version}:*:*:*:*:*:*:*`,
    // of the file in the image, which holds less than the published one: what only a debugger reads was taken out
    hashes: [{ alg: "SHA-256", content: sha256(program.data) }],
    ...occurrences(entries.map(({ path }) => path))
  }
}

/** the shape of a UUID, from a digest */
const uuidOf = (digest) => {
  const hex = sha256(digest).slice(0, 32)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * `made`: digest, version and time of the image; `parts`: for each processor its Debian packages and the entries of Node.js and of the
 * driver; `own`: entries that are evald's, or were made here.
 */
export const billOf = ({ made, dist, parts, own, license }) => {
  const inputs = JSON.parse(readFileSync(join(dist, ".inputs.json"), "utf8"))
  const modules = new Map()
  for (const { driver } of parts)
    for (const { path } of driver) {
      const folder = packageFolder(path).replace("opt/evald/", "")
      modules.set(folder, (modules.get(folder) ?? new Set()).add(path))
    }
  const purl = `pkg:oci/evald@${encodeURIComponent(made.digest)}?tag=${made.version}`
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(made.digest)}`,
    version: 1,
    metadata: {
      timestamp: made.created,
      component: { type: "container", "bom-ref": purl, name: "evald", version: made.version, purl }
    },
    components: [
      {
        type: "application",
        "bom-ref": `pkg:generic/evald@${made.version}`,
        name: "evald",
        version: made.version,
        purl: `pkg:generic/evald@${made.version}?vcs_revision=${made.revision}`,
        ...licenseOf({ license }),
        ...occurrences(new Set(own.map(({ path }) => path)))
      },
      ...parts.flatMap(({ arch, packages, node }) => [
        ...packages.map((one) => debianComponent(arch, one)),
        nodeComponent(arch, node)
      ]),
      ...[...modules].map(([folder, paths]) => npmComponent(folder, paths)),
      ...bundled(inputs)
    ]
  }
}
