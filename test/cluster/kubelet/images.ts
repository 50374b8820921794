/** What a container image is on this machine: a file system assembled from folders of the host, or unpacked from the made image, and a command. No image is pulled. */

/** a folder or file of the host as it appears, read-only, in the container */
export interface Layer {
  readonly source: string
  readonly target: string
}

export interface Image {
  /** user and group of the image; images of adapters must not run as root */
  readonly user: number
  /** default the number of the user */
  readonly group?: number
  /** folder with the image's whole root file system; without it programs and libraries of the host are in it */
  readonly root?: string
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

/** the image that was made, unpacked in a folder: nothing of the host is in it */
export const madeImage = (root: string): Image => ({
  user: 65_532,
  group: 0,
  root,
  layers: [],
  path: ["/opt/evald/dist/bin"],
  workingDir: "/",
  command: ["evald"]
})

/** programs of the host, and the built evald of this checkout */
export const checkoutImage = (dist: string): Image => ({
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
