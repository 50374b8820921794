/**
 * Pushes the result folder to the repository named in the job file: blobs four at a time, then the configuration, then the manifest by
 * its tag. Credentials are the gateway's business. Reference: adapter-contract.md, "Artifacts".
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Console, Duration, Effect, type Scope } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import { type FileBody, makeHttpClient, type Reply } from "../http/http-exchange.ts"
import { ExportFailed, makePersistentClient, type PersistentClient } from "../http/persistent-exchange.ts"
import {
  type ArtifactNames,
  artifactAnnotations,
  artifactConfig,
  artifactFiles,
  artifactManifest,
  type Descriptor,
  type Document,
  fallbackTag,
  indexType,
  indexWith,
  manifestType
} from "./oci-artifact.ts"
import { type Layer, writeLayer } from "./tar-layer.ts"

type OciExport = NonNullable<NonNullable<JobSpec["exports"]>["oci"]>

export interface PushedArtifact {
  readonly digest: string
  /** `<host>/<repository>:<tag>@<digest>` with the registry's real host */
  readonly reference: string
}

export interface PushOptions {
  readonly folder: string
  readonly completedAt: string
  readonly names: ArtifactNames
  /** of the whole push */
  readonly limit: Duration.Duration
  /** told about what did not hinder the push */
  readonly warn: (warning: { readonly code: string; readonly message: string }) => Effect.Effect<void>
}

const tryTimeout = Duration.minutes(5)
const parallel = 4
const indexTries = 3
const manifestTypes = [
  manifestType,
  indexType,
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json"
].join(", ")
const digestShape = /^sha(256|512):[0-9a-f]+$/

const header = (reply: Reply, name: string): string | undefined => {
  const value = reply.headers[name]
  return typeof value === "string" ? value : undefined
}

/** where the registry is reached: through the gateway when the job file says so, else itself */
const baseOf = ({
  coordinates,
  push_scheme,
  push_host,
  push_prefix
}: OciExport): { readonly origin: string; readonly prefix: string } => ({
  origin: `${push_scheme ?? "https"}://${push_host ?? coordinates.oci_host}`,
  prefix: push_prefix ?? ""
})

/** an upload address may be relative to the registry's root, which lies below the gateway's prefix */
const uploadAddress = (
  location: string,
  { origin, prefix }: { readonly origin: string; readonly prefix: string },
  digest: string
): URL => {
  const below =
    location.startsWith("/") && !location.startsWith("//") && prefix !== "" && !location.startsWith(`${prefix}/`)
      ? prefix + location
      : location
  const address = new URL(below, `${origin}${prefix}/v2/`)
  // appended as text: the registry's own query is opaque and must not be written anew
  address.search = `${address.search === "" ? "?" : `${address.search}&`}digest=${encodeURIComponent(digest)}`
  return address
}

interface Target {
  readonly client: PersistentClient
  readonly base: { readonly origin: string; readonly prefix: string }
  readonly repository: string
}

const addressOf = ({ base, repository }: Target, rest: string): URL =>
  new URL(`${base.origin}${base.prefix}/v2/${repository}/${rest}`)

const pushBlob = (
  target: Target,
  what: string,
  digest: string,
  body: FileBody | string
): Effect.Effect<void, ExportFailed> =>
  Effect.gen(function* () {
    const { ask } = target.client
    const found = yield* ask({
      what: `the look for ${what}`,
      method: "HEAD",
      url: addressOf(target, `blobs/${digest}`),
      headers: {},
      accept: [404]
    })
    if (found.status === 200) return
    const begun = yield* ask({
      what: `the start of uploading ${what}`,
      method: "POST",
      url: addressOf(target, "blobs/uploads/"),
      headers: {}
    })
    const location = header(begun, "location")
    if (location === undefined)
      return yield* new ExportFailed({ message: `the registry named no address for uploading ${what}` })
    const url = yield* Effect.try({
      try: () => uploadAddress(location, target.base, digest),
      catch: () => new ExportFailed({ message: `the registry named an unreadable address for uploading ${what}` })
    })
    yield* ask({
      what: `the upload of ${what}`,
      method: "PUT",
      url,
      headers: { "content-type": "application/octet-stream" },
      body
    })
  })

const pushManifest = (
  target: Target,
  what: string,
  reference: string,
  manifest: Document
): Effect.Effect<Reply, ExportFailed> =>
  target.client.ask({
    what,
    method: "PUT",
    url: addressOf(target, `manifests/${reference}`),
    headers: { "content-type": manifest.mediaType },
    body: manifest.text
  })

/** tag or digest within the repository */
const referenceOf = (subject: string, { oci_host, oci_repository }: OciExport["coordinates"]): string => {
  const base = `${oci_host}/${oci_repository}`
  if (!subject.startsWith(`${base}:`) && !subject.startsWith(`${base}@`)) return subject
  const rest = subject.slice(base.length + 1)
  return rest.includes("@") ? rest.slice(rest.indexOf("@") + 1) : rest
}

/** undefined: the registry does not have it, or does not say enough about it */
const resolveSubject = (
  target: Target,
  subject: string,
  coordinates: OciExport["coordinates"]
): Effect.Effect<Descriptor | undefined, ExportFailed> =>
  Effect.gen(function* () {
    const url = addressOf(target, `manifests/${referenceOf(subject, coordinates)}`)
    const found = yield* target.client.ask({
      what: "the look for the subject",
      method: "HEAD",
      url,
      headers: { accept: manifestTypes },
      accept: [400, 404]
    })
    const [mediaType, digest, size] = [
      header(found, "content-type"),
      header(found, "docker-content-digest"),
      Number(header(found, "content-length"))
    ]
    const complete =
      found.status === 200 && mediaType !== undefined && digest !== undefined && digestShape.test(digest) && size > 0
    return complete ? { mediaType, digest, size } : undefined
  })

/** for registries without referrers: what refers to the subject is listed under a tag of its own */
const listUnderSubject = (
  target: Target,
  subject: Descriptor,
  manifest: Document,
  names: ArtifactNames,
  annotations: { readonly [name: string]: string }
) =>
  Effect.gen(function* () {
    const tag = fallbackTag(subject.digest)
    const read = target.client
      .ask({
        what: "the list of referrers",
        method: "GET",
        url: addressOf(target, `manifests/${tag}`),
        headers: { accept: indexType },
        accept: [404]
      })
      .pipe(Effect.map((reply) => (reply.status === 404 ? undefined : reply.text)))
    // somebody else may write the same list meanwhile: written, read again, and repeated while ours is missing
    for (let tries = 0; tries < indexTries; tries++) {
      const index = indexWith(yield* read, manifest, names.artifactType, annotations)
      if (index === undefined) return
      yield* pushManifest(target, "the list of referrers", tag, index)
    }
    if (indexWith(yield* read, manifest, names.artifactType, annotations) !== undefined)
      return yield* new ExportFailed({ message: `the list of referrers ${tag} keeps losing the artifact` })
  })

/** scratch beside the result folder, never inside: it must not be exported */
const scratch = (folder: string): Effect.Effect<string, ExportFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(process.env["TMPDIR"] === undefined ? dirname(folder) : tmpdir(), "artifact-")),
      catch: (error) =>
        new ExportFailed({
          message: `no room for preparing the artifact: ${error instanceof Error ? error.message : String(error)}`
        })
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const makeLayers = (folder: string): Effect.Effect<ReadonlyArray<Layer>, ExportFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const fail = (error: unknown) =>
      new ExportFailed({
        message: `the result files cannot be read: ${error instanceof Error ? error.message : String(error)}`
      })
    const { files, skipped } = yield* Effect.try({ try: () => artifactFiles(folder), catch: fail })
    if (skipped.length > 0)
      yield* Console.error(
        `not exported, because they are links or their names are too long: ${skipped.slice(0, 10).join(", ")}`
      )
    const room = yield* scratch(folder)
    // one after the other: compressing is bound by the processor
    return yield* Effect.forEach(files, (file, at) =>
      Effect.tryPromise({ try: (signal) => writeLayer(file, join(room, `layer-${at}`), signal), catch: fail })
    )
  })

const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`

/** the artifact in the registry; fails with the reason when it is not there */
export const pushArtifact = (
  job: JobSpec,
  oci: OciExport,
  options: PushOptions
): Effect.Effect<PushedArtifact, ExportFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { coordinates } = oci
      const client = makePersistentClient(yield* makeHttpClient(), {
        peer: "the registry",
        tryTimeout,
        limit: options.limit
      })
      const target: Target = { client, base: baseOf(oci), repository: coordinates.oci_repository }
      const work = Effect.gen(function* () {
        // the first answer with a body: what is wrong with address or credentials shows here, in words
        const root = new URL(`${target.base.origin}${target.base.prefix}/v2/`)
        yield* client.ask({ what: "the first request", method: "GET", url: root, headers: {}, accept: [404] })
        const layers = yield* makeLayers(options.folder)
        yield* Effect.forEach(
          layers,
          (layer) => pushBlob(target, layer.name, layer.digest, { path: layer.path, bytes: layer.bytes }),
          {
            concurrency: parallel,
            discard: true
          }
        )
        const config = artifactConfig(layers)
        yield* pushBlob(target, "the configuration", config.digest, config.text)
        const wanted = coordinates.oci_subject
        const subject = wanted === undefined ? undefined : yield* resolveSubject(target, wanted, coordinates)
        if (wanted !== undefined && subject === undefined)
          yield* options.warn({
            code: "artifact_subject_not_found",
            message: `the subject ${wanted} is not in ${coordinates.oci_repository}; pushed without it`
          })
        const annotations = artifactAnnotations(job, coordinates, options.completedAt, options.names)
        const manifest = artifactManifest({ config, layers, subject, annotations }, options.names)
        const tag =
          coordinates.oci_tag ??
          `evalhub-${digestOf(`${job.id}:${job.provider_id}:${job.benchmark_id}:${job.benchmark_index}`).slice("sha256:".length)}`
        const answered = yield* pushManifest(target, "the manifest", tag, manifest)
        const said = header(answered, "docker-content-digest")
        if (said !== undefined && said !== manifest.digest)
          return yield* new ExportFailed({ message: `the registry stored ${said} where ${manifest.digest} was sent` })
        if (subject !== undefined && header(answered, "oci-subject") === undefined)
          yield* listUnderSubject(target, subject, manifest, options.names, annotations)
        return {
          digest: manifest.digest,
          reference: `${coordinates.oci_host}/${coordinates.oci_repository}:${tag}@${manifest.digest}`
        }
      })
      return yield* client.within(work)
    })
  )
