/** `kubectl` and `helm` as somebody calls them who has a kubeconfig. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { goTool } from "../support/go-tools/tools.ts"

export const [helm, kubectl] = [goTool("helm"), goTool("kubectl")]
/** for `describe.skipIf`: it was said why */
export const noTools = typeof helm !== "string" || typeof kubectl !== "string"

interface Answer {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
}

export interface CommandLine {
  readonly attempt: (tool: typeof helm, args: ReadonlyArray<string>) => Promise<Answer>
  /** what the tool prints; it must succeed */
  readonly run: (tool: typeof helm, ...args: ReadonlyArray<string>) => Promise<string>
  /** a block of a page, typed at the root of the repository or elsewhere; it must succeed */
  readonly typed: (block: string | undefined, place?: Place) => Promise<void>
}

/** `home`: an empty folder */
export const commandLine = (home: string, kubeconfig: string): CommandLine => {
  const file = join(home, "kubeconfig")
  writeFileSync(file, kubeconfig, { mode: 0o600 })
  const path = [helm, kubectl].flatMap((tool) => (typeof tool === "string" ? [dirname(tool)] : []))
  const env = { PATH: [...path, process.env["PATH"] ?? ""].join(":"), HOME: home, KUBECONFIG: file }
  // asynchronous: the worker has to answer the runner meanwhile
  const called = (program: string, args: ReadonlyArray<string>, { cwd, env: more }: Place = {}): Promise<Answer> =>
    new Promise((resolve) => {
      const options = { maxBuffer: 1e8, env: { ...env, ...more }, ...(cwd === undefined ? {} : { cwd }) }
      execFile(program, [...args], options, (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr }))
    })
  const attempt: CommandLine["attempt"] = (tool, args) => called(typeof tool === "string" ? tool : "", args)
  return {
    attempt,
    run: async (tool, ...args) => {
      const { ok, stdout, stderr } = await attempt(tool, args)
      if (!ok) throw new Error(`${args.join(" ")}: ${stderr}`)
      return stdout
    },
    typed: async (block = "exit 99", place = {}) => {
      const { ok, stdout, stderr } = await called("bash", ["-euo", "pipefail", "-c", block], place)
      if (!ok) throw new Error(`${block}\n${stdout}${stderr}`)
    }
  }
}
