/** The image that deploy/image.mjs has made: what is in its layout, and its root file system unpacked. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly platform?: { readonly architecture: string; readonly os: string; readonly variant?: string }
}

export interface Manifest {
  readonly config: Descriptor
  readonly layers: ReadonlyArray<Descriptor>
  readonly subject?: Descriptor
  readonly artifactType?: string
  readonly annotations?: { readonly [name: string]: string }
}

export interface ImageConfig {
  readonly created: string
  readonly architecture: string
  readonly config: {
    readonly User: string
    readonly Env: ReadonlyArray<string>
    readonly Entrypoint: ReadonlyArray<string>
    readonly Cmd: ReadonlyArray<string>
    readonly WorkingDir: string
    readonly Labels: { readonly [name: string]: string }
  }
  readonly rootfs: { readonly diff_ids: ReadonlyArray<string> }
  readonly history: ReadonlyArray<{ readonly created: string; readonly created_by: string }>
}

/** what deploy/image.mjs says about an image: image.json in its folder */
export interface MadeImage {
  readonly digest: string
  readonly version: string
  readonly revision: string
  readonly created: string
  readonly platforms: ReadonlyArray<{ readonly architecture: string; readonly digest: string }>
  readonly skipped: ReadonlyArray<string>
}

export const blobPath = (layout: string, digest: string): string => join(layout, "blobs", digest.replace(":", "/"))
export const blobOf = <A>(layout: string, { digest }: Pick<Descriptor, "digest">): A =>
  JSON.parse(readFileSync(blobPath(layout, digest), "utf8")) as A

/** the image of each processor */
export const imagesOf = (layout: string): ReadonlyArray<Descriptor> => {
  const top = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as { manifests: ReadonlyArray<Descriptor> }
  return top.manifests.flatMap((index) => blobOf<{ manifests: ReadonlyArray<Descriptor> }>(layout, index).manifests)
}

/** Debian's name of the processor of this machine */
export const ownArchitecture = process.arch === "x64" ? "amd64" : process.arch

const manifestFor = (layout: string, architecture: string = ownArchitecture): Manifest => {
  const found = imagesOf(layout).find(({ platform }) => platform?.architecture === architecture)
  if (found === undefined) throw new Error(`there is no image for ${architecture} in ${layout}`)
  return blobOf<Manifest>(layout, found)
}

/** unpacks the layers of one image, one after the other */
export const unpack = (layout: string, folder: string, architecture?: string): void => {
  mkdirSync(folder, { recursive: true })
  for (const { digest } of manifestFor(layout, architecture).layers)
    execFileSync("tar", ["-xzf", blobPath(layout, digest), "-C", folder])
}
