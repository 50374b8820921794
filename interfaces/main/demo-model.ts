/** `evald demo-model`: the demo model on its own. Its knobs are flags; requests may override them by `X-Demo-*` headers. Reference: providers-and-collections.md, "Demo model". */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Either } from "effect"
import { defaultKnobs, knobsOf } from "../../providers/demo-model/knobs.ts"
import { startDemoModel } from "../../providers/demo-model/server.ts"
import { parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { demoModelHelp as help } from "../cli/own-commands.ts"

/** of the process itself, not of the model */
const own = ["port", "exit-with-input", "help"]
const knobs = help.flags.filter(({ name }) => !own.includes(name))

const serve = (options: Parameters<typeof startDemoModel>[0], endsWithInput: boolean) =>
  Effect.gen(function* () {
    const { url } = yield* startDemoModel(options)
    yield* Console.log(`demo model on ${url} (model name evald-demo)`)
    if (!endsWithInput) return yield* Effect.never
    return yield* Effect.async<void>((resume) => {
      process.stdin.once("close", () => resume(Effect.void)).resume()
    })
  }).pipe(
    Effect.scoped,
    Effect.catchTag("DemoModelFailed", ({ message }) =>
      Effect.zipRight(
        Console.error(`evald demo-model: ${message}`),
        Effect.sync(() => {
          process.exitCode = 1
        })
      )
    )
  )

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, help.flags)
  if (switches.has("help")) {
    process.stdout.write(renderHelp(help))
    return
  }
  const one = (name: string) => values.get(name)?.[0]
  const port = Number(one("port") ?? 8000)
  const read = knobsOf(defaultKnobs, Object.fromEntries(knobs.map(({ name }) => [`x-demo-${name}`, one(name)])))
  const wrong = [
    ...problems,
    ...positional.map((text) => `unexpected argument '${text}'`),
    ...(Number.isInteger(port) && port >= 0 && port <= 65_535
      ? []
      : [`--port takes a port number, not '${one("port")}'`]),
    ...(Either.isLeft(read) ? [read.left.replace(/^x-demo-/, "--")] : [])
  ]
  if (wrong.length > 0 || Either.isLeft(read)) {
    process.stderr.write(`evald demo-model: ${wrong.join("; ")}\n\n${renderHelp(help)}`)
    process.exitCode = usageExit
    return
  }
  NodeRuntime.runMain(serve({ port, ...read.right }, switches.has("exit-with-input")), { disablePrettyLogger: true })
}
