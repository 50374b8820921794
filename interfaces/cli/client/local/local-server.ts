/** A server for one command: a process of its own on a free port, with a database in the user's state directory. Needs Linux or macOS. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Environment } from "../environment.ts"
import { exits, Stop } from "../exit.ts"
import type { Session } from "../session.ts"
import { claimDatabase, ownDatabase } from "./local-database.ts"

export interface LocalServer {
  /** its address */
  readonly server: string
  /** file that keeps its jobs */
  readonly database: string
  readonly stop: () => Promise<void>
}

const stateFolder = (environment: Environment): string =>
  join(environment["XDG_STATE_HOME"] || join(environment["HOME"] || tmpdir(), ".local", "state"), "evald")

/** a configuration whose secret `name` is the key */
const writeKey = (name: string, key: { readonly file: string } | { readonly value: string }): string => {
  let text: string
  try {
    text = ("file" in key ? readFileSync(key.file, "utf8") : key.value).trim()
  } catch (error) {
    throw new Stop(
      exits.configuration,
      `the key file can not be read: ${error instanceof Error ? error.message : error}`,
      "evald run --help"
    )
  }
  if (text === "") throw new Stop(exits.configuration, "the endpoint's key is empty", "evald run --help")
  const folder = mkdtempSync(join(tmpdir(), "evald-run-"))
  mkdirSync(join(folder, "secrets", name), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, "secrets", name, "api-key"), text, { mode: 0o600 })
  return folder
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })

/** the address in the line that says where it listens */
const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines: Array<string> = []
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on("line", (line) => {
          if (lines.push(line) > 20) lines.shift()
          const url = /listening on (http:\/\/[\w.[\]:]+)/.exec(line)?.[1]
          if (url !== undefined) resolve(url)
        })
    child.once("error", (error) =>
      reject(new Stop(exits.other, `the local server can not be started: ${error.message}`, "evald doctor"))
    )
    // not when it has ended: its last lines may come later
    child.once("close", () =>
      reject(
        new Stop(exits.configuration, `the local server ended at once:\n${lines.slice(-5).join("\n")}`, "evald doctor")
      )
    )
  })

/** such as one that somebody looks at earlier jobs with */
const hasAnotherServer = (error: unknown): boolean =>
  error instanceof Stop && error.message.includes("another evald server uses the database file")

/** `keyName`: the secret under which the server finds the endpoint's key */
export const startLocal = async (
  session: Pick<Session, "environment" | "platform">,
  keyName: string,
  key: { readonly file: string } | { readonly value: string } | undefined,
  claim = claimDatabase
): Promise<LocalServer> => {
  const { environment, platform } = session
  if (platform === "win32")
    throw new Stop(
      exits.configuration,
      "--local needs Linux or macOS; with --server a job runs on a server elsewhere",
      "evald run --help"
    )
  const database = claim(stateFolder(environment))
  process.once("exit", database.release)
  const keyFolder = key === undefined ? undefined : writeKey(keyName, key)
  const forget = () => {
    if (keyFolder !== undefined) rmSync(keyFolder, { recursive: true, force: true })
  }
  // a group of its own: Ctrl-C is for the command, which then stops the server
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? "", "server", "-local", ...(keyFolder === undefined ? [] : ["-configdir", keyFolder])],
    {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environment,
        PORT: "0",
        DB_URL: `file:${database.file}`,
        EVALD_LOG_LEVEL: "info",
        EVALD_LOG_FORMAT: "text"
      }
    }
  )
  // however the command ends: also when nobody reads its output any more
  process.once("exit", () => {
    child.kill("SIGTERM")
    forget()
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await ended(child)
    database.release()
    forget()
  }
  // while nobody follows a job yet
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) void stop().then(() => process.exit(exits.interrupted))
    })
  try {
    return { server: await addressOf(child), database: database.file, stop }
  } catch (error) {
    await stop()
    if (claim !== ownDatabase && hasAnotherServer(error)) return startLocal(session, keyName, key, ownDatabase)
    throw error
  }
}
