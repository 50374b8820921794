/** One client command from its words to its exit code. Nothing of the Effect runtime is loaded here. */

import { nearest } from "../../../values/nearest.ts"
import type { ClientCommand } from "../commands.ts"
import { type Parsed, parseFlags, renderHelp } from "../flags.ts"
import { connectionTo } from "./connection.ts"
import { configFile, type Sources, targetOf } from "./contexts.ts"
import { exits, NobodyReads, Stop, stopOf } from "./exit.ts"
import type { Screen } from "./screen.ts"
import type { Build, Connection, Handler, Session } from "./session.ts"
import { skewOf } from "./skew.ts"
import { cancel, logs, wait, watch } from "./verbs/job.ts"
import { open } from "./verbs/open.ts"
import { api, version, whoami } from "./verbs/own.ts"
import { describe, get } from "./verbs/read.ts"

/** read when it is typed: what every command reads is what the quick ones need */
const later =
  (load: () => Promise<Handler>): Handler =>
  async (session) =>
    (await load())(session)

const handlers: { readonly [name: string]: Handler } = {
  run: later(async () => (await import("./verbs/run.ts")).run),
  get,
  describe,
  watch,
  wait,
  logs,
  samples: later(async () => (await import("./verbs/samples.ts")).samples),
  export: later(async () => (await import("./verbs/export.ts")).exporting),
  report: later(async () => (await import("./verbs/report.ts")).report),
  compare: later(async () => (await import("./verbs/decide.ts")).compare),
  gate: later(async () => (await import("./verbs/decide.ts")).gate),
  open,
  rerun: later(async () => (await import("./verbs/run.ts")).rerun),
  cancel,
  delete: later(async () => (await import("./verbs/remove.ts")).remove),
  apply: later(async () => (await import("./verbs/define.ts")).apply),
  login: later(async () => (await import("./verbs/context.ts")).login),
  context: later(async () => (await import("./verbs/context.ts")).context),
  whoami,
  api,
  mcp: later(async () => (await import("./verbs/mcp.ts")).mcp),
  completion: later(async () => (await import("./verbs/completion.ts")).completion),
  version
}

/** what is wrong with the arguments that are no flags */
const wrongWords = (
  { takes: [least, most], words, usage }: ClientCommand,
  given: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const [first] = given
  if (words !== undefined && first !== undefined && !words.includes(first)) {
    // kinds may be said in the singular or plural
    const meant = words.find((word) => word === `${first}s` || `${word}s` === first) ?? nearest(first, words)
    return [`unknown '${first}'${meant === undefined ? `: ${usage}` : `; did you mean ${meant}?`}`]
  }
  if (given.length < least) return [`something is missing: ${usage}`]
  const [surplus] = given.slice(most)
  return surplus === undefined ? [] : [`unexpected argument '${surplus}': ${usage}`]
}

/** what to type after a failure that names nothing itself: what tells the flags, or what says all that is wrong with a file */
const nextOfLine = (name: string, { values }: Parsed, { exitCode, code = "" }: Stop): string | undefined => {
  const [file] = values.get("file") ?? []
  if (exitCode === exits.usage || code.startsWith("query_parameter")) return `evald ${name} --help`
  if (code !== "invalid_value") return undefined
  return file === undefined || file === "-" ? `evald ${name} --help` : `evald validate ${file}`
}

export interface Host extends Sources {
  readonly platform: NodeJS.Platform
  readonly build: Build
  /** folder of the built pages */
  readonly pages: string
  readonly screenOf: (quiet: boolean) => Screen
}

/** answers the exit code */
export const runClient = async (
  name: string,
  command: ClientCommand,
  args: ReadonlyArray<string>,
  { environment, kubeconfigToken, platform, build, pages, screenOf }: Host,
  handler = handlers[name]
): Promise<number> => {
  const line = parseFlags(args, command.flags)
  const screen = screenOf(line.switches.has("quiet"))
  if (line.switches.has("help")) {
    screen.out(renderHelp(command))
    return exits.done
  }
  // what stands behind a flag that there is not may be its value, and a secret
  const wrong = line.problems.length > 0 ? line.problems : wrongWords(command, line.positional)
  if (handler === undefined || wrong.length > 0) {
    screen.fail(`evald ${name}: ${wrong.join("; ")}\nnext: evald ${name} --help`)
    return exits.usage
  }
  const file = configFile(environment, platform)
  let server = "the server"
  let connection: Connection | undefined
  const session: Session = {
    ...{ command, line, screen, environment, platform, build, pages },
    configFile: file,
    connect: async (candidate) => {
      const target = await targetOf(line, { environment, kubeconfigToken }, file, candidate)
      server = target.server
      connection = await connectionTo(target, environment, build.version)
      return connection
    }
  }
  try {
    return await handler(session)
  } catch (error) {
    if (error instanceof NobodyReads) return exits.done
    const stop = error instanceof Stop ? error : stopOf(error, server)
    const skew = connection === undefined ? undefined : await skewOf(connection, stop.code, build.version)
    const next = stop.next ?? (skew === undefined ? nextOfLine(name, line, stop) : "evald version")
    const lines = [`evald ${name}: ${stop.message}`, skew, next === undefined ? undefined : `next: ${next}`]
    screen.fail(lines.filter((line) => line !== undefined).join("\n"))
    return stop.exitCode
  }
}
