/** What a benchmark needs of a model endpoint. Reference: providers-and-collections.md, "Provider file". */
export const endpointKinds = [
  "generate",
  "chat",
  "chat_stream",
  "chat_tools",
  "chat_logprobs",
  "completions_echo",
  "none"
] as const
export type EndpointKind = (typeof endpointKinds)[number]
