// Makes the image of evald as an OCI layout, without a container engine: the same bytes for the same commit. Usage:
//   node deploy/image.mjs [--out=.cache/image] [--arch=amd64,arm64]
//   node deploy/image.mjs --rootfs     writes the unpacked layers too, below rootfs/: what deploy/image/Dockerfile copies
//   node deploy/image.mjs --sign=KEY   signs the image that was made before, with a private key, and puts the signature beside it
//   node deploy/image.mjs --pin        writes the Debian packages that this machine's sources have now into deploy/image/lock.json
// Needs npm, apt-get, dpkg-deb, gzip, strip, a C++ compiler and Python; parts that were made before need none of them but gzip.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { currentPins, debianPackages, machineFiles } from "./image/debian.mjs"
import { lock, processors, run } from "./image/machine.mjs"
import { driverEntries, driverModules, missingFor, nodeEntries } from "./image/node.mjs"
import { layoutIn, writeImage, writeIndex, writeReferrer } from "./image/oci.mjs"
import { billOf } from "./image/sbom.mjs"
import { file, filesBelow, folder } from "./image/tar.mjs"

const say = (text) => process.stderr.write(`${text}\n`)
const { values } = parseArgs({
  options: {
    out: { type: "string", default: ".cache/image" },
    arch: { type: "string", default: Object.keys(processors).join(",") },
    rootfs: { type: "boolean", default: false },
    sign: { type: "string" },
    pin: { type: "boolean", default: false }
  }
})

const { version, description, license } = JSON.parse(readFileSync("package.json", "utf8"))

/** the bundles without what only a developer reads */
const bundleEntries = (dist) => [
  ...filesBelow(dist, "opt/evald/dist", (path) => !path.endsWith(".map") && !path.includes("/dist/.")),
  ...["providers", "collections"].flatMap((kind) => filesBelow(`config/${kind}`, `opt/evald/config/${kind}`)),
  ...["auth.yaml", "config.yaml"].map((name) => file(`opt/evald/config/${name}`, readFileSync(`config/${name}`))),
  file("opt/evald/LICENSE", readFileSync("LICENSE")),
  file("opt/evald/package.json", JSON.stringify({ name: "evald", version, type: "module" }))
]

const git = (...args) => run("git", args).toString().trim()
/** the time of the commit: an image of today and one of tomorrow are the same */
const createdAt = () =>
  new Date(Number(process.env.SOURCE_DATE_EPOCH ?? git("log", "-1", "--format=%ct")) * 1000)
    .toISOString()
    .replace(".000Z", "Z")

const config = {
  User: "65532:0",
  ExposedPorts: { "8080/tcp": {} },
  Env: ["PATH=/opt/evald/dist/bin:/usr/local/bin:/usr/bin:/bin"],
  Entrypoint: ["evald"],
  Cmd: ["server"],
  WorkingDir: "/"
}

/** what an image is made of that depends on the processor */
const partsFor = (arch) => {
  const packages = debianPackages(arch)
  const machine = machineFiles(packages.flatMap(({ entries }) => entries))
  return { arch, packages, machine, node: nodeEntries(arch), driver: driverEntries(arch) }
}

const layersOf = ({ arch, packages, machine, node, driver }, bundles) => [
  {
    madeBy: `Debian: ${packages.map(({ name, version }) => `${name} ${version}`).join(", ")}`,
    // a volume takes the owner of the folder that it is mounted on
    entries: [
      ...packages.flatMap(({ entries }) => entries),
      ...machine,
      folder("tmp", 0o1777),
      folder("etc/evald"),
      folder("var/lib/evald", 0o770, 65532)
    ]
  },
  { madeBy: `Node.js ${lock.node.version}: ${lock.node[arch].package}`, entries: node },
  { madeBy: `npm: ${driverModules.map(({ name, version }) => `${name} ${version}`).join(", ")}`, entries: driver },
  { madeBy: `evald ${version}: bundles and definitions`, entries: bundles }
]

const platformOf = (arch) => {
  const { variant } = processors[arch]
  return { architecture: arch, os: "linux", ...(variant === undefined ? {} : { variant }) }
}

/** the bill of materials as a file, and as a layout of its own that a registry keeps beside the image */
const writeBill = (out, index, bill) => {
  const bytes = JSON.stringify(bill, null, 1)
  writeFileSync(join(out, "evald.cdx.json"), bytes)
  const layout = layoutIn(join(out, "sbom"))
  const annotations = { "org.opencontainers.image.created": bill.metadata.timestamp }
  layout.finish(writeReferrer(layout, { subject: index, type: "application/vnd.cyclonedx+json", bytes, annotations }))
}

/** the signature of the image in `out` as a file, and as a layout of its own that a registry keeps beside the image */
const writeSignature = (out, key) => {
  const [index] = JSON.parse(readFileSync(join(out, "oci", "index.json"), "utf8")).manifests
  const { created } = JSON.parse(readFileSync(join(out, "image.json"), "utf8"))
  const bytes = run(process.execPath, [join(out, "dist", "evald.mjs"), "sign", "--key", key, index.digest]).toString()
  writeFileSync(join(out, "signature.json"), bytes)
  const layout = layoutIn(join(out, "signature"))
  const annotations = { "org.opencontainers.image.created": created }
  layout.finish(
    writeReferrer(layout, { subject: index, type: "application/vnd.dsse.envelope.v1+json", bytes, annotations })
  )
}

/** the root file systems, as a container engine would make them of the layers */
const writeRoots = (out, images) => {
  rmSync(join(out, "rootfs"), { recursive: true, force: true })
  const blob = ({ digest }) => join(out, "oci", "blobs", digest.replace(":", "/"))
  for (const image of images) {
    const root = join(out, "rootfs", image.platform.architecture)
    mkdirSync(root, { recursive: true })
    for (const layer of JSON.parse(readFileSync(blob(image), "utf8")).layers)
      run("tar", ["-xzpf", blob(layer), "--no-same-owner", "-C", root])
  }
}

const make = (out, wanted) => {
  mkdirSync(out, { recursive: true })
  const dist = join(out, "dist")
  say(run(process.execPath, ["deploy/build.mjs", dist]).toString().trim())
  const created = createdAt()
  const revision = git("rev-parse", "HEAD")
  const labels = {
    "org.opencontainers.image.title": "evald",
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": revision,
    "org.opencontainers.image.created": created,
    "org.opencontainers.image.licenses": license
  }
  const layout = layoutIn(join(out, "oci"))
  const bundles = bundleEntries(dist)
  const parts = wanted.map(partsFor)
  const images = parts.map((part) =>
    writeImage(layout, { platform: platformOf(part.arch), created, labels, config, layers: layersOf(part, bundles) })
  )
  const index = writeIndex(layout, images, labels)
  layout.finish({ ...index, annotations: { "org.opencontainers.image.ref.name": version } })
  const made = { digest: index.digest, version, revision, created }
  writeBill(
    out,
    index,
    billOf({ made, dist, parts, license, own: [...bundles, ...parts.flatMap(({ machine }) => machine)] })
  )
  if (values.rootfs) writeRoots(out, images)
  return { ...made, platforms: images.map(({ platform, digest }) => ({ ...platform, digest })) }
}

if (values.pin) {
  const pins = JSON.stringify({ ...lock, debian: currentPins() }, null, 2)
  writeFileSync("deploy/image/lock.json", `${pins}\n`)
} else if (values.sign !== undefined) writeSignature(values.out, values.sign)
else {
  const given = values.arch.split(",")
  const unknown = given.find((arch) => processors[arch] === undefined)
  if (unknown !== undefined) throw new Error(`--arch: '${unknown}' is none of ${Object.keys(processors).join(", ")}`)
  const missing = given.flatMap((arch) => {
    const program = missingFor(arch)
    return program === undefined ? [] : [{ arch, program }]
  })
  for (const { arch, program } of missing)
    say(`SKIPPED: the image for ${arch}, because ${program} is not installed here`)
  const made = make(
    values.out,
    given.filter((arch) => !missing.some((one) => one.arch === arch))
  )
  const summary = { ...made, skipped: missing.map(({ arch }) => arch) }
  writeFileSync(join(values.out, "image.json"), `${JSON.stringify(summary, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`)
}
