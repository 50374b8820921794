/** Words that may follow what is typed: commands, flags, their values, kinds, and names from the server when it answers within a second. */
import { setTimeout as pause } from "node:timers/promises"
import { type Command, commands } from "../commands.ts"
import { type Flag, type Kind, parseFlags } from "../flags.ts"
import { connectionTo } from "./connection.ts"
import { configFile, loadContexts, type Sources, targetOf } from "./contexts.ts"
import type { Connection } from "./session.ts"

/** milliseconds that a person waits for names */
const patience = 1000

const kinds: ReadonlyArray<Kind> = ["job", "provider", "collection", "benchmark"]

/** what the arguments behind these words name */
const kindOf = ({ client }: Command, words: ReadonlyArray<string>): Kind | undefined =>
  client?.names ?? kinds.find((kind) => kind === words[0]?.replace(/s$/, ""))

interface Listed {
  readonly items: ReadonlyArray<{
    readonly id?: string
    readonly provider_id?: string
    readonly resource?: { readonly id: string }
  }>
}

const idsOf = async (kind: Exclude<Kind, "context">, { client }: Connection): Promise<ReadonlyArray<string>> => {
  const signal = AbortSignal.timeout(patience)
  const outcome =
    kind === "job"
      ? await client.listJobs({ urlParams: { limit: 50, fields: "name" }, signal })
      : kind === "provider"
        ? await client.listProviders({ urlParams: { limit: 50, fields: "name" }, signal })
        : kind === "collection"
          ? await client.listCollections({ urlParams: { limit: 50, fields: "name" }, signal })
          : await client.listBenchmarks({ urlParams: { limit: 100 }, signal })
  if (!outcome.ok || typeof outcome.value !== "object") return []
  return (outcome.value as unknown as Listed).items.map(
    ({ resource, provider_id, id }) => resource?.id ?? `${provider_id}/${id}`
  )
}

const namesOf = async (
  kind: Kind,
  line: ReturnType<typeof parseFlags>,
  sources: Sources
): Promise<ReadonlyArray<string>> => {
  const file = configFile(sources.environment, process.platform)
  if (kind === "context") return Object.keys((await loadContexts(file)).contexts)
  // the input is the terminal's, where somebody types
  if (line.switches.has("token-stdin")) return []
  return idsOf(kind, await connectionTo(await targetOf(line, sources, file), sources.environment, "completion"))
}

/** the flag whose value is typed, and what stands before it in the same word */
const openFlag = (
  flags: ReadonlyArray<Flag>,
  words: ReadonlyArray<string>
): { readonly flag: Flag; readonly before: string } | undefined => {
  const [last = "", previous = ""] = [words.at(-1), words.at(-2)]
  const named = (text: string) => {
    const name = /^--?([A-Za-z][A-Za-z0-9-]*)$/.exec(text)?.[1]
    return name && flags.find((flag) => flag.value !== undefined && (flag.name === name || flag.short === name))
  }
  const [, begin = ""] = /^(--?[^=]+=)/.exec(last) ?? []
  const flag = begin === "" ? named(previous) : named(begin.slice(0, -1))
  return flag ? { flag, before: begin } : undefined
}

/** `words`: all that stand behind `evald`, the last one unfinished */
export const candidates = async (words: ReadonlyArray<string>, sources: Sources): Promise<ReadonlyArray<string>> => {
  const [name = "", ...rest] = words
  const last = words.at(-1) ?? ""
  const fitting = (found: ReadonlyArray<string>) => found.filter((one) => one.startsWith(last))
  if (words.length <= 1) return fitting([...commands.map((command) => command.name), "help"])
  const command = commands.find((one) => one.name === name)
  if (command === undefined) return name === "help" ? fitting(commands.map((one) => one.name)) : []
  const { forms, client } = command
  const flags = forms.flatMap((form) => form.flags)
  // nobody waits for a server, and nobody is told about it, while typing
  const named = (kind: Kind, line: ReturnType<typeof parseFlags>) =>
    Promise.race([namesOf(kind, line, sources), pause(patience, [], { ref: false })]).catch(() => [])
  const open = openFlag(flags, rest)
  if (open !== undefined) {
    const { choices = [] } = open.flag
    const known = typeof choices === "string" ? await named(choices, parseFlags(rest.slice(0, -2), flags)) : choices
    return fitting(known.map((one) => `${open.before}${one}`))
  }
  if (last.startsWith("-")) return fitting([...new Set(flags.map((flag) => `--${flag.name}`))])
  const line = parseFlags(rest.slice(0, -1), flags)
  const first = forms[0].words
  if (first !== undefined && line.positional.length === 0) return fitting(first)
  const kind = kindOf(command, line.positional)
  if (client === undefined || kind === undefined || line.positional.length >= client.takes[1]) return []
  return fitting(await named(kind, line))
}
