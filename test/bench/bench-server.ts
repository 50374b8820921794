/** The built server as its own process on one core where the machine can pin, so that its figures are its own. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

const canPin = process.platform === "linux" && spawnSync("taskset", ["-c", "0", "true"]).status === 0

export interface BenchServer {
  readonly url: string
  readonly pid: number
  readonly folder: string
  /** milliseconds from the spawn to the line that says where it listens */
  readonly startMillis: number
  readonly rssBytes: () => number
  /** SIGTERM, or the given signal; resolves when it is gone */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

export interface BenchServerOptions {
  readonly local: boolean
  /** text of config.yaml */
  readonly config: string
  readonly environment?: Readonly<Record<string, string>>
  /** further files of the configuration directory */
  readonly files?: Readonly<Record<string, string>>
  /** reuse this folder (a restart) */
  readonly folder?: string
}

/** a folder with the shipped definitions, so that every figure includes them */
const prepare = ({ config, files = {}, folder }: BenchServerOptions): string => {
  if (folder !== undefined) return folder
  const made = mkdtempSync(join(tmpdir(), "evald-bench-"))
  spawnSync("cp", ["-r", "config/providers", "config/collections", "config/auth.yaml", made])
  writeFileSync(join(made, "config.yaml"), config)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(made, name, ".."), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

export const startServer = (options: BenchServerOptions): Promise<BenchServer> =>
  new Promise((resolve, reject) => {
    const folder = prepare(options)
    const args = ["dist/evald.mjs", "server", ...(options.local ? ["-local"] : []), "-configdir", folder]
    const begin = performance.now()
    const child = canPin
      ? spawn("taskset", ["-c", "0", process.execPath, ...args], {
          env: { ...process.env, PORT: "0", EVALD_LOG_FORMAT: "json", ...options.environment },
          stdio: ["ignore", "inherit", "pipe"]
        })
      : spawn(process.execPath, args, {
          env: { ...process.env, PORT: "0", EVALD_LOG_FORMAT: "json", ...options.environment },
          stdio: ["ignore", "inherit", "pipe"]
        })
    const gone = new Promise<void>((done) => child.once("exit", () => done()))
    const lines: Array<string> = []
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line)
      const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
      if (url === undefined || child.pid === undefined) return
      const pid = child.pid
      resolve({
        url,
        pid,
        folder,
        startMillis: performance.now() - begin,
        rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) * 1024,
        stop: (signal = "SIGTERM") => {
          child.kill(signal)
          return gone
        }
      })
    })
    void gone.then(() => reject(new Error(`the server ended:\n${lines.join("\n")}`)))
  })
