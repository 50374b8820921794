/** `evald demo`: a server in local mode, the demo model unless an endpoint is given, one evaluation, one table. Nothing stays behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Either, Layer, Redacted, type Scope } from "effect"
import { load } from "../../config/load.ts"
import { defined } from "../../values/defined.ts"
import { configDirectory } from "../cli/config-directory.ts"
import { DemoFailed } from "../cli/demo/api-client.ts"
import { type DemoOptions, readOptions } from "../cli/demo/options.ts"
import { type Endpoint, runDemo, type Screen } from "../cli/demo/run-demo.ts"
import { renderHelp, usageExit } from "../cli/flags.ts"
import * as Logging from "../cli/logging.ts"
import { demoHelp as help } from "../cli/own-commands.ts"
import { HttpAddress } from "../http/server.ts"
import { unitsFolder } from "./compose/local-runtime.ts"
import * as Server from "./compose/server-layer.ts"
import type { ServerPlan } from "./compose/server-plan.ts"

const binary = join(dirname(fileURLToPath(import.meta.url)), "evald.mjs")
const keySecret = "demo-endpoint"

const stopChild = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGTERM")
    return undefined
  })

/** a process of its own, so that its work does not disturb the server; it ends with us even when we are killed (its input closes) */
const startDemoModel = ({ skill, seed }: DemoOptions): Effect.Effect<Endpoint, DemoFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        [
          binary,
          "demo-model",
          "--port",
          "0",
          "--skill",
          String(skill),
          "--seed",
          String(seed),
          "--ttft-ms",
          "15",
          "--tokens-per-second",
          "500",
          "--exit-with-input"
        ],
        { stdio: ["pipe", "pipe", "inherit"] }
      )
    ),
    stopChild
  ).pipe(
    Effect.flatMap((child) =>
      Effect.async<Endpoint, DemoFailed>((resume) => {
        child.once("error", ({ message }) =>
          resume(Effect.fail(new DemoFailed({ message: `the demo model does not start: ${message}`, exitCode: 1 })))
        )
        child.once("exit", (code) =>
          resume(Effect.fail(new DemoFailed({ message: `the demo model ended with code ${code}`, exitCode: 1 })))
        )
        createInterface({ input: child.stdout }).once("line", (line) => {
          const url = /http:\/\/\S+/.exec(line)?.[0]
          if (url !== undefined)
            resume(Effect.succeed({ url, name: "evald-demo", secretRef: undefined, isDemoModel: true }))
        })
      })
    )
  )

const readKey = (file: string): Either.Either<string, string> => {
  try {
    const key = readFileSync(file, "utf8").trim()
    return key === "" ? Either.left(`the key file '${file}' is empty`) : Either.right(key)
  } catch (error) {
    return Either.left(
      `the key file '${file}' cannot be read: ${error instanceof Error ? error.message : String(error)}`
    )
  }
}

/** a local secret that holds the endpoint's key for as long as the demo runs */
const secretsDirectory = (file: string): Effect.Effect<string, DemoFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const key = readKey(file)
    if (Either.isLeft(key)) return yield* new DemoFailed({ message: key.left, exitCode: usageExit })
    return yield* Effect.acquireRelease(
      Effect.sync(() => {
        const directory = mkdtempSync(join(tmpdir(), "evald-secrets-"))
        chmodSync(directory, 0o700)
        mkdirSync(join(directory, keySecret), { mode: 0o700 })
        writeFileSync(join(directory, keySecret, "api-key"), key.right, { mode: 0o600 })
        return directory
      }),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    )
  })

const screen: Screen = {
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  rows: process.stdout.rows || 24,
  write: (text) => {
    process.stdout.write(text)
  }
}

const demo = (options: DemoOptions) =>
  Effect.gen(function* () {
    const configDir = configDirectory(undefined)
    const keyFile = options.endpoint?.apiKeyFile
    const secretsDir = keyFile === undefined ? undefined : yield* secretsDirectory(keyFile)
    const settings = yield* load(configDir, { EVALD_LOG_LEVEL: "warning", ...process.env })
    const given = options.endpoint
    const endpoint: Endpoint =
      given === undefined
        ? yield* startDemoModel(options)
        : {
            url: given.url,
            name: given.name,
            secretRef: secretsDir === undefined ? undefined : keySecret,
            isDemoModel: false
          }
    const plan: ServerPlan = {
      configDir,
      local: true,
      environment: process.env,
      settings: {
        ...settings,
        "service.port": options.port,
        "database.driver": "sqlite",
        "database.url": options.database === undefined ? undefined : Redacted.make(`file:${resolve(options.database)}`),
        ...defined({ "local.secrets_dir": secretsDir })
      }
    }
    const logging = Logging.layer({
      level: settings["log.level"],
      format: settings["log.format"],
      terminal: process.stderr.isTTY
    })
    const code = yield* Effect.gen(function* () {
      const { host, port } = yield* HttpAddress
      const exitCode = yield* runDemo(`http://${host}:${port}`, options, endpoint, screen, unitsFolder(plan))
      if (options.keep) return yield* Effect.never
      return exitCode
    }).pipe(Effect.provide(Layer.provideMerge(Server.layer(plan), logging)))
    return code
  }).pipe(
    Effect.scoped,
    Effect.catchTags({
      DemoFailed: ({ message, exitCode }) => Effect.as(Console.error(`evald demo: ${message}`), exitCode),
      ConfigInvalid: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      PlanRefused: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      CatalogInvalid: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      AccessTableInvalid: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      DatabaseRefused: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      LocalRuntimeUnusable: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      TlsUnusable: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 78),
      ListenFailed: ({ message }) => Effect.as(Console.error(`evald demo: ${message}`), 1)
    }),
    Effect.flatMap((code) =>
      Effect.sync(() => {
        process.exitCode = code
      })
    )
  )

export const main = (args: ReadonlyArray<string>): void => {
  const options = readOptions(args)
  if (Either.isRight(options)) {
    NodeRuntime.runMain(demo(options.right), { disablePrettyLogger: true })
    return
  }
  if (options.left === "help") {
    process.stdout.write(renderHelp(help))
    return
  }
  process.stderr.write(`evald demo: ${options.left.join("; ")}\n\n${renderHelp(help)}`)
  process.exitCode = usageExit
}
