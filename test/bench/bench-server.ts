/** The server as its own process on one core where the machine can pin, so that its figures are its own. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { BenchDatabase } from "./databases.ts"
import { newFolder, tied, workspace } from "./workspace.ts"

/** test/bench/api-server.ts as deploy/bench.mjs bundles it */
const apiServer = ".cache/bench/api-server.mjs"

const canPin = process.platform === "linux" && spawnSync("taskset", ["-c", "0", "true"]).status === 0

export interface BenchProcess {
  readonly url: string
  /** milliseconds from the spawn to the line that says where it listens */
  readonly startMillis: number
  readonly rssBytes: () => number
  /** processor seconds used so far; a clock tick is 10 ms on Linux */
  readonly processorSeconds: () => number
  /** the same of the thread that serves requests alone */
  readonly threadSeconds: () => number
  /** SIGTERM, or the given signal; resolves when it is gone */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

export interface BenchServer extends BenchProcess {
  /** its configuration directory, for a restart */
  readonly folder: string
}

export interface BenchServerOptions {
  /** false: only the API, nothing is launched */
  readonly local: boolean
  /** text of config.yaml */
  readonly config: string
  /** absent: SQLite in memory */
  readonly database?: BenchDatabase
  readonly environment?: Readonly<Record<string, string>>
  /** further files of the configuration directory */
  readonly files?: Readonly<Record<string, string>>
  /** default one */
  readonly cores?: "one" | "all"
  /** reuse this folder (a restart) */
  readonly folder?: string
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) * 1024

const secondsIn = (stat: string): number => {
  const fields = readFileSync(stat, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** node with these arguments on the server's core; resolves at the first line of either output that has an address */
export const startPinned = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  cores: BenchServerOptions["cores"] = "one"
): Promise<BenchProcess> =>
  new Promise((resolve, reject) => {
    const begin = performance.now()
    const options: SpawnOptions = {
      env: { ...process.env, TMPDIR: workspace(), ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    }
    const child: ChildProcess = tied(
      canPin && cores === "one"
        ? spawn("taskset", ["-c", "0", process.execPath, ...args], options)
        : spawn(process.execPath, [...args], options)
    )
    const gone = new Promise<void>((done) => child.once("exit", () => done()))
    const lines: Array<string> = []
    const look = (line: string) => {
      if (lines.length < 100) lines.push(line)
      const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
      if (url === undefined || child.pid === undefined) return
      const pid = child.pid
      resolve({
        url,
        startMillis: performance.now() - begin,
        rssBytes: () => rssOf(pid),
        processorSeconds: () => secondsIn(`/proc/${pid}/stat`),
        threadSeconds: () => secondsIn(`/proc/${pid}/task/${pid}/stat`),
        stop: (signal = "SIGTERM") => {
          child.kill(signal)
          return gone
        }
      })
    }
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null) createInterface({ input: stream }).on("line", look)
    void gone.then(() => reject(new Error(`${args.slice(0, 2).join(" ")} ended:\n${lines.join("\n")}`)))
  })

/** a folder with the shipped definitions, so that every figure includes them */
const prepare = ({ config, database, files = {}, folder }: BenchServerOptions): string => {
  if (folder !== undefined) return folder
  const made = newFolder("config")
  spawnSync("cp", ["-r", "config/providers", "config/collections", "config/auth.yaml", made])
  writeFileSync(join(made, "config.yaml"), `${config}${database?.config ?? ""}`)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(made, name, ".."), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

export const startServer = async (options: BenchServerOptions): Promise<BenchServer> => {
  const folder = prepare(options)
  const environment = {
    PORT: "0",
    EVALD_LOG_FORMAT: "json",
    ...(options.database === undefined ? {} : { DB_URL: options.database.url }),
    ...options.environment
  }
  const profiled = process.env["BENCH_NODE_OPTIONS"]?.split(" ") ?? []
  const program = options.local ? ["dist/evald.mjs", "server", "-local", "-configdir"] : [apiServer]
  const server = await startPinned([...profiled, ...program, folder], environment, options.cores)
  return { ...server, folder }
}

/** starts it, measures, and stops it whatever happens */
export const withServer = async <A>(
  options: BenchServerOptions,
  use: (server: BenchServer) => Promise<A>
): Promise<A> => {
  const server = await startServer(options)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}
