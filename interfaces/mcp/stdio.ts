/** An agent's program at the other ends of standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { mcpServer, type Serving } from "./mcp-server.ts"

/** answers until the other side closes; then only what is still being answered keeps the process */
export const serveStandardStreams = (serving: Serving): Promise<void> =>
  new Promise((resolve) => {
    const handle = serveStdio(() => mcpServer(serving))
    process.stdin.once("end", () => void handle.close().then(resolve))
  })
