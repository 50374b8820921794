/** `evald mcp`: the server for an agent's program that starts this command. Its library is loaded here and by nothing else. */
import { readAllowance } from "../../../../values/allowance.ts"
import { defined } from "../../../../values/defined.ts"
import { isHost } from "../../../../values/host.ts"
import { type Writing, writingNames } from "../../../mcp/writing.ts"
import { exits, Stop } from "../exit.ts"
import { flagOf, type Handler, type Session } from "../session.ts"

const partsOf = (session: Session, name: string): ReadonlyArray<string> =>
  (flagOf(session, name) ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))

/** undefined: agents only read */
const writingOf = (session: Session): Writing | undefined => {
  const tools = partsOf(session, "allow-write").map((part) => {
    const found = writingNames.find((name) => name === part)
    if (found === undefined)
      throw new Stop(exits.usage, `--allow-write is of ${writingNames.join(", ")}, and '${part}' is none of them`)
    return found
  })
  const modelHosts = partsOf(session, "model-hosts").map((part) => part.toLowerCase())
  const wrong = modelHosts.find((host) => !isHost(host))
  if (wrong !== undefined)
    throw new Stop(exits.usage, `--model-hosts is of hosts such as 127.0.0.1:8000, and '${wrong}' is none`)
  const sums = flagOf(session, "unattended-budget")
  const unattended = sums === undefined ? undefined : readAllowance(sums)
  if (sums !== undefined && unattended === undefined)
    throw new Stop(exits.usage, "--unattended-budget must be sums such as requests=200,tokens=100000,cost=1.5")
  return tools.length === 0 ? undefined : { tools, modelHosts, ...defined({ unattended }) }
}

export const mcp: Handler = async (session) => {
  const { switches } = session.line
  if (switches.has("token-stdin"))
    throw new Stop(
      exits.usage,
      "standard input is the agent's: give the token by --token-file, EVALD_TOKEN or a context"
    )
  const writing = writingOf(session)
  const { client, target } = await session.connect()
  const { serveStandardStreams } = await import("../../../mcp/stdio.ts")
  session.screen.note(`evald mcp asks ${target.server}`)
  await serveStandardStreams({
    version: session.build.version,
    client,
    seen: { content: switches.has("content") },
    ...defined({ writing })
  })
  return exits.done
}
