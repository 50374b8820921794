/**
 * The result folder as an OCI artifact: which files, and the documents around their layers. Equal results give equal bytes.
 * Reference: adapter-contract.md, "Result files", "Artifacts".
 */
import { createHash } from "node:crypto"
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { member, parseJson } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Layer, LayerSource } from "./tar-layer.ts"

export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

export interface Document extends Descriptor {
  readonly text: string
}

export interface ArtifactNames {
  /** setting `oci.artifact_type` */
  readonly artifactType: string
  /** setting `oci.annotation_prefix` */
  readonly annotationPrefix: string
}

export const defaultNames: ArtifactNames = {
  artifactType: "application/vnd.eval-hub.github.io",
  annotationPrefix: "io.github.eval-hub"
}

const layerType = "application/vnd.oci.image.layer.v1.tar+gzip"
const configType = "application/vnd.oci.image.config.v1+json"
export const manifestType = "application/vnd.oci.image.manifest.v1+json"
export const indexType = "application/vnd.oci.image.index.v1+json"
const epoch = "1970-01-01T00:00:00Z"
const maxName = 255

/** regular files below the folder in bytewise order; links and names too long for the format are left out and named */
export const artifactFiles = (
  folder: string
): { readonly files: ReadonlyArray<LayerSource>; readonly skipped: ReadonlyArray<string> } => {
  const files: Array<LayerSource> = []
  const skipped: Array<string> = []
  const visit = (relative: string) => {
    for (const entry of readdirSync(join(folder, relative), { withFileTypes: true })) {
      const name = relative === "" ? entry.name : `${relative}/${entry.name}`
      if (entry.isDirectory()) visit(name)
      else if (!entry.isFile() || name.length > maxName) skipped.push(name)
      else files.push({ name, path: join(folder, name), bytes: lstatSync(join(folder, name)).size })
    }
  }
  visit("")
  return {
    files: files.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))),
    skipped: skipped.sort()
  }
}

const document = (mediaType: string, value: unknown): Document => {
  const text = JSON.stringify(value)
  return {
    mediaType,
    digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
    size: Buffer.byteLength(text),
    text
  }
}

/** the image configuration: nothing in it but the layers' uncompressed digests, so that it does not change between runs */
export const artifactConfig = (layers: ReadonlyArray<Layer>): Document =>
  document(configType, {
    architecture: "unknown",
    os: "unknown",
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: epoch }))
  })

type Coordinates = NonNullable<NonNullable<JobSpec["exports"]>["oci"]>["coordinates"]

/** what the artifact says about where it comes from; the user's own annotations win */
export const artifactAnnotations = (
  job: JobSpec,
  coordinates: Coordinates,
  completedAt: string,
  { annotationPrefix }: ArtifactNames
): { readonly [name: string]: string } => ({
  [`${annotationPrefix}.job_id`]: job.id,
  [`${annotationPrefix}.provider_id`]: job.provider_id,
  [`${annotationPrefix}.benchmark_id`]: job.benchmark_id,
  [`${annotationPrefix}.benchmark`]: job.benchmark_id,
  [`${annotationPrefix}.model`]: job.model.name,
  [`${annotationPrefix}.benchmark_index`]: String(job.benchmark_index),
  "org.opencontainers.image.created": completedAt,
  ...coordinates.annotations
})

const plain = ({ mediaType, digest, size }: Descriptor): Descriptor => ({ mediaType, digest, size })

export const artifactManifest = (
  parts: {
    readonly config: Document
    readonly layers: ReadonlyArray<Layer>
    readonly subject: Descriptor | undefined
    readonly annotations: { readonly [name: string]: string }
  },
  { artifactType }: ArtifactNames
): Document =>
  document(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    artifactType,
    config: plain(parts.config),
    layers: parts.layers.map(({ name, digest, bytes }) => ({
      mediaType: layerType,
      digest,
      size: bytes,
      annotations: { "olot.layer.content.name": name }
    })),
    ...(parts.subject === undefined ? {} : { subject: plain(parts.subject) }),
    annotations: parts.annotations
  })

/** `sha256-<hex>` of a digest: the tag where a registry without referrers keeps what refers to a manifest */
export const fallbackTag = (digest: string): string => digest.replace(":", "-").slice(0, 128)

/** the index of a fallback tag with one more manifest; undefined when it is listed already or the text is no index */
export const indexWith = (
  current: string | undefined,
  manifest: Descriptor,
  artifactType: string,
  annotations: { readonly [name: string]: string }
): Document | undefined => {
  const known = current === undefined ? [] : readManifests(current)
  if (known?.some((entry) => entry.digest === manifest.digest) !== false) return undefined
  return document(indexType, {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [...known, { ...plain(manifest), artifactType, annotations }]
  })
}

const readManifests = (text: string): ReadonlyArray<{ readonly digest?: unknown }> | undefined => {
  const manifests = member(parseJson(text), "manifests")
  return Array.isArray(manifests) ? manifests : undefined
}
