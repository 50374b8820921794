/**
 * What the operating system says about processes, and signals to groups. A process is recognised across restarts by its id together
 * with its start time, since ids are used again. Start times and run-id marks are read from /proc: on systems without it a process is
 * only recognised by its id, and children that left their group are not found.
 */
import { readdirSync, readFileSync } from "node:fs"

/** a process that may or may not be alive any more */
export interface ProcessMark {
  readonly pid: number
  /** start time in clock ticks since boot; absent where /proc does not exist */
  readonly startTicks?: string
}

interface Stat {
  readonly state: string
  readonly group: string
  readonly startTicks: string
}

const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    // the command name in parentheses may hold anything, spaces and parentheses included
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "", group: fields[2] ?? "", startTicks: fields[19] ?? "" }
  } catch {
    return undefined
  }
}

export const markOf = (pid: number): ProcessMark => {
  const startTicks = statOf(pid)?.startTicks
  return startTicks === undefined ? { pid } : { pid, startTicks }
}

const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const runs = (stat: Stat): boolean => stat.state !== "Z" && stat.state !== "X"

/** is this very process still running? A zombie is not. */
export const isAlive = (mark: ProcessMark): boolean => {
  if (mark.startTicks === undefined) return answers(mark.pid)
  const stat = statOf(mark.pid)
  return stat !== undefined && stat.startTicks === mark.startTicks && runs(stat)
}

/** to every process of the group; false when there is none */
export const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
    if ((error as NodeJS.ErrnoException).code === "EPERM") return true
    throw error
  }
}

export const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // gone between the look and the signal
  }
}

const processIds = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** does anything run in this group? Zombies that nobody collects (a container without an init process) do not count. */
export const groupRuns = (group: number): boolean => {
  if (!signalGroup(group, 0)) return false
  const leader = statOf(group)
  if (leader !== undefined && runs(leader)) return true
  const all = processIds()
  return all.length === 0 || all.map(statOf).some((stat) => stat !== undefined && stat.group === String(group) && runs(stat))
}

const carries = (pid: number, runId: string): boolean => {
  if (pid === process.pid) return false
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`.includes(`\0EVALD_RUN_ID=${runId}\0`)
  } catch {
    return false
  }
}

/** processes of this user whose environment carries this run id; zombies have no environment any more */
export const processesOfRun = (runId: string): ReadonlyArray<number> => processIds().filter((pid) => carries(pid, runId))

/** ids are given out in rising order until they start over: the last one given, NaN where that is not known */
const lastProcessId = (): number => {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1))
  } catch {
    return Number.NaN
  }
}

/**
 * Does anything of this run live that its leader started? Reading only ids above the leader's makes the look after every unit cheap; it
 * is enough for a unit that lived so shortly that ids did not start over.
 */
export const youngRunLives = (runId: string, leader: number): boolean => {
  const all = processIds()
  const candidates = lastProcessId() >= leader ? all.filter((pid) => pid > leader) : all
  return candidates.some((pid) => carries(pid, runId))
}

/** ends processes that left their group; again until none is found, since a dying one may have forked (at most ten rounds) */
export const killRun = (runId: string): number => {
  let killed = 0
  for (let round = 0; round < 10; round++) {
    const found = processesOfRun(runId)
    if (found.length === 0) break
    for (const pid of found) signalProcess(pid, "SIGKILL")
    killed += found.length
  }
  return killed
}
