/** Texts of a call, one after the other as UTF-8: nothing else is kept of them, as what is kept of each would live as long as the call. */

/** where a text lies, in bytes */
export interface Place {
  readonly from: number
  readonly to: number
}

export interface TextRoom {
  readonly write: (text: string) => Place
  /** what was written, until more is */
  readonly bytes: () => Buffer
  /** the memory in which it lies, perhaps another than it began with */
  readonly memory: () => Buffer
}

/** a unit of UTF-16 has at most so many bytes in UTF-8 */
const mostBytes = 3

/** `memory`: where the texts go while it is large enough */
export const makeTextRoom = (memory: Buffer): TextRoom => {
  let room = memory
  let size = 0
  return {
    write: (text) => {
      const needed = size + text.length * mostBytes
      if (needed > room.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * room.length))
        room.copy(larger, 0, 0, size)
        room = larger
      }
      const from = size
      size += room.write(text, size)
      return { from, to: size }
    },
    bytes: () => room.subarray(0, size),
    memory: () => room
  }
}
