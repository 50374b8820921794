/** What every client command has: the parsed line, the server's client, and where it writes. */
import type { Client } from "../../client/client.ts"
import type { ClientCommand } from "../commands.ts"
import type { Parsed } from "../flags.ts"
import type { Context, Target } from "./contexts.ts"
import type { Environment } from "./environment.ts"
import { exits, Stop } from "./exit.ts"
import { type Asked, formatOf, isWhole } from "./output.ts"
import type { Screen } from "./screen.ts"

export interface Build {
  readonly version: string
  readonly gitHash: string
}

export interface Session {
  readonly command: ClientCommand
  readonly line: Parsed
  readonly screen: Screen
  readonly environment: Environment
  readonly platform: NodeJS.Platform
  readonly configFile: string
  readonly build: Build
  /** folder of the built pages */
  readonly pages: string
  /** asked for when it is needed: some commands need no server */
  readonly connect: (candidate?: Candidate) => Promise<Connection>
}

/** a context that is not stored yet */
export interface Candidate {
  readonly name: string
  readonly context: Context
}

export interface Connection {
  readonly target: Target
  readonly client: Client
  /** the server ends with this command, and the job with it; its record stays in this file */
  readonly temporary?: { readonly database: string }
  readonly fetch: typeof fetch
  /** headers of every request */
  readonly headers: { readonly [name: string]: string }
  /** name of the operation that was asked for last */
  readonly lastAsked: () => string | undefined
}

/** answers the exit code */
export type Handler = (session: Session) => Promise<number>

export const flagOf = ({ line }: Session, name: string): string | undefined => line.values.get(name)?.[0]

/** an empty one would name another route of the server */
export const argument = ({ line }: Session, at: number): string => {
  const found = line.positional[at]
  if (found === "") throw new Stop(exits.usage, `argument ${at + 1} is empty; is a variable of yours not set?`)
  return found ?? ""
}

/** a record's id, which may be given as `-o name` prints it: `job/ID` */
export const idIn = (text: string, kind = "job"): string =>
  text.startsWith(`${kind}/`) ? text.slice(kind.length + 1) : text

/** the id of the job that the command is about */
export const jobArgument = (session: Session, at = 0): string => idIn(argument(session, at))

export const wholeNumber = (session: Session, name: string, least = 0): number | undefined => {
  const text = flagOf(session, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
  throw new Stop(exits.usage, `--${name} must be a whole number of at least ${least}`)
}

const units: { readonly [unit: string]: number } = { s: 1, m: 60, h: 3600, d: 86_400 }

/** seconds of `90s`, `30m`, `2h`, `1d`, or of a number */
export const secondsOf = (session: Session, name: string): number | undefined => {
  const text = flagOf(session, name)
  if (text === undefined) return undefined
  const [, amount = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? []
  if (amount === "") throw new Stop(exits.usage, `--${name} must be a time such as 90s, 30m or 2h`)
  return Number(amount) * (units[unit || "s"] ?? 1)
}

export const askedOf = (session: Session): Asked => {
  const [format, columns] = [formatOf(flagOf(session, "output")), flagOf(session, "columns")?.split(",")]
  if (columns !== undefined && isWhole(format))
    throw new Stop(exits.usage, `--columns chooses columns of table, wide and csv; '${format}' has whole records`)
  return { format, columns }
}
