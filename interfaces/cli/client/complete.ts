/** Words that may follow what is typed: commands, flags, kinds, and identifiers from the server when it answers within a second. */
import { commands } from "../commands.ts"
import { parseFlags } from "../flags.ts"
import { connectionTo } from "./connection.ts"
import { configFile, targetOf } from "./contexts.ts"
import type { Environment } from "./environment.ts"

type Kind = "job" | "provider" | "collection"

/** commands whose arguments are jobs */
const ofJobs = ["watch", "wait", "logs", "samples", "open", "export", "report", "compare", "gate", "cancel", "rerun"]

const kindOf = (command: string, words: ReadonlyArray<string>): Kind | undefined => {
  if (["get", "describe", "delete"].includes(command)) {
    const kind = words[0]?.replace(/s$/, "")
    return kind === "job" || kind === "provider" || kind === "collection" ? kind : undefined
  }
  return ofJobs.includes(command) ? "job" : undefined
}

const idsOf = async (
  kind: Kind,
  line: ReturnType<typeof parseFlags>,
  environment: Environment
): Promise<ReadonlyArray<string>> => {
  const target = await targetOf(line, environment, configFile(environment, process.platform))
  const { client } = await connectionTo(target, environment, "completion")
  const list = { job: client.listJobs, provider: client.listProviders, collection: client.listCollections }[kind]
  const outcome = await (list as typeof client.listJobs)({
    urlParams: { limit: 50, fields: "name" },
    signal: AbortSignal.timeout(1000)
  } as never)
  if (!outcome.ok || outcome.value === undefined || typeof outcome.value === "string") return []
  return outcome.value.items.map(({ resource }) => resource.id)
}

/** `words`: all that stand behind `evald`, the last one unfinished */
export const candidates = async (
  words: ReadonlyArray<string>,
  environment: Environment
): Promise<ReadonlyArray<string>> => {
  const [name = "", ...rest] = words
  const last = words.at(-1) ?? ""
  const fitting = (found: ReadonlyArray<string>) => found.filter((one) => one.startsWith(last))
  if (words.length <= 1) return fitting(commands.map((command) => command.name))
  const client = commands.find((command) => command.name === name)?.client
  if (client === undefined) return []
  if (last.startsWith("-")) return fitting(client.flags.map((flag) => `--${flag.name}`))
  const line = parseFlags(rest.slice(0, -1), client.flags)
  if (client.words !== undefined && line.positional.length === 0) return fitting(client.words)
  const kind = kindOf(name, line.positional)
  if (kind === undefined || line.positional.length >= client.takes[1]) return []
  // nobody waits for a server, and nobody is told about it, while typing
  return idsOf(kind, line, environment).then(fitting, () => [])
}
