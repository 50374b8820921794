/** Resident memory of processes over a long run, and whether it stays flat. */
import { readFileSync } from "node:fs"

export interface MemorySeries {
  readonly sample: () => void
  /** medians in megabytes of the second and of the last quarter of the run: the first one warms up */
  readonly quarters: () => { readonly early: number; readonly late: number; readonly most: number }
}

const residentMegabytes = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) * 1024) / 1e6

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const memoryOf = (pid: number): MemorySeries => {
  const samples: Array<number> = []
  return {
    sample: () => void samples.push(residentMegabytes(pid)),
    quarters: () => {
      const quarter = Math.floor(samples.length / 4)
      return {
        early: median(samples.slice(quarter, 2 * quarter)),
        late: median(samples.slice(-quarter)),
        most: Math.max(...samples)
      }
    }
  }
}
