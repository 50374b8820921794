/** The library's client as an agent's program has it, and what its tools told. */
import { type CallToolResult, Client } from "@modelcontextprotocol/client"
import { assert } from "vitest"
import { warning } from "../../../interfaces/mcp/told.ts"

export type Era = "legacy" | "auto"

/** of the versions from 2024 on (`legacy`), or of the newest that the other side has */
export const agent = (era: Era): Client =>
  new Client({ name: "a test", version: "1.0.0" }, { versionNegotiation: { mode: era } })

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
