/** What a container image is on this machine: a file system assembled from folders of the host, and a command. No image is pulled. */

/** a folder or file of the host as it appears, read-only, in the container */
export interface Layer {
  readonly source: string
  readonly target: string
}

export interface Image {
  /** user and group of the image; images of adapters must not run as root */
  readonly user: number
  readonly layers: ReadonlyArray<Layer>
  /** searched for programs after /usr/bin and the like */
  readonly path: ReadonlyArray<string>
  readonly env?: { readonly [name: string]: string }
  readonly workingDir?: string
  readonly command?: ReadonlyArray<string>
}

export type ImageTable = { readonly [name: string]: Image }

/** programs of the host that every image has */
export const systemPath = ["/usr/local/bin", "/usr/bin", "/bin"]

/** the running Node.js, wherever the machine keeps it */
const nodeLayer: Layer = { source: process.execPath, target: "/opt/node/bin/node" }

/** an image with the built evald, as a deployment ships it */
export const evaldImage = (dist: string): Image => ({
  user: 65_532,
  layers: [nodeLayer, { source: dist, target: "/opt/evald/dist" }],
  path: ["/opt/evald/dist/bin", "/opt/node/bin"],
  workingDir: "/"
})

/** an image with one folder of scripts at /opt/adapter, run by a user of its own */
export const scriptImage = (folder: string, command: ReadonlyArray<string>): Image => ({
  user: 1001,
  layers: [nodeLayer, { source: folder, target: "/opt/adapter" }],
  path: ["/opt/adapter", "/opt/node/bin"],
  workingDir: "/opt/adapter",
  command
})
