/** `evald demo-model`: the demo model on its own. Its knobs are flags; requests may override them by `X-Demo-*` headers. Reference: providers-and-collections.md, "Demo model". */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Either } from "effect"
import { defaultKnobs, knobsOf } from "../../providers/demo-model/knobs.ts"
import { startDemoModel } from "../../providers/demo-model/server.ts"
import { type CommandHelp, helpFlag, parseFlags, renderHelp, usageExit } from "../cli/flags.ts"

const knobs = [
  {
    name: "skill",
    value: "S",
    meaning: "share of items it gets right, 0..1, or per family: 0.8,arithmetic=0.5 (default 0.85)"
  },
  { name: "ttft-ms", value: "MS", meaning: "time to the first token (default 0)" },
  { name: "tokens-per-second", value: "N", meaning: "pace of the tokens after it (default 0: as fast as possible)" },
  { name: "error-rate", value: "R", meaning: "share of requests answered with status 500" },
  {
    name: "status-script",
    value: "LIST",
    meaning: "what happens to the first requests: ok, a status, hang, reset, cut, nostream, garbage, html, empty"
  },
  { name: "jailbreak", value: "R", meaning: "share of attacks that succeed (default 0.1)" },
  { name: "refusal", value: "R", meaning: "share of harmless requests that are refused (default 0.05)" },
  { name: "context-limit", value: "N", meaning: "tokens of a prompt beyond which it is refused" },
  { name: "require-key", value: "KEY", meaning: "bearer key that requests must carry" },
  { name: "seed", value: "N", meaning: "seed of everything that looks like chance (default 42)" }
]
const help: CommandHelp = {
  usage: "evald demo-model [flags]",
  summary:
    "An OpenAI-compatible model on loopback that reads its prompts and answers them with a chosen skill. For trying things out, not a language model.",
  flags: [
    { name: "port", value: "PORT", meaning: "port to listen on (default 8000; 0 takes a free one)" },
    ...knobs,
    { name: "exit-with-input", meaning: "end when the standard input closes" },
    helpFlag
  ]
}

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
