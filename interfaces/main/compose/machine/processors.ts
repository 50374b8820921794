/** How much processor this process may use at once. */
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"

/** of a control group (version 2): microseconds of processor time within a period, and the period */
const quotaFile = "/sys/fs/cgroup/cpu.max"

/** processors' worth of a quota such as `150000 100000`; undefined where there is none (`max 100000`) or it is unreadable */
export const processorsOfQuota = (text: string): number | undefined => {
  const [quota, period] = text.trim().split(/\s+/).map(Number)
  return quota === undefined || period === undefined || !(quota > 0) || !(period > 0) ? undefined : quota / period
}

const quota = (): number | undefined => {
  try {
    return processorsOfQuota(readFileSync(quotaFile, "utf8"))
  } catch {
    // another platform, or an older kind of control groups
    return undefined
  }
}

/** the processors it may run on, or what a container's quota gives of them: 0.5 for half of one */
export const usableProcessors = (): number => Math.min(availableParallelism(), quota() ?? Number.POSITIVE_INFINITY)
