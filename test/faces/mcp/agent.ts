/** The library's client as an agent's program has it, and what its tools told. */
import {
  type CallToolResult,
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport
} from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { assert } from "vitest"
import { warning } from "../../../interfaces/mcp/told.ts"

export type Era = "legacy" | "auto"

/** who sits before the agent's program, and answers its questions */
export type User = (question: string) => ElicitResult

/** of the versions from 2024 on (`legacy`), or of the newest that the other side has; without a user it can not ask anybody */
export const agent = (era: Era, user?: User): Client => {
  const client = new Client(
    { name: "a test", version: "1.0.0" },
    { versionNegotiation: { mode: era }, ...(user === undefined ? {} : { capabilities: { elicitation: {} } }) }
  )
  if (user !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => user(params.message))
  return client
}

/** over HTTP, until the scope closes */
export const connected = (
  port: number,
  headers: { readonly [name: string]: string } = {},
  { era = "auto", user }: { readonly era?: Era; readonly user?: User | undefined } = {}
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = agent(era, user)
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } })
      )
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

export const textOf = ({ content }: Pick<CallToolResult, "content">): string => {
  const [first, ...more] = content
  assert.deepStrictEqual(more, [])
  return first?.type === "text" ? first.text : assert.fail(`no text but ${first?.type}`)
}

/** what the tool told, behind the sentence that says what it is */
export const ask = async (client: Client, name: string, args: object = {}): Promise<unknown> => {
  const result = (await client.callTool({ name, arguments: { ...args } })) as CallToolResult
  const text = textOf(result)
  assert.notStrictEqual(result.isError, true, `${name}: ${text}`)
  assert.isTrue(text.startsWith(`${warning}\n`), text.slice(0, 200))
  return JSON.parse(text.slice(warning.length + 1))
}

/** what the refusal of a tool says */
export const refused = async (client: Client, name: string, args: object = {}): Promise<string> => {
  const result = (await client.callTool({ name, arguments: { ...args } })) as CallToolResult
  assert.isTrue(result.isError, `${name} was not refused`)
  return textOf(result)
}
