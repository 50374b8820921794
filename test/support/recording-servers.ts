/** Real servers in local mode whose only provider records what happens to it: for tests that take servers or their database away. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { listen, type Running } from "./evald-process.ts"

export interface RecordingSetup {
  /** configuration directory for `-configdir` */
  readonly configDir: string
  readonly start: (databaseUrl: string) => Promise<Running>
  /** lines of a record of the adapters: `<job id>/<index> <word>` */
  readonly records: (
    file: "launches" | "acknowledged" | "superseded"
  ) => ReadonlyArray<readonly [unit: string, word: string]>
}

const providerFile = (records: string) =>
  JSON.stringify({
    id: "recorder",
    name: "recorder",
    runtime: {
      local: {
        command: `exec node ${resolve("test/support/recording-adapter.mjs")}`,
        env: [{ name: "RECORDS", value: records }]
      }
    },
    benchmarks: [
      {
        id: "b",
        metrics: ["accuracy"],
        primary_score: { metric: "accuracy", lower_is_better: false },
        pass_criteria: { threshold: 0.5 }
      }
    ]
  })

/** everything lies in `folder`; `settings` are further lines of config.yaml */
export const recordingServers = (folder: string, driver: "sqlite" | "pgx", settings = ""): RecordingSetup => {
  const [configDir, records] = [join(folder, "config"), join(folder, "records")]
  for (const path of [join(configDir, "providers"), records]) mkdirSync(path, { recursive: true })
  cpSync("config/auth.yaml", join(configDir, "auth.yaml"))
  writeFileSync(join(configDir, "providers", "recorder.yaml"), providerFile(records))
  writeFileSync(
    join(configDir, "config.yaml"),
    `database: {driver: ${driver}}\nlocal: {base_dir: ${join(folder, "units")}}\n${settings}`
  )
  return {
    configDir,
    start: (databaseUrl) =>
      listen(["server", "-local", "-configdir", configDir], {
        PORT: "0",
        DB_URL: databaseUrl,
        TMPDIR: folder,
        EVALD_LOG_FORMAT: "json"
      }),
    records: (file) => {
      const path = join(records, file)
      const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []
      return lines.map((line) => {
        const [unit = "", word = ""] = line.split(" ")
        return [unit, word] as const
      })
    }
  }
}

/** processes whose environment carries the marker of a unit of one of these jobs */
export const livingUnits = (jobIds: ReadonlySet<string>): number =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return jobIds.has(/\0?EVALD_JOB_ID=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1] ?? "")
    } catch {
      return false
    }
  }).length

export interface ServedBenchmark {
  readonly status: string
  readonly benchmark_index: number
  readonly started_at?: string
  readonly completed_at?: string
  readonly error_message?: { readonly message_code: string }
}

export interface ServedJob {
  readonly name: string
  readonly resource: { readonly id: string }
  readonly status: { readonly state: string; readonly benchmarks: ReadonlyArray<ServedBenchmark> }
  readonly results: {
    readonly benchmarks: ReadonlyArray<{
      readonly benchmark_index: number
      readonly metrics: { readonly accuracy?: number }
    }>
    readonly test?: { readonly score: number; readonly coverage: number }
  }
}

export const isOver = ({ status }: ServedJob): boolean => status.state !== "pending" && status.state !== "running"
