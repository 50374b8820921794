/** A command on a pseudo-terminal of a given width, as `script` of util-linux makes one. */
import { spawn } from "node:child_process"

export interface Screenful {
  readonly code: number | null
  /** all that it wrote, control codes included */
  readonly text: string
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** `typed` is given to the command as its user's input */
export const onTerminal = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  columns = 80,
  typed = ""
): Promise<Screenful> =>
  new Promise((resolve, reject) => {
    const command = [process.execPath, "dist/evald.mjs", ...args].map(quoted).join(" ")
    const child = spawn("script", ["-qec", `stty cols ${columns} rows 40; ${command}`, "/dev/null"], {
      env: { PATH: process.env["PATH"], TERM: "xterm", ...env },
      stdio: ["pipe", "pipe", "inherit"]
    })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
    child.stdin.on("error", () => {})
    if (typed !== "") child.stdin.write(typed)
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, text }))
  })
