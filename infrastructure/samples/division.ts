/** How texts that lie one after the other are divided into chunks. The same whoever divides them, and when: a chunk's name is the hash of its bytes. */

export const chunkBytes = 64 * 1024

/** where a record lies: number of the chunk in the list, first byte, bytes */
export interface Slot {
  readonly chunk: number
  readonly start: number
  readonly length: number
}

export interface Division {
  /** the next text, of so many bytes */
  readonly add: (length: number) => Slot
  /** where chunks end to which nothing will be added, in bytes from the first text */
  readonly closed: ReadonlyArray<number>
  /** where all of them end */
  readonly ends: () => ReadonlyArray<number>
}

/** a text larger than a chunk is one of its own */
export const makeDivision = (): Division => {
  const closed: Array<number> = []
  let begin = 0
  let size = 0
  return {
    add: (length) => {
      if (size > begin && size - begin + length > chunkBytes) {
        closed.push(size)
        begin = size
      }
      const slot = { chunk: closed.length, start: size - begin, length }
      size += length
      return slot
    },
    closed,
    ends: () => (size > begin ? [...closed, size] : closed)
  }
}
