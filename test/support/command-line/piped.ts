/** A command whose reader has enough before it ends. */
import { spawn } from "node:child_process"

export interface Piped {
  /** what the reader printed */
  readonly read: string
  /** of the command */
  readonly code: number
  readonly stderr: string
}

/** `words`: of the command, for a shell; `reader`: what reads its standard output, such as `head -n 1` */
export const piped = (words: string, env: { readonly [name: string]: string }, reader = "true"): Promise<Piped> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      "bash",
      ["-c", `"$NODE" dist/evald.mjs ${words} | ${reader}; ended=("\${PIPESTATUS[@]}"); echo; echo "\${ended[0]}"`],
      {
        env: { PATH: process.env["PATH"], NODE: process.execPath, ...env },
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    const [out, err]: [Array<string>, Array<string>] = [[], []]
    child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => err.push(text))
    child.once("error", reject)
    child.once("close", () => {
      const [, read = "", code = ""] = /^([\s\S]*)\n(\d+)\n$/.exec(out.join("")) ?? []
      resolve({ read, code: Number(code), stderr: err.join("") })
    })
  })
