/** `kubectl` and `helm` as somebody calls them who has a kubeconfig. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { goTool } from "../support/go-tools/tools.ts"

export const [helm, kubectl] = [goTool("helm"), goTool("kubectl")]
/** for `describe.skipIf`: it was said why */
export const noTools = typeof helm !== "string" || typeof kubectl !== "string"

interface Answer {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

export interface CommandLine {
  readonly attempt: (tool: typeof helm, args: ReadonlyArray<string>) => Promise<Answer>
  /** what the tool prints; it must succeed */
  readonly run: (tool: typeof helm, ...args: ReadonlyArray<string>) => Promise<string>
}

/** `home`: an empty folder */
export const commandLine = (home: string, kubeconfig: string): CommandLine => {
  const file = join(home, "kubeconfig")
  writeFileSync(file, kubeconfig, { mode: 0o600 })
  const options = { maxBuffer: 1e8, env: { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: file } }
  // asynchronous: the worker has to answer the runner meanwhile
  const attempt: CommandLine["attempt"] = (tool, args) =>
    new Promise((resolve) => {
      execFile(typeof tool === "string" ? tool : "", [...args], options, (error, stdout, stderr) =>
        resolve({ ok: error === null, stdout, stderr })
      )
    })
  return {
    attempt,
    run: async (tool, ...args) => {
      const { ok, stdout, stderr } = await attempt(tool, args)
      if (!ok) throw new Error(`${args.join(" ")}: ${stderr}`)
      return stdout
    }
  }
}
