/** Where the answers of a benchmark lie below the folder of all logs, and how long. Reference: reruns.md, "Where it is kept". */
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

/** the benchmark under which answers are kept: the one that first asked */
export interface LogPlace {
  readonly job: string
  readonly index: number
}

const folderOfTenant = (directory: string, tenant: string): string => join(directory, encodeURIComponent(tenant))

export const logFolder = (directory: string, tenant: string, { job, index }: LogPlace): string =>
  join(folderOfTenant(directory, tenant), encodeURIComponent(job), String(index))

const foldersIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
  } catch {
    return []
  }
}

/** removes the benchmarks of a folder of jobs whose last answer is older; another process may do so at the same time */
const removeOldJobs = async (directory: string, before: number): Promise<void> => {
  for (const job of await foldersIn(directory))
    for (const benchmark of await foldersIn(job)) {
      const found = await stat(benchmark).catch(() => undefined)
      if (found !== undefined && found.mtimeMs < before) await rm(benchmark, { recursive: true, force: true })
    }
}

/** of all tenants, or of one */
export const removeOldLogs = async (directory: string, before: number, tenant?: string): Promise<void> => {
  const tenants = tenant === undefined ? await foldersIn(directory) : [folderOfTenant(directory, tenant)]
  for (const folder of tenants) await removeOldJobs(folder, before)
}
