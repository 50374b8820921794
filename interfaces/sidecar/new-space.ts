/**
 * Room for new objects. Those of a request live shortly, and V8 would still let their space grow to 32 MB under load. It takes a size with the options
 * of a process alone, which cost a start a tenth more: node's own compiled code is of no use to a process with others. But it can be told not to grow any more.
 */

/** of both halves of the space, bytes: the largest of its sizes that saves memory for no processor time that could be measured */
const enough = 8 * 1024 * 1024

/** exchanges between two looks */
const between = 64

/** to be called with every exchange */
export const boundNewSpace = (): (() => void) => {
  let left = between
  return () => {
    if (left < 0) return
    left -= 1
    if (left > 0) return
    left = between
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8")
    const size = getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0
    if (size < enough) return
    setFlagsFromString("--semi-space-growth-factor=1")
    left = -1
  }
}
