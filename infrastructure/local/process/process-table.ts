/**
 * What the operating system says about processes, and signals to groups. A process is recognised across restarts by its id together
 * with its start time, since ids are used again. Start times and run-id marks are read from /proc: on systems without it a process is
 * only recognised by its id, and children that left their group are not found. One process is looked at directly; whatever looks at all
 * of them does so without holding the thread.
 */
import { readFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"

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

const readStat = (text: string): Stat => {
  // the command name in parentheses may hold anything, spaces and parentheses included
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0] ?? "", group: fields[2] ?? "", startTicks: fields[19] ?? "" }
}

const statOf = (pid: number): Stat | undefined => {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, "latin1"))
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

/** empty where /proc does not exist */
const processIds = (): Promise<ReadonlyArray<number>> =>
  readdir("/proc").then(
    (names) => names.map(Number).filter(Number.isInteger),
    () => []
  )

/** undefined when it is gone, or not ours to read */
const procFile = (pid: number, name: "stat" | "environ"): Promise<string | undefined> =>
  readFile(`/proc/${pid}/${name}`, "latin1").then(
    (text) => text,
    () => undefined
  )

/** files read at once */
const atOnce = 32

const filtered = async (
  pids: ReadonlyArray<number>,
  test: (pid: number) => Promise<boolean>
): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (let at = 0; at < pids.length; at += atOnce) {
    const some = pids.slice(at, at + atOnce)
    const answers = await Promise.all(some.map(test))
    found.push(...some.filter((_, position) => answers[position] === true))
  }
  return found
}

/** does anything run in this group? Zombies that nobody collects (a container without an init process) do not count. */
export const groupRuns = async (group: number): Promise<boolean> => {
  if (!signalGroup(group, 0)) return false
  const leader = statOf(group)
  if (leader !== undefined && runs(leader)) return true
  const all = await processIds()
  if (all.length === 0) return true
  const members = await filtered(all, async (pid) => {
    const text = await procFile(pid, "stat")
    if (text === undefined) return false
    const stat = readStat(text)
    return stat.group === String(group) && runs(stat)
  })
  return members.length > 0
}

const carrying = (pids: ReadonlyArray<number>, runId: string): Promise<ReadonlyArray<number>> =>
  filtered(pids, async (pid) => {
    if (pid === process.pid) return false
    const environment = await procFile(pid, "environ")
    return environment !== undefined && `\0${environment}\0`.includes(`\0EVALD_RUN_ID=${runId}\0`)
  })

/** processes of this user whose environment carries this run id; zombies have no environment any more */
export const processesOfRun = async (runId: string): Promise<ReadonlyArray<number>> =>
  carrying(await processIds(), runId)

/** ids are given out in rising order until they start over: the last one given, NaN where that is not known */
const lastProcessId = (): Promise<number> =>
  readFile("/proc/loadavg", "latin1").then(
    (text) => Number(text.trim().split(" ").at(-1)),
    () => Number.NaN
  )

/**
 * Does anything of this run live that its leader started? Reading only ids above the leader's makes the look after every unit cheap; it
 * is enough for a unit that lived so shortly that ids did not start over.
 */
export const youngRunLives = async (runId: string, leader: number): Promise<boolean> => {
  const [all, last] = await Promise.all([processIds(), lastProcessId()])
  return (await carrying(last >= leader ? all.filter((pid) => pid > leader) : all, runId)).length > 0
}

/** ends processes that left their group; again until none is found, since a dying one may have forked (at most ten rounds) */
export const killRun = async (runId: string): Promise<number> => {
  let killed = 0
  for (let round = 0; round < 10; round++) {
    const found = await processesOfRun(runId)
    if (found.length === 0) break
    for (const pid of found) signalProcess(pid, "SIGKILL")
    killed += found.length
  }
  return killed
}
