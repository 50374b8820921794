/** `evald server`: reads the configuration, listens, works until it is told to stop. Exit codes: 64 usage, 78 configuration, 1 otherwise. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, RuntimeFlags, RuntimeFlagsPatch } from "effect"
import { load } from "../../config/load.ts"
import { defined } from "../../values/defined.ts"
import { configCommand } from "../cli/config-command.ts"
import * as Logging from "../cli/logging.ts"
import { serverHelp } from "../cli/own-commands.ts"
import { HttpAddress } from "../http/server.ts"
import { boundHeapGrowth, letNewSpaceGrow } from "./compose/machine/heap.ts"
import * as Server from "./compose/server-layer.ts"
import type { ServerPlan } from "./compose/server-plan.ts"

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })
const give = (message: string, code: number) => Effect.zipRight(Console.error(`evald server: ${message}`), exit(code))

/** counts of fibers that nobody reads would be kept for every request */
const withoutFiberCounts = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

/** `runtime`: instead of that of the mode. Every failure is told and becomes the exit code. */
export const serve = (configDir: string, local: boolean, runtime?: ServerPlan["runtime"]) =>
  Effect.gen(function* () {
    boundHeapGrowth()
    const settings = yield* load(configDir, process.env)
    const plan = {
      settings,
      configDir,
      local,
      environment: process.env,
      hangUpReloads: true,
      ...defined({ runtime })
    }
    const announced = Layer.effectDiscard(
      Effect.flatMap(HttpAddress, ({ host, port }) => {
        const scheme = settings["service.tls.cert_path"] === undefined ? "http" : "https"
        const shown = host === "::" || host === "0.0.0.0" ? "localhost" : host.includes(":") ? `[${host}]` : host
        letNewSpaceGrow()
        return Effect.logInfo(`listening on ${scheme}://${shown}:${port}${local ? " (local mode)" : ""}`)
      })
    )
    const server = announced.pipe(Layer.provide(Server.layer(plan)))
    const logging = Logging.layer({
      level: settings["log.level"],
      format: settings["log.format"],
      terminal: process.stderr.isTTY
    })
    return yield* Layer.launch(server).pipe(Effect.provide(logging), Effect.withRuntimeFlagsPatch(withoutFiberCounts))
  }).pipe(
    Effect.catchTags({
      ConfigInvalid: ({ message }) => give(message, 78),
      PlanRefused: ({ message }) => give(message, 78),
      CatalogInvalid: ({ message }) => give(message, 78),
      AccessTableInvalid: (error) => give(error.message, 78),
      DatabaseRefused: ({ message }) => give(message, 78),
      LocalRuntimeUnusable: ({ message }) => give(message, 78),
      TlsUnusable: ({ message }) => give(message, 78),
      ListenFailed: ({ message }) => give(message, 1)
    })
  )

export const main = configCommand("server", serverHelp, (configDir, switches) =>
  NodeRuntime.runMain(serve(configDir, switches.has("local")), { disablePrettyLogger: true })
)
