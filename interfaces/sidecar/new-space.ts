/**
 * Room for new objects. Those of a request live shortly, and V8 would still let their space grow to 32 MB under load. It takes a size with the options
 * of a process alone, which cost a start a tenth more: node's own compiled code is of no use to a process with others. But it can be told not to grow any more.
 */

export interface NewSpace {
  /** of both its halves, bytes */
  readonly size: () => number
  /** from now on it keeps its size */
  readonly keep: () => void
}

const v8 = () => process.getBuiltinModule("node:v8")

const ofThisProcess: NewSpace = {
  size: () =>
    v8()
      .getHeapSpaceStatistics()
      .find((space) => space.space_name === "new_space")?.space_size ?? 0,
  keep: () => v8().setFlagsFromString("--semi-space-growth-factor=1")
}

/** bytes: half of what V8 would take, which is 14 MB less after a load; half of it again would be 10 MB less */
const enough = 16 * 1024 * 1024

/** exchanges between two looks */
const between = 64

/** to be called with every exchange; looks no more when the space has what is enough */
export const boundNewSpace = ({ size, keep }: NewSpace = ofThisProcess): (() => void) => {
  let left = between
  const look = (): void => {
    left = between
    if (size() < enough) return
    keep()
    left = Number.POSITIVE_INFINITY
  }
  return () => {
    left -= 1
    if (left === 0) look()
  }
}
