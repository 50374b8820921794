/**
 * Command-line flags as data: parsing, help and the message for a wrong flag come from one table. `-local` and `--local`, `--name value`
 * and `--name=value` are the same (`node:util` would read `-local` as five short flags).
 */
import { nearest } from "../../values/nearest.ts"

export interface Flag {
  /** without dashes */
  readonly name: string
  /** one letter that stands for the name */
  readonly short?: string
  /** absent: a switch; else the word shown for its value */
  readonly value?: string
  readonly repeated?: boolean
  readonly meaning: string
  /** what may be completed: known values, or records of this kind */
  readonly choices?: ReadonlyArray<string> | Kind
}

/** of what a server, or for contexts this account, knows the names */
export type Kind = "job" | "provider" | "collection" | "benchmark" | "context"

export const helpFlag: Flag = { name: "help", short: "h", meaning: "show this text" }
export const configDirFlag: Flag = {
  name: "configdir",
  value: "DIR",
  meaning: "configuration directory (default config)"
}

export interface CommandHelp {
  readonly usage: string
  readonly summary: string
  readonly flags: ReadonlyArray<Flag>
  readonly examples?: ReadonlyArray<string>
  /** words that may stand first, such as the kinds of records */
  readonly words?: ReadonlyArray<string>
}

export interface Parsed {
  readonly switches: ReadonlySet<string>
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly positional: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

const meant = (name: string, flags: ReadonlyArray<Flag>): string => {
  const names = flags.map((flag) => flag.name)
  const found = names.find((known) => known.startsWith(name) || name.startsWith(known)) ?? nearest(name, names)
  return found === undefined ? "" : `; did you mean --${found}?`
}

export const parseFlags = (args: ReadonlyArray<string>, flags: ReadonlyArray<Flag>): Parsed => {
  const switches = new Set<string>()
  const values = new Map<string, Array<string>>()
  const positional: Array<string> = []
  const problems: Array<string> = []
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? ""
    const match = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(argument)
    if (match === null) {
      positional.push(argument)
      continue
    }
    const [, name = "", inline] = match
    const flag = flags.find((candidate) => candidate.name === name || candidate.short === name)
    // without its value, which may be a secret
    if (flag === undefined) problems.push(`unknown flag '${argument.split("=", 1)[0]}'${meant(name, flags)}`)
    else if (flag.value === undefined) {
      if (inline === undefined || inline === "true") switches.add(flag.name)
      else if (inline !== "false") problems.push(`--${flag.name} is a switch, it takes no value`)
    } else {
      const value = inline ?? args[++i]
      if (value === undefined) problems.push(`--${flag.name} needs a value: --${flag.name} ${flag.value}`)
      else if (values.has(flag.name) && flag.repeated !== true) problems.push(`--${flag.name} is given twice`)
      else values.set(flag.name, [...(values.get(flag.name) ?? []), value])
    }
  }
  return { switches, values, positional, problems }
}

export const renderHelp = ({ usage, summary, flags, examples }: CommandHelp): string => {
  const left = flags.map(
    ({ name, short, value }) =>
      `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`
  )
  const width = Math.max(0, ...left.map((text) => text.length)) + 2
  return [
    summary,
    "",
    `Usage: ${usage}`,
    ...(flags.length === 0
      ? []
      : [
          "",
          "Flags:",
          ...flags.map(
            ({ meaning, repeated }, i) =>
              `${(left[i] ?? "").padEnd(width)}${meaning}${repeated === true ? " (may be repeated)" : ""}`
          )
        ]),
    ...(examples === undefined ? [] : ["", "Examples:", ...examples.map((example) => `  ${example}`)]),
    ""
  ].join("\n")
}

/** exit code of a wrong command line (EX_USAGE) */
export const usageExit = 64
