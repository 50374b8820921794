/**
 * Chunks of a call are packed while its further lines are read: nearly always every record of it is new, and when the last line is read most of what is to be packed is. What
 * is not wanted then is forgotten, and what is wanted otherwise is packed again.
 */
import { type Chunk, pack } from "./pack-thread.ts"

interface Part {
  /** where its chunks end, in bytes from the first text */
  readonly ends: ReadonlyArray<number>
  readonly chunks: Promise<ReadonlyArray<Chunk>>
}

/** by the memory in which the texts lie, from its first byte; it is one call's */
const begun = new WeakMap<Buffer, Array<Part>>()

/** chunks behind those that were begun before end at these bytes of the memory */
export const packAhead = (texts: Buffer, ends: ReadonlyArray<number>): void => {
  const parts = begun.get(texts) ?? []
  const from = parts.at(-1)?.ends.at(-1) ?? 0
  const chunks = pack(
    texts.subarray(from, ends.at(-1)),
    ends.map((end) => end - from)
  )
  // told to whoever asks for them; often nobody does
  chunks.catch(() => {})
  begun.set(texts, [...parts, { ends, chunks }])
}

/** of the chunks that end at `ends` the first ones, as far as they were begun */
export const packedAhead = async (texts: Buffer, ends: ReadonlyArray<number>): Promise<ReadonlyArray<Chunk>> => {
  const wanted: Array<Part["chunks"]> = []
  let count = 0
  for (const part of begun.get(texts) ?? []) {
    const from = count
    if (part.ends.some((end, at) => end !== ends[from + at])) break
    wanted.push(part.chunks)
    count += part.ends.length
  }
  return (await Promise.all(wanted)).flat()
}
