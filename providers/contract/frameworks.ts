/**
 * The evaluation frameworks that adapters of ours drive: their executable, how it is probed, and the packages that install it. Read by the
 * server (is the framework here?) and by the adapters (where is it?). Reference: providers-and-collections.md, "Framework wrappers".
 */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

export interface Framework {
  /** name of the adapter, as in `evald adapter <name>`; the shipped provider has the same id */
  readonly id: string
  readonly executable: string
  /** arguments with which the executable only says that it works */
  readonly probe: ReadonlyArray<string>
  /** requirement specifiers for pip */
  readonly packages: ReadonlyArray<string>
  readonly pythonMin: string
}

const framework = (
  id: string,
  executable: string,
  pythonMin: string,
  packages: ReadonlyArray<string>,
  probe = ["--version"]
): Framework => ({
  ...{ id, executable, pythonMin, packages, probe }
})

export const FRAMEWORKS: ReadonlyArray<Framework> = [
  // its command line has no --version
  framework("lm_evaluation_harness", "lm_eval", "3.10", ["lm-eval[api]==0.4.13"], ["--help"]),
  framework("garak", "garak", "3.11", ["garak>=0.15,<0.18"]),
  framework(
    "lighteval",
    "lighteval",
    "3.12",
    ["lighteval==0.13.0", "litellm[caching]==1.80.17", "xxhash<4"],
    ["--help"]
  ),
  framework("guidellm", "guidellm", "3.11", ["guidellm[recommended]>=0.8,<0.9"]),
  framework("inspect", "inspect", "3.11", ["inspect-ai", "inspect-evals", "openai"])
]

export const frameworkOf = (id: string): Framework | undefined => FRAMEWORKS.find((one) => one.id === id)

/** what a local provider's command drives: the framework of `evald adapter <id>`; none for other commands and other adapters */
export const frameworkOfCommand = (command: string): Framework | undefined => {
  const id = /^\s*(?:\S*\/)?evald\s+adapter\s+(\S+)\s*$/.exec(command)?.[1]
  return id === undefined ? undefined : frameworkOf(id)
}

const shellWord = (word: string) => (/^[A-Za-z0-9._-]+$/.test(word) ? word : `"${word}"`)

/** a command line for a terminal */
export const installCommand = ({ packages }: Framework): string =>
  `python3 -m pip install ${packages.map((one) => (/[^A-Za-z0-9._-]/.test(one) || packages.length > 1 ? `"${one}"` : shellWord(one))).join(" ")}`

/** what an adapter is told by the local runtime: the value of the setting `frameworks.<provider id>.command` */
export const frameworkCommandVariable = "EVALD_FRAMEWORK_COMMAND"

/** the whole message for somebody who has to install it; `command`: what the setting names, `provider`: whose setting it is */
export const missingFramework = (one: Framework, provider: string, command?: string): string => {
  const where = command === undefined ? "on PATH" : `at ${command} (setting frameworks.${provider}.command)`
  return `provider ${provider} needs the executable "${one.executable}", which was not found ${where}. Install it with: ${installCommand(one)}`
}

const isExecutableFile = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * The executable's path. `command` is a file, a directory that holds the executable (a virtual environment: in its `bin`), or a bare
 * name; without it, `path` (the text of PATH) is searched. Undefined when there is none.
 */
export const findExecutable = (
  { executable }: Framework,
  command: string | undefined,
  path: string | undefined
): string | undefined => {
  if (command?.includes("/"))
    return [command, join(command, "bin", executable), join(command, executable)].find(isExecutableFile)
  const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "")
  return folders.map((folder) => join(folder, command ?? executable)).find(isExecutableFile)
}
