/** Reads the `data:` payloads of a server-sent event stream, whatever the chunk boundaries and line ends. */

/** feed it text as it arrives; `onData` gets each complete payload with the arrival time of its last piece */
export const makeSseReader = (onData: (data: string, atMs: number) => void) => {
  let line = ""
  let data: Array<string> = []
  const endLine = (atMs: number) => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    line = ""
    if (text.startsWith("data:")) data.push(text.slice(text[5] === " " ? 6 : 5))
    else if (text === "" && data.length > 0) {
      onData(data.join("\n"), atMs)
      data = []
    }
  }
  return {
    push: (text: string, atMs: number) => {
      let from = 0
      for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
        line += text.slice(from, to)
        endLine(atMs)
        from = to + 1
      }
      line += text.slice(from)
    },
    /** some servers leave out the last empty line */
    end: (atMs: number) => {
      endLine(atMs)
      endLine(atMs)
    }
  }
}
