#!/usr/bin/env node
/** The one binary: `evald <command>`. Each command is a bundle of its own, those that talk to a server are one; loaded when asked for. */
import { visible } from "../../values/clean-text.ts"
import { nearest } from "../../values/nearest.ts"
import { standClosedOutputs } from "../cli/closed-outputs.ts"
import { commands, otherNames } from "../cli/commands.ts"
import { renderHelp, usageExit } from "../cli/flags.ts"

interface Loaded {
  readonly main: (args: ReadonlyArray<string>) => void
}

const here: { readonly [name: string]: () => Promise<Loaded> } = {
  server: () => import("./server.ts"),
  operator: () => import("./operator.ts"),
  sidecar: () => import("./sidecar.ts"),
  adapter: () => import("./adapter.ts"),
  init: () => import("./init.ts"),
  demo: () => import("./demo.ts"),
  "demo-model": () => import("./demo-model.ts"),
  validate: () => import("./validate.ts"),
  doctor: () => import("./doctor.ts"),
  images: () => import("./images.ts"),
  import: () => import("./import.ts"),
  // speaks with a server, and scores as adapters do
  rescore: () => import("./rescore.ts"),
  verify: () => import("./verify.ts"),
  sign: () => import("./sign.ts"),
  db: () => import("./db.ts"),
  audit: () => import("./audit.ts")
}

const help = () =>
  `${renderHelp({ usage: "evald <command> [flags]", summary: "evald: evaluations of language-model endpoints.", flags: [] })}
Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}

evald <command> --help shows the flags of a command.
`

/** the command that another word most likely means; `evald __complete` and the like are nobody's */
const meant = (word: string): string | undefined =>
  (Object.hasOwn(otherNames, word) ? otherNames[word] : undefined) ??
  nearest(
    word,
    commands.map((one) => one.name)
  )

const [typed, ...rest] = process.argv.slice(2)
// `evald help run` is `evald run --help`
const asksHelp = typed === "help" && rest[0] !== undefined
const [given, ...args] = asksHelp ? [rest[0], "--help"] : [typed, ...rest]
const name = given === "--version" || given === "-v" || given === "-V" ? "version" : given
const command = commands.find((one) => one.name === name)
const load = name === undefined || !Object.hasOwn(here, name) ? undefined : here[name]
standClosedOutputs()
if (load !== undefined) {
  const { main } = await load()
  main(args)
} else if (command?.client !== undefined) {
  const { main } = await import("./client-commands.ts")
  await main(command.name, command.client, args)
} else if (name === "__complete") {
  const { complete } = await import("./client-commands.ts")
  await complete(args)
} else if (name === undefined || name === "help" || name === "--help" || name === "-h") {
  process.stdout.write(help())
} else {
  const found = name.startsWith("-") ? undefined : meant(name)
  const hint = name.startsWith("-")
    ? "; flags stand behind the command"
    : found === undefined
      ? ""
      : `; did you mean evald ${found}?`
  process.stderr.write(`evald: unknown command '${visible(name)}'${hint}\nnext: evald help\n`)
  process.exitCode = usageExit
}
