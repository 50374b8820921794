/** The bytes of certificates: as much of the distinguished encoding (DER) as a chain of two needs. */

const length = (size: number): Buffer => {
  if (size < 128) return Buffer.from([size])
  const bytes = size < 256 ? [size] : [size >> 8, size & 255]
  return Buffer.from([0x80 | bytes.length, ...bytes])
}
export const tagged = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}
export const sequence = (...parts: ReadonlyArray<Buffer>) => tagged(0x30, ...parts)
export const octets = (content: Buffer) => tagged(0x04, content)
export const bits = (content: Buffer, unused = 0) => tagged(0x03, Buffer.from([unused]), content)
export const oid = (...bytes: ReadonlyArray<number>) => tagged(0x06, Buffer.from(bytes))
/** true */
export const yes = tagged(0x01, Buffer.from([0xff]))
