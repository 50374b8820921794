/**
 * The name of what was asked: equal for two runs that put the same question, whatever model, sampling parameters and seed they asked it with.
 * Reference: samples.md, "Members".
 */
import { createHash } from "node:crypto"
import { digestOf } from "../../values/digest.ts"
import type { ChatMessage, ToolDefinition } from "./model/model-exchange.ts"
import { wireMessage, wireTool } from "./model/model-wire.ts"

/** a question as it goes over the wire; `tools` and `response_format` only where there are any */
export interface AskedPrompt {
  readonly messages?: ReadonlyArray<unknown>
  readonly prompt?: string
  readonly tools?: ReadonlyArray<unknown>
  readonly response_format?: unknown
}

/** SHA-256 (hex) of the canonical JSON */
export const promptDigest = ({ messages, prompt, tools = [], response_format: format }: AskedPrompt): string =>
  digestOf({
    ...(messages === undefined ? { prompt: prompt ?? "" } : { messages }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(format === undefined || format === null ? {} : { response_format: format })
  })

/** of a conversation with a model, tools and a format in which it is to answer */
export const chatDigest = (
  messages: ReadonlyArray<ChatMessage>,
  tools: ReadonlyArray<ToolDefinition> = [],
  format?: unknown
): string => promptDigest({ messages: messages.map(wireMessage), tools: tools.map(wireTool), response_format: format })

/** what log-likelihoods were asked of: context, NUL, continuation; several of one item one after the other, with a NUL between them */
export const likelihoodDigest = (pairs: ReadonlyArray<readonly [context: string, continuation: string]>): string =>
  createHash("sha256")
    .update(pairs.map((pair) => pair.join("\u0000")).join("\u0000"))
    .digest("hex")
