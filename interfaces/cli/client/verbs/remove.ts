/** `evald delete`: jobs, providers and collections by their ids, or what a file defines. */
import { answered, exits, Stop } from "../exit.ts"
import { plain } from "../screen.ts"
import { type Handler, idIn, type Session } from "../session.ts"
import { definitionsIn, existing } from "./define.ts"

const sure = async ({ line, screen }: Session, what: string): Promise<void> => {
  if (line.switches.has("yes")) return
  // what was read to its end answers no question
  const asks = screen.asks && line.values.get("file")?.includes("-") !== true
  if (!asks) throw new Stop(exits.usage, `nobody can be asked whether to remove ${what}: say --yes`)
  const { createInterface } = await import("node:readline/promises")
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`remove ${plain(what)}? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new Stop(exits.other, "nothing was removed")
  } finally {
    terminal.close()
  }
}

/** the tenant's own records of the names in the files; what is not there is said when all others are gone */
const removeDefined = async (session: Session, files: ReadonlyArray<string>): Promise<number> => {
  const definitions = await definitionsIn(files)
  await sure(session, definitions.map(({ kind, name }) => `${kind} ${name}`).join(", "))
  const { client } = await session.connect()
  const absent: Array<string> = []
  // a collection may name a provider of the same file
  for (const kind of ["collection", "provider"] as const)
    for (const definition of definitions.filter((one) => one.kind === kind)) {
      const id = await existing(client, definition)
      const what = `${kind} ${definition.name}`
      if (id === undefined) absent.push(what)
      else {
        if (kind === "provider") answered(await client.removeProvider({ path: { id } }))
        else answered(await client.removeCollection({ path: { id } }))
        session.screen.note(`${what} is removed`)
      }
    }
  if (absent.length > 0)
    throw new Stop(exits.other, `not there: ${absent.join(", ")}`, `evald get ${absent[0]?.split(" ", 1)[0]}s`)
  return exits.done
}

export const remove: Handler = async (session) => {
  const [kind = "", ...given] = session.line.positional
  const files = session.line.values.get("file") ?? []
  if (files.length > 0 && kind !== "")
    throw new Stop(exits.usage, `with -f the file says it all, '${kind}' has no place beside it`)
  if (files.length > 0) return removeDefined(session, files)
  if (given.length === 0) throw new Stop(exits.usage, `something is missing: ${session.command.usage}`)
  const ids = given.map((text) => idIn(text, kind))
  await sure(session, `${kind} ${ids.join(", ")}`)
  const { client } = await session.connect()
  for (const id of ids) {
    const path = { id }
    if (kind === "job") answered(await client.cancelJob({ path, urlParams: { hard_delete: true } }))
    else if (kind === "provider") answered(await client.removeProvider({ path }))
    else answered(await client.removeCollection({ path }))
    session.screen.note(`${kind} ${id} is removed`)
  }
  return exits.done
}
