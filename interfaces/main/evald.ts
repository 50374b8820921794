#!/usr/bin/env node
/** The one binary: `evald <command>`. Each command is a bundle of its own, those that talk to a server are one; loaded when asked for. */
import { standClosedOutputs } from "../cli/closed-outputs.ts"

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

const [typed, ...rest] = process.argv.slice(2)
// `evald help run` is `evald run --help`
const asksHelp = typed === "help" && rest[0] !== undefined
const [given, ...args] = asksHelp ? [rest[0], "--help"] : [typed, ...rest]
const load = given === undefined || !Object.hasOwn(here, given) ? undefined : here[given]
standClosedOutputs()
if (load !== undefined) {
  const { main } = await load()
  main(args)
} else {
  // what every command is called stands with those that talk to a server: a sidecar or server starts without reading it
  const { complete, command } = await import("./client-commands.ts")
  await (given === "__complete" ? complete(args) : command(given, args))
}
