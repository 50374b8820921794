/** Packed bodies, by the name of their encoding. */
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from "node:zlib"

type Unpack = (data: Buffer, maxBytes: number) => Promise<Buffer>

const bounded =
  (unpacked: (data: Buffer, options: Pick<ZlibOptions, "maxOutputLength">) => Promise<Buffer>): Unpack =>
  (data, maxBytes) =>
    unpacked(data, { maxOutputLength: maxBytes })

const ungzipped = bounded(promisify<Buffer, object, Buffer>(gunzip))

/** fails for what is no such encoding, and for more bytes than are allowed */
export const unpack: { readonly [encoding: string]: Unpack } = {
  gzip: ungzipped,
  "x-gzip": ungzipped,
  deflate: bounded(promisify<Buffer, object, Buffer>(inflate)),
  br: bounded(promisify<Buffer, object, Buffer>(brotliDecompress))
}
