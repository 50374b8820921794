/**
 * The service for agents, over the client of the API: tools, resources and prompts. Each server answers one caller, and holds nothing between its
 * calls, so that any replica may answer the next one. Reference: docs/mcp.md, "Tools".
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext
} from "@modelcontextprotocol/server"
import { stopOf } from "../cli/client/exit.ts"
import type { Client } from "../client/client.ts"
import { benchmarkOf } from "./catalogue-tools.ts"
import { jobTold } from "./job-tools.ts"
import { prompts } from "./prompts.ts"
import { seen as shown, told, warning } from "./told.ts"
import type { Arguments, Asking, Seen, Tool, ToolText } from "./tool.ts"
import { readingTools } from "./tools.ts"
import type { Writing } from "./writing.ts"
import { type WritingTool, writingTools } from "./writing-tools.ts"

export interface Serving {
  readonly version: string
  /** asks as the caller, in its tenant */
  readonly client: Client
  readonly seen: Seen
  /** absent: there are no tools but those that read */
  readonly writing?: Writing
}

const instructions = `Evaluations of language models. Scores come with an interval and a verdict: tell them together. ${warning}`

const schemaOf = ({ takes, needs = [] }: Pick<ToolText, "takes" | "needs">) =>
  fromJsonSchema<Arguments>({
    type: "object",
    properties: takes,
    required: [...needs],
    additionalProperties: false
  })

const failed = (error: unknown): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: shown(stopOf(error, "the server").message) }]
})

const register = (server: McpServer, { version: _, ...serving }: Serving, tool: Tool) => {
  const { name, title, description, records, ask } = tool
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: schemaOf(tool),
      annotations: { readOnlyHint: records !== true, destructiveHint: false, openWorldHint: false }
    },
    async (args, { mcpReq: { signal } }): Promise<CallToolResult> => {
      try {
        return { content: [{ type: "text", text: told(await ask({ ...serving, signal }, args)) }] }
      } catch (error) {
        return failed(error)
      }
    }
  )
}

/** of a message of the newest version of the protocol, which tells with each what its program can do */
type Envelope = { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
type Calling = Pick<ServerContext["mcpReq"], "envelope" | "inputResponses" | "signal">

/** whether the agent's program can put a question to its user */
const asksUser = ({ server }: McpServer, { envelope }: Calling): boolean => {
  // of this message; of older versions, what the program said of itself when the connection began
  const told: Envelope | undefined = envelope
  const { elicitation } = told?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

const confirmation = {
  type: "object" as const,
  properties: { confirm: { type: "boolean" as const, title: "Do it" } },
  required: ["confirm"]
}

const registerWriting = (
  server: McpServer,
  { client, seen, writing }: Serving & { readonly writing: Writing },
  tool: WritingTool
) =>
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      inputSchema: schemaOf(tool),
      annotations: { readOnlyHint: false, destructiveHint: tool.destructive, openWorldHint: false }
    },
    async (args, { mcpReq }: { readonly mcpReq: Calling }): Promise<CallToolResult | InputRequiredResult> => {
      try {
        const asking = { client, seen, signal: mcpReq.signal, writing }
        const { question, needsPerson, act } = await tool.prepare(asking, args)
        if (asksUser(server, mcpReq)) {
          const given = inputResponse(mcpReq.inputResponses, "confirm")
          if (given.kind === "missing")
            return inputRequired({
              inputRequests: {
                confirm: inputRequired.elicit({ message: shown(question), requestedSchema: confirmation })
              }
            })
          if (given.kind !== "elicit" || given.action !== "accept" || given.content?.["confirm"] !== true)
            throw new Error(
              "the user was asked and did not say yes: nothing was done, and nothing is to be tried again"
            )
        } else if (needsPerson !== undefined) throw new Error(`${needsPerson}: nothing was done`)
        return { content: [{ type: "text", text: told(await act()) }] }
      } catch (error) {
        return failed(error)
      }
    }
  )

/** `evald://jobs/{id}` and the like: what the tool of that name tells */
const resource = (
  server: McpServer,
  { client, seen }: Serving,
  {
    name,
    title,
    address,
    read
  }: {
    readonly name: string
    readonly title: string
    readonly address: string
    readonly read: (asking: Asking, args: Arguments) => Promise<unknown>
  }
) =>
  server.registerResource(
    name,
    new ResourceTemplate(address, { list: undefined }),
    { title, mimeType: "application/json" },
    async (uri, variables, { mcpReq: { signal } }) => ({
      contents: [
        { uri: uri.href, mimeType: "application/json", text: told(await read({ client, seen, signal }, variables)) }
      ]
    })
  )

/** a server for one caller */
export const mcpServer = (serving: Serving): McpServer => {
  const server = new McpServer({ name: "evald", version: serving.version }, { instructions })
  for (const tool of readingTools) register(server, serving, tool)
  const { writing } = serving
  if (writing !== undefined)
    for (const tool of writingTools)
      if (writing.tools.includes(tool.name)) registerWriting(server, { ...serving, writing }, tool)
  resource(server, serving, { name: "job", title: "A job", address: "evald://jobs/{id}", read: jobTold })
  resource(server, serving, {
    name: "benchmark",
    title: "A benchmark",
    address: "evald://benchmarks/{provider}/{id}",
    read: benchmarkOf
  })
  for (const { name, title, description, takes, says } of prompts)
    server.registerPrompt(
      name,
      {
        title,
        description,
        argsSchema: fromJsonSchema<{ readonly [name: string]: string }>({
          type: "object",
          properties: Object.fromEntries(
            Object.entries(takes).map(([key, meaning]) => [key, { type: "string", description: meaning }])
          ),
          required: Object.keys(takes)
        })
      },
      (given) => ({ messages: [{ role: "user", content: { type: "text", text: says(given) } }] })
    )
  return server
}
