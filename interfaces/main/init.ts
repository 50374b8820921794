/** `evald init`: fetches test data into a pod before its benchmark starts. Exit codes and termination message: Reference: gateway.md, "Test data". */
import { existsSync, writeFileSync } from "node:fs"
import { Cause, Effect, Exit, Fiber } from "effect"
import { fetchTestData } from "../../infrastructure/objectstore/download.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { initHelp as help } from "../cli/own-commands.ts"
import { runInit } from "../init/run-init.ts"

const defaultConfig = "/meta/init.json"
const defaultTerminationLog = "/dev/termination-log"
const stoppedExit = 143
const crashedExit = 13

/** the file exists in a container; elsewhere nothing is made unless a path was asked for */
const terminationLog = (path: string | undefined, text: string): void => {
  try {
    if (path !== undefined || existsSync(defaultTerminationLog)) writeFileSync(path ?? defaultTerminationLog, text)
  } catch (error) {
    process.stderr.write(
      `the termination message cannot be written: ${(error as NodeJS.ErrnoException).code ?? "failed"}\n`
    )
  }
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  if (switches.has("help")) {
    process.stdout.write(renderHelp(help))
    return
  }
  const wrong = [...problems, ...positional.map((argument) => `unexpected argument '${argument}'`)]
  if (wrong.length > 0) {
    process.stderr.write(`evald init: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
    process.exitCode = usageExit
    return
  }
  const [config = defaultConfig] = values.get("config") ?? []
  const [log] = values.get("termination-log") ?? []
  const fiber = Effect.runFork(
    runInit(config, { fetch: fetchTestData, apiServer: process.env["KUBERNETES_SERVICE_HOST"] })
  )
  const stop = () => Effect.runFork(Fiber.interrupt(fiber))
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) {
      terminationLog(log, exit.value.message)
      process.exit(exit.value.exitCode)
    }
    if (Cause.isInterruptedOnly(exit.cause)) process.exit(stoppedExit)
    process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
    terminationLog(
      log,
      JSON.stringify({
        v: 1,
        code: "init_failed",
        message: "the download failed unexpectedly; its log has the details",
        objects: 0,
        bytes: 0
      })
    )
    process.exit(crashedExit)
  })
}
