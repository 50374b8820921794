/**
 * How far the heap of a server may grow between two full collections: to twice what is alive. Left to itself V8 lets it grow to four
 * times that, and a server keeps what it once took. A tighter bound is dear: at 40 percent the same load takes five times as many full
 * collections and a fifth more processor time; at 100 percent the difference is within what one run differs from the next.
 */
import { setFlagsFromString } from "node:v8"

/** percent of what is alive */
const growth = 100

/** takes effect at the next collection, also after the start */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${growth}`)
