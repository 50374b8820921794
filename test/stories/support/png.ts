/** PNG files of few bytes: a palette of the commonest colours, and a text that says what the picture shows. */
import { crc32, deflateSync, inflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** a picture by the numbers of its colours */
export interface Indexed {
  readonly width: number
  readonly height: number
  /** red, green and blue of each colour, at most 256 of them */
  readonly palette: ReadonlyArray<number>
  /** row by row, a byte for each point */
  readonly points: Buffer
}

const bytesOf = (type: string, data: Buffer): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

/** compressed international text under `Description`: no language, no other name */
const textHead = Buffer.concat([Buffer.from("Description", "latin1"), Buffer.from([0, 1, 0, 0, 0])])

export const pngOf = ({ width, height, palette, points }: Indexed, description: string): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // eight bits for each point, which name a colour
  head.writeUInt16BE(0x0803, 8)
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.concat([Buffer.from([0]), points.subarray(row * width, (row + 1) * width)])
  )
  return Buffer.concat([
    signature,
    bytesOf("IHDR", head),
    bytesOf("iTXt", Buffer.concat([textHead, deflateSync(description)])),
    bytesOf("PLTE", Buffer.from(palette)),
    bytesOf("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })),
    bytesOf("IEND", Buffer.alloc(0))
  ])
}

/** the text that such a file carries; empty when it has none */
export const descriptionOf = (png: Buffer): string => {
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const data = png.subarray(at + 8, at + 8 + length)
    if (png.toString("latin1", at + 4, at + 8) === "iTXt" && data.subarray(0, textHead.length).equals(textHead))
      return inflateSync(data.subarray(textHead.length)).toString("utf8")
    at += length + 12
  }
  return ""
}

export const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) })
