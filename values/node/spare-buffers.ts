/**
 * Buffers that are used again. One of megabytes for each of many requests outlives the collections of what is new and counts as memory that
 * grew, so that full collections of the heap come the sooner, which whoever is served meanwhile waits for.
 */
import { Effect, type Scope } from "effect"

export interface SpareBuffers {
  /** with whatever was in it before; nobody else has it until it is given back. Undefined: all are in use, and whoever asks makes one of its own. */
  readonly take: () => Buffer | undefined
  /** nobody looks into it any more; what was not taken here, or was given back before, stays out */
  readonly giveBack: (buffer: Buffer | undefined) => void
}

/** at most `count`, of so many `bytes` each, made when they are first needed and kept from then on */
export const makeSpareBuffers = (count: number, bytes: number): SpareBuffers => {
  const spare: Array<Buffer> = []
  const used = new Set<Buffer>()
  return {
    take: () => {
      const found = spare.pop() ?? (used.size < count ? Buffer.allocUnsafeSlow(bytes) : undefined)
      if (found !== undefined) used.add(found)
      return found
    },
    giveBack: (buffer) => {
      if (buffer !== undefined && used.delete(buffer)) spare.push(buffer)
    }
  }
}

/** one of them until the scope ends, if any is left */
export const lent = ({ take, giveBack }: SpareBuffers): Effect.Effect<Buffer | undefined, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(take), (buffer) => Effect.sync(() => giveBack(buffer)))
