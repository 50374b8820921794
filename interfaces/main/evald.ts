#!/usr/bin/env node
/** The one binary: `evald <command>`. Each command is a bundle of its own, loaded when asked for. */
import { renderHelp, usageExit } from "../cli/flags.ts"

const commands: Readonly<
  Record<
    string,
    { readonly summary: string; readonly load: () => Promise<{ readonly main: (args: ReadonlyArray<string>) => void }> }
  >
> = {
  server: { summary: "the API server; -local runs benchmarks as local processes", load: () => import("./server.ts") },
  operator: {
    summary: "makes services and tenants of a cluster from its resources",
    load: () => import("./operator.ts")
  },
  sidecar: { summary: "the gateway of one pod: credentials, events and results", load: () => import("./sidecar.ts") },
  adapter: {
    summary: "runs one benchmark from its job file: evald adapter <name>",
    load: () => import("./adapter.ts")
  },
  init: { summary: "fetches test data into a pod before its benchmark", load: () => import("./init.ts") },
  demo: { summary: "a finished evaluation with one command", load: () => import("./demo.ts") },
  "demo-model": {
    summary: "an OpenAI-compatible loopback model for trying things out",
    load: () => import("./demo-model.ts")
  },
  validate: { summary: "checks definition files and job bodies", load: () => import("./validate.ts") },
  doctor: { summary: "what stands in the way of a server here, and how to fix it", load: () => import("./doctor.ts") },
  images: { summary: "every image that pods may pull, and from where", load: () => import("./images.ts") },
  rescore: { summary: "metrics of a job once more, from its samples alone", load: () => import("./rescore.ts") },
  db: { summary: "checks or copies the database", load: () => import("./db.ts") },
  version: { summary: "prints the version", load: () => import("./version.ts") }
}

const help = () =>
  `${renderHelp({ usage: "evald <command> [flags]", summary: "evald: evaluations of language-model endpoints.", flags: [] })}
Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join("\n")}

evald <command> --help shows the flags of a command.
`

const [name, ...args] = process.argv.slice(2)
const command = name === undefined ? undefined : commands[name]
if (command !== undefined) {
  const { main } = await command.load()
  main(args)
} else if (name === undefined || name === "help" || name === "--help" || name === "-h") {
  process.stdout.write(help())
} else if (name === "--version" || name === "-v") {
  const { main } = await import("./version.ts")
  main(args)
} else {
  process.stderr.write(`evald: unknown command '${name}'\n\n${help()}`)
  process.exitCode = usageExit
}
