/** Server-sent events, read from the body of a `fetch`: `EventSource` could not send a token. */

export interface StreamEvent {
  readonly id: string | undefined
  readonly name: string
  readonly data: string
}

/** the event of one block; undefined: a comment, such as a heartbeat, or a setting */
export const eventOf = (block: string): StreamEvent | undefined => {
  const members = new Map<string, string>()
  for (const line of block.split("\n")) {
    const [, key = "", value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? []
    const before = members.get(key)
    if (key !== "") members.set(key, before === undefined || key !== "data" ? value : `${before}\n${value}`)
  }
  const data = members.get("data")
  return data === undefined ? undefined : { id: members.get("id"), name: members.get("event") ?? "message", data }
}

/** the events of a body as they come; `onChunk` is told of every sign of life, heartbeats too */
export const readEvents = async (
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
  onChunk: () => void
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onChunk()
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = eventOf(block)
      if (event !== undefined) onEvent(event)
    }
  }
}
