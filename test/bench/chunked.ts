/** The body of an answer sent in chunks (RFC 9112, section 7.1), read as it arrives; trailers are not expected of the server under test. */
export interface ChunkedBody {
  readonly parts: Array<Buffer>
  /** takes what arrived; true when the last chunk is complete */
  readonly take: (arrived: Buffer) => boolean
}

const lineEnd = Buffer.from("\r\n")

export const chunkedBody = (): ChunkedBody => {
  const parts: Array<Buffer> = []
  let rest: Buffer = Buffer.alloc(0)
  const take = (arrived: Buffer): boolean => {
    rest = rest.length === 0 ? arrived : Buffer.concat([rest, arrived])
    for (;;) {
      const end = rest.indexOf(lineEnd)
      if (end < 0) return false
      const size = Number.parseInt(rest.toString("latin1", 0, end), 16)
      const after = end + 2 + size + 2
      if (rest.length < after) return false
      if (size === 0) return true
      parts.push(rest.subarray(end + 2, after - 2))
      rest = rest.subarray(after)
    }
  }
  return { parts, take }
}
