/** Names of a unit: its key, and a file name made from a benchmark id. Reference: adapter-contract.md, "Addresses". */
import type { UnitId } from "../../application/ports/runtime.ts"

/** identifies one launch of one benchmark everywhere: task keys, run ids, file names */
export const unitKey = (unit: Pick<UnitId, "jobId" | "index" | "attempt">): string =>
  `${unit.jobId}-${unit.index}-${unit.attempt}`

/** benchmark id as part of a file name: lower case, `[^a-z0-9._-]` becomes `-`, at most 40 characters, no leading dot */
export const slug = (benchmarkId: string): string =>
  benchmarkId
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, "-")
    .replace(/^\.+/, "")
    .slice(0, 40)
