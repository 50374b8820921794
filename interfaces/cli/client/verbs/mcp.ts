/** `evald mcp`: the server for an agent's program that starts this command. Its library is loaded here and by nothing else. */
import { exits, Stop } from "../exit.ts"
import type { Handler } from "../session.ts"

export const mcp: Handler = async (session) => {
  const { switches } = session.line
  if (switches.has("token-stdin"))
    throw new Stop(
      exits.usage,
      "standard input is the agent's: give the token by --token-file, EVALD_TOKEN or a context"
    )
  const { client, target } = await session.connect()
  const { serveStandardStreams } = await import("../../../mcp/stdio.ts")
  session.screen.note(`evald mcp asks ${target.server}`)
  await serveStandardStreams({ version: session.build.version, client, seen: { content: switches.has("content") } })
  return exits.done
}
