/**
 * One file as one image layer: a tar of a single entry, compressed, both the same bytes for the same content whatever machine, user or
 * time. Reference: adapter-contract.md, "Artifacts".
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"

export interface LayerSource {
  /** relative, `/`-separated; becomes the name of the entry */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

export interface Layer {
  readonly name: string
  /** of the compressed bytes, `sha256:<hex>` */
  readonly digest: string
  readonly bytes: number
  /** of the tar, `sha256:<hex>` */
  readonly diffId: string
  /** where the compressed bytes lie */
  readonly path: string
}

const block = 512
const nameBytes = 100
const prefixBytes = 155
/** "unknown": zlib would write the system it was compiled on */
const gzipSystemAt = 9
const unknownSystem = 255

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`

const header = (name: Buffer, prefix: Buffer, bytes: number, type: "0" | "x"): Buffer => {
  const head = Buffer.alloc(block)
  name.copy(head, 0)
  head.write(octal(0o644, 8), 100, "latin1")
  head.write(octal(0, 8), 108, "latin1")
  head.write(octal(0, 8), 116, "latin1")
  head.write(octal(bytes, 12), 124, "latin1")
  head.write(octal(0, 12), 136, "latin1")
  head.write("        ", 148, "latin1")
  head.write(type, 156, "latin1")
  head.write("ustar\0" + "00", 257, "latin1")
  head.write(octal(0, 8), 329, "latin1")
  head.write(octal(0, 8), 337, "latin1")
  prefix.copy(head, 345)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return head
}

const padding = (bytes: number): Buffer => Buffer.alloc((block - (bytes % block)) % block)

const none = Buffer.alloc(0)

/** name and prefix of the plain format, split at a slash; undefined when the name does not fit */
const split = (name: string): readonly [name: Buffer, prefix: Buffer] | undefined => {
  const whole = Buffer.from(name)
  if (whole.length <= nameBytes) return [whole, none]
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
    const [prefix, rest] = [Buffer.from(name.slice(0, at)), Buffer.from(name.slice(at + 1))]
    if (prefix.length > 0 && prefix.length <= prefixBytes && rest.length > 0 && rest.length <= nameBytes)
      return [rest, prefix]
  }
  return undefined
}

/** a record counts its own length, whose digits count too */
const paxRecord = (key: string, value: string): Buffer => {
  const bytes = Buffer.byteLength(` ${key}=${value}\n`)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length !== length) length = bytes + String(length).length
  return Buffer.from(`${length} ${key}=${value}\n`)
}

/** everything before the content */
export const tarHead = (name: string, bytes: number): Buffer => {
  const fits = split(name)
  if (fits !== undefined) return header(...fits, bytes, "0")
  const record = paxRecord("path", name)
  const short = Buffer.from(name).subarray(0, nameBytes)
  return Buffer.concat([
    header(Buffer.from("PaxHeader"), none, record.length, "x"),
    record,
    padding(record.length),
    header(short, none, bytes, "0")
  ])
}

/** everything after the content: its padding and two empty blocks */
const tarTail = (bytes: number): Buffer => Buffer.concat([padding(bytes), Buffer.alloc(2 * block)])

/** rejects when the file is not as long as it was when it was looked at */
const tarOf = async function* ({ name, path, bytes }: LayerSource): AsyncGenerator<Buffer> {
  yield tarHead(name, bytes)
  let read = 0
  // a file that still grows is taken as it was
  if (bytes > 0)
    for await (const chunk of createReadStream(path, { end: bytes - 1 })) {
      read += (chunk as Buffer).length
      yield chunk as Buffer
    }
  if (read !== bytes) throw new Error(`${name} became shorter while it was read`)
  yield tarTail(bytes)
}

/** writes the compressed layer to `target`; memory does not grow with the file */
export const writeLayer = async (source: LayerSource, target: string, signal: AbortSignal): Promise<Layer> => {
  const diffHash = createHash("sha256")
  const hash = createHash("sha256")
  let bytes = 0
  await pipeline(
    Readable.from(tarOf(source)),
    async function* (tar: AsyncIterable<Buffer>) {
      for await (const chunk of tar) {
        diffHash.update(chunk)
        yield chunk
      }
    },
    createGzip({ level: 6 }),
    async function* (compressed: AsyncIterable<Buffer>) {
      for await (const chunk of compressed) {
        // the head of the format comes first and in one piece
        if (bytes === 0 && chunk.length > gzipSystemAt) chunk[gzipSystemAt] = unknownSystem
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    createWriteStream(target, { mode: 0o600 }),
    { signal }
  )
  return {
    name: source.name,
    digest: `sha256:${hash.digest("hex")}`,
    bytes,
    diffId: `sha256:${diffHash.digest("hex")}`,
    path: target
  }
}
