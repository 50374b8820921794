// An OCI layout: blobs under their digests, one manifest for each processor, one index over them.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cache, run, sha256 } from "./machine.mjs"
import { archivePieces } from "./tar.mjs"

const digestOf = (...pieces) => `sha256:${sha256(...pieces)}`

const mediaType = (name) => `application/vnd.oci.image.${name}`

/** GNU gzip: its bytes are the same on every machine, those of zlib depend on release and processor. `diffId`: of the pieces of the archive */
const compressed = (pieces, diffId) => {
  const kept = join(cache, "layers", `${diffId.slice("sha256:".length)}.tar.gz`)
  if (!existsSync(kept)) {
    mkdirSync(join(cache, "layers"), { recursive: true })
    const scratch = `${kept}.${process.pid}`
    writeFileSync(scratch, run("gzip", ["--no-name", "-9", "--stdout"], { input: Buffer.concat(pieces) }))
    renameSync(scratch, kept)
  }
  return readFileSync(kept)
}

/** a folder that is an OCI layout; `write` gives the descriptor of what was written */
export const layoutIn = (folder) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, "blobs", "sha256"), { recursive: true })
  writeFileSync(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}')
  const write = (type, bytes, more = {}) => {
    const digest = digestOf(bytes)
    writeFileSync(join(folder, "blobs", digest.replace(":", "/")), bytes)
    return { mediaType: type, digest, size: Buffer.byteLength(bytes), ...more }
  }
  const writeJson = (type, value, more) => write(type, JSON.stringify(value), more)
  const finish = (...manifests) =>
    writeFileSync(
      join(folder, "index.json"),
      JSON.stringify({ schemaVersion: 2, mediaType: mediaType("index.v1+json"), manifests })
    )
  return { write, writeJson, finish }
}

/** writes the image of one processor; `layers`: what made each, and its entries. Its descriptor, and the digests before compression. */
export const writeImage = (layout, { platform, created, labels, config, layers }) => {
  const made = layers.map(({ madeBy, entries }) => {
    const pieces = archivePieces(entries)
    const diffId = digestOf(...pieces)
    return { madeBy, diffId, descriptor: layout.write(mediaType("layer.v1.tar+gzip"), compressed(pieces, diffId)) }
  })
  const descriptor = layout.writeJson(mediaType("config.v1+json"), {
    created,
    ...platform,
    config: { ...config, Labels: labels },
    rootfs: { type: "layers", diff_ids: made.map(({ diffId }) => diffId) },
    history: made.map(({ madeBy }) => ({ created, created_by: madeBy }))
  })
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaType("manifest.v1+json"),
    config: descriptor,
    layers: made.map((layer) => layer.descriptor),
    annotations: labels
  }
  return layout.writeJson(manifest.mediaType, manifest, { platform })
}

export const writeIndex = (layout, manifests, annotations) => {
  const index = { schemaVersion: 2, mediaType: mediaType("index.v1+json"), manifests, annotations }
  return layout.writeJson(index.mediaType, index)
}

/** a document beside the image: a manifest of its own that names the image as its subject */
export const writeReferrer = (layout, { subject, type, bytes, annotations }) => {
  const empty = layout.write("application/vnd.oci.empty.v1+json", "{}")
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaType("manifest.v1+json"),
    artifactType: type,
    config: empty,
    layers: [layout.write(type, bytes)],
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
    annotations
  }
  return layout.writeJson(manifest.mediaType, manifest)
}
