/** One HTTP request of an agent's program, answered without anything that was kept of an earlier one. */
import { createMcpHandler } from "@modelcontextprotocol/server"
import { mcpServer, type Serving } from "./mcp-server.ts"

/** `document`: the parsed body of `request` */
export const answerRequest = (serving: Serving, request: Request, document: unknown): Promise<Response> =>
  createMcpHandler(() => mcpServer(serving), { responseMode: "json" }).fetch(request, { parsedBody: document })
