/** A person's machine: an empty home, `evald` and `node` on the path, and nothing of the machine that the stories are told on. */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { listen, type Running } from "../../support/evald-process.ts"

export interface Typed {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** types a command, or several lines of them, into a shell of the folder */
export type Shell = (command: string) => Promise<Typed>

export interface Home {
  readonly folder: string
  /** an own `environment` beside that of the home */
  readonly shell: (environment?: Readonly<Record<string, string>>) => Shell
  /** a process of evald that says where it listens; ends with the home */
  readonly start: (args: ReadonlyArray<string>, environment?: Readonly<Record<string, string>>) => Promise<Running>
  readonly leave: () => Promise<void>
}

export const emptyHome = (): Home => {
  const folder = mkdtempSync(join(tmpdir(), "evald-story-"))
  const bin = join(folder, ".bin")
  mkdirSync(bin)
  for (const [name, run] of [
    ["evald", `exec "${process.execPath}" "${resolve("dist/evald.mjs")}" "$@"`],
    ["node", `exec "${process.execPath}" "$@"`]
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${run}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const own = { HOME: folder, TMPDIR: folder, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` }
  const started: Array<Running> = []
  const shell: Home["shell"] =
    (environment = {}) =>
    (command) =>
      new Promise((done) => {
        const child = spawn("bash", ["-euo", "pipefail", "-c", command], {
          cwd: folder,
          env: { ...own, ...environment },
          stdio: ["ignore", "pipe", "pipe"]
        })
        const output = { stdout: "", stderr: "" }
        for (const name of ["stdout", "stderr"] as const)
          child[name].setEncoding("utf8").on("data", (text: string) => {
            output[name] += text
          })
        child.once("close", (code) => done({ code, ...output }))
      })
  return {
    folder,
    shell,
    start: async (args, environment = {}) => {
      const running = await listen(args, { ...own, ...environment })
      started.push(running)
      return running
    },
    leave: async () => {
      await Promise.all(started.map((running) => running.stop()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
