/** `evald sidecar`: the gateway of one pod. Exit codes: 0 everything delivered or mailed, 1 configuration, 2 events lost. Reference: gateway.md, "Routes". */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { Either } from "effect"
import { makeRandomNames } from "../../infrastructure/in-process/random-names.ts"
import { readSidecarConfig, type SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { sidecarHelp as help } from "../cli/own-commands.ts"
import type { LeftSamples } from "../sidecar/left-samples.ts"
import { SidecarUnusable } from "../sidecar/outbound.ts"
import { type Leftover, type Log, type RunningSidecar, startSidecar } from "../sidecar/sidecar.ts"

const defaultConfig = "/meta/sidecar.json"
const defaultTerminationLog = "/dev/termination-log"
const defaultHealthPort = 18_081
/** what stays of the grace period after the last attempt to deliver */
const reserveMillis = 10_000
const plainServeMillis = 10_000
const pollMillis = 200

const levels: ReadonlyArray<SidecarConfig["log_level"]> = ["debug", "info", "warning", "error"]

const logger =
  (least: SidecarConfig["log_level"]): Log =>
  (level, message, fields) => {
    if (levels.indexOf(level) >= levels.indexOf(least))
      process.stdout.write(`${JSON.stringify({ level, message, ...fields })}\n`)
  }

const readConfig = (path: string): Either.Either<SidecarConfig, ReadonlyArray<string>> => {
  try {
    return readSidecarConfig(JSON.parse(readFileSync(path, "utf8")))
  } catch (error) {
    return Either.left([
      error instanceof SyntaxError
        ? `it is no JSON: ${error.message}`
        : `it cannot be read: ${(error as NodeJS.ErrnoException).code ?? "failed"}`
    ])
  }
}

/** the file exists in a container; elsewhere nothing is made unless a path was asked for */
const terminationLog =
  (path: string | undefined) =>
  (text: string): void => {
    try {
      if (path !== undefined || existsSync(defaultTerminationLog)) writeFileSync(path ?? defaultTerminationLog, text)
    } catch (error) {
      process.stderr.write(
        `the termination message cannot be written: ${(error as NodeJS.ErrnoException).code ?? "failed"}\n`
      )
    }
  }

/** one probe of a sidecar in this container */
const probe = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/health", timeout: 1_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on("timeout", () => request.destroy())
    request.on("error", () => resolve(false))
  })

const wait = async (seconds: number, port: number): Promise<boolean> => {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    if (await probe(port)) return true
    await new Promise((resolve) => setTimeout(resolve, pollMillis))
  }
  return false
}

/** what could not be delivered goes into the termination message, which the observer of the pod applies */
const finish = async (
  { unsent, dropped, terminal }: Leftover,
  write: (text: string) => void,
  log: Log
): Promise<number> => {
  if (unsent === 0 && dropped === 0) return 0
  const { writeMailbox } = await import("../../providers/contract/mailbox.ts")
  const mail = writeMailbox(unsent, terminal)
  if (unsent > 0) write(mail.text)
  const lost = mail.cut || dropped > 0 || (unsent > 0 && terminal === undefined)
  log(lost ? "error" : "warning", "events were not delivered", {
    unsent,
    dropped,
    mailed: terminal !== undefined,
    cut: mail.cut
  })
  return lost ? 2 : 0
}

/** loaded when the adapter has ended: it is no part of the start */
const leftSamples = (results: string, spool: string): LeftSamples => {
  const load = () => import("../../infrastructure/local/files/left-samples.ts")
  return {
    bytes: async () => (await load()).leftBytes(results),
    each: async (use, signal) =>
      (await load()).eachLeftBatch(
        { results, spool },
        ({ samples, unreadable }) =>
          use({ lines: samples.map(({ document }) => JSON.stringify(document)), unreadable }),
        signal
      )
  }
}

const run = async (config: SidecarConfig, write: (text: string) => void): Promise<void> => {
  const log = logger(config.log_level)
  let running: RunningSidecar | undefined
  let stopping: string | undefined
  const end = (reason: string) => {
    if (running === undefined) return
    const serveMillis = config.mode === "plain" && reason !== "done" ? plainServeMillis : 0
    const flushMillis = Math.max(0, config.grace_seconds * 1000 - reserveMillis - serveMillis)
    log("info", "the sidecar stops", { reason, pending_events: running.pending() })
    running
      .stop({ serveMillis, flushMillis })
      .then((leftover) => finish(leftover, write, log))
      .then((code) => process.exit(code))
  }
  const stop = (reason: string) => {
    if (stopping !== undefined) return
    stopping = reason
    end(reason)
  }
  // before the start: a signal without a handler kills at once, and then nobody hears of what an earlier process has left
  process.on("SIGTERM", () => stop("SIGTERM"))
  process.on("SIGINT", () => stop("SIGINT"))
  running = await startSidecar(config, {
    log,
    newId: makeRandomNames(),
    random: Math.random,
    apiServer: process.env["KUBERNETES_SERVICE_HOST"],
    ...(config.results_dir === undefined ? {} : { left: leftSamples(config.results_dir, config.spool.dir) }),
    onDone: () => stop("done")
  })
  if (stopping !== undefined) end(stopping)
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  if (switches.has("help")) {
    process.stdout.write(renderHelp(help))
    return
  }
  const seconds = values.get("wait")?.[0]
  const wrong = [
    ...problems,
    ...positional.map((argument) => `unexpected argument '${argument}'`),
    ...(seconds !== undefined && !/^\d{1,5}$/.test(seconds) ? ["--wait needs a number of seconds"] : [])
  ]
  if (wrong.length > 0) {
    process.stderr.write(`${wrong.map((problem) => `evald sidecar: ${problem}`).join("\n")}\n`)
    process.exitCode = usageExit
    return
  }
  const path = values.get("config")?.[0] ?? defaultConfig
  const write = terminationLog(values.get("termination-log")?.[0])
  const config = readConfig(path)
  if (seconds !== undefined) {
    const port = Either.isRight(config) ? config.right.listen.health_port : defaultHealthPort
    wait(Number(seconds), port).then((ready) => {
      process.exitCode = ready ? 0 : 1
    })
    return
  }
  const refuse = (reasons: ReadonlyArray<string>) => {
    const text = `${path} is not usable:\n${reasons.map((reason) => `  - ${reason}`).join("\n")}\n`
    process.stderr.write(text)
    write(text.slice(0, 4_000))
    process.exitCode = 1
  }
  if (Either.isLeft(config)) {
    refuse(config.left)
    return
  }
  run(config.right, write).catch((error: Error) => {
    refuse([error instanceof SidecarUnusable ? error.message : `the sidecar cannot start: ${error.message}`])
    process.exit(1)
  })
}
