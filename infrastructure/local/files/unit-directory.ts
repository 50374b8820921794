/**
 * Directories of a local unit: `<base>/<instance>/<job id>/<index>-<slug>` with the members that the contract names, all of mode 0700.
 * Reference: adapter-contract.md, "Addresses".
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Unit, UnitId } from "../../../application/ports/runtime.ts"
import { slug } from "../../unit/names.ts"
import { writePrivate } from "./guarded-file.ts"

export interface UnitDirectory {
  readonly root: string
  readonly jobFile: string
  readonly work: string
  readonly results: string
  readonly spool: string
  readonly tmp: string
  readonly testData: string
  readonly secrets: string
  readonly modelAuth: string
  readonly log: string
}

export const directoryOf = (root: string): UnitDirectory => ({
  root,
  jobFile: join(root, "meta", "job.json"),
  work: join(root, "work"),
  results: join(root, "results"),
  spool: join(root, "spool"),
  tmp: join(root, "tmp"),
  testData: join(root, "test_data"),
  secrets: join(root, "secrets"),
  modelAuth: join(root, "secrets", "model"),
  log: join(root, "log")
})

/**
 * The instance's own directory below the base, both private. The base often lies in a shared temporary directory: one that belongs to
 * somebody else, or is a link, could be a trap and is refused.
 */
export const prepareInstance = (baseDir: string, instance: string): string => {
  mkdirSync(baseDir, { recursive: true, mode: 0o700 })
  const stats = lstatSync(baseDir)
  if (!stats.isDirectory()) throw new Error("it is not a directory")
  if (process.getuid !== undefined && stats.uid !== process.getuid()) throw new Error("it belongs to another user")
  chmodSync(baseDir, 0o700)
  const directory = join(baseDir, instance)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

export const unitRoot = (instanceDir: string, unit: Unit): string =>
  join(instanceDir, unit.jobId, `${unit.index}-${slug(unit.benchmark.entry.id)}`)

/** the directory of a benchmark whose id is not at hand; undefined when it was never launched or is already removed */
export const findUnitRoot = (instanceDir: string, unit: Pick<UnitId, "jobId" | "index">): string | undefined => {
  const name = namesIn(join(instanceDir, unit.jobId)).find((one) => one.startsWith(`${unit.index}-`))
  return name === undefined ? undefined : join(instanceDir, unit.jobId, name)
}

export const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** false when something is there already, or nothing that it could lie in */
const isMade = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (["EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false
    throw error
  }
}

/** a folder of the user alone, also where an earlier attempt left something else, or opened it to others */
const privateFolder = (path: string): void => {
  // of a first attempt, which is the rule: one call in place of three
  if (isMade(path)) return
  if (!isFolder(path)) rmSync(path, { force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
}

/** creates what an adapter expects to find; credentials of an earlier attempt are removed, everything else it left is kept */
export const createUnit = (root: string): UnitDirectory => {
  const directory = directoryOf(root)
  const { work, results, spool, tmp, testData, secrets, modelAuth, log } = directory
  rmSync(secrets, { recursive: true, force: true })
  if (!isFolder(testData)) rmSync(testData, { force: true })
  for (const path of [dirname(root), root, join(root, "meta"), work, results, spool, tmp, secrets, modelAuth, log])
    privateFolder(path)
  return directory
}

/**
 * Staged test data is read-only, which also keeps it from being removed. `path` is a unit's directory, or one of the `levels` above it.
 * What cannot be changed shows when it is removed.
 */
export const unlockTestData = (path: string, levels = 2): void => {
  const { testData } = directoryOf(path)
  if (isFolder(testData)) chmodSync(testData, 0o755)
  if (levels === 0) return
  for (const name of namesIn(path)) {
    const below = join(path, name)
    if (isFolder(below)) unlockTestData(below, levels - 1)
  }
}

const launchedMark = (root: string, attempt: number) => join(root, `.launched-${attempt}`)

/** remembers, for as long as the directory lives, that this attempt had a process */
export const markLaunched = (root: string, attempt: number): void => writePrivate(launchedMark(root, attempt), "")

/** its process could not be started after all */
export const unmarkLaunched = (root: string, attempt: number): void =>
  rmSync(launchedMark(root, attempt), { force: true })

export const wasLaunched = (root: string, attempt: number): boolean => existsSync(launchedMark(root, attempt))

/** its time of change counts how long the directory is kept */
export const endedMark = (root: string): string => join(root, ".ended")
