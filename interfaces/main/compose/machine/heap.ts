/**
 * How far the heap of a server may grow between two full collections: to twice what is alive. Left to itself V8 lets it grow to four
 * times that, and a server keeps what it once took. A tighter bound is dear: at 40 percent the same load takes five times as many full
 * collections and a fifth more processor time; at 100 percent the difference is within what one run differs from the next.
 *
 * The space for new objects doubles whenever much of it stayed alive. What a start makes stays alive nearly all, so that a start would
 * take 25 MB for a server that then waits: it keeps the space it has until the server listens.
 *
 * What is alive is marked by up to four threads of V8 while requests are served. Where they have no processors of their own they take the
 * few there are for 30 ms at a time, and requests and the database wait for one. There the serving thread marks, a millisecond at a time; it
 * takes some 5 percent more of its own time under an upload then.
 */
import { setFlagsFromString } from "node:v8"
import { usableProcessors } from "./processors.ts"

/** percent of what is alive */
const growth = 100

/** V8's own factor */
const doubled = 2

/** with fewer than this there is none to spare */
const enoughForMarkers = 3

const growNewSpaceBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** takes effect at the next collection, also after the start */
export const boundHeapGrowth = (): void => {
  setFlagsFromString(`--heap-growing-percent=${growth}`)
  if (usableProcessors() < enoughForMarkers) setFlagsFromString("--no-concurrent-marking")
  growNewSpaceBy(1)
}

/** the start is over: requests leave little alive, and a larger space for what is new is looked through less often */
export const letNewSpaceGrow = (): void => growNewSpaceBy(doubled)
