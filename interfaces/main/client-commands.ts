/** Commands that talk to a server. They are a bundle of their own, so that they start as fast as node itself. */
import { fileURLToPath } from "node:url"
import { candidates } from "../cli/client/complete.ts"
import type { KubeconfigToken } from "../cli/client/contexts.ts"
import { runClient } from "../cli/client/main.ts"
import { processScreen } from "../cli/client/screen.ts"
import type { Handler } from "../cli/client/session.ts"
import { type ClientCommand, commands } from "../cli/commands.ts"
import { usageExit } from "../cli/flags.ts"
import { overview, unknownCommand } from "../cli/overview.ts"
import { build } from "./build-info.ts"

/** what reads kubeconfigs is loaded with the first one, as in a server */
const kubeconfigToken: KubeconfigToken = async (context, environment) => {
  const { contextToken } = await import("../../infrastructure/kubernetes/kubeconfig/context-token.ts")
  return contextToken(context, environment)
}

/** `handler`: of a command that is no part of this bundle */
export const main = async (
  name: string,
  command: ClientCommand,
  args: ReadonlyArray<string>,
  handler?: Handler
): Promise<void> => {
  const host = {
    environment: process.env,
    kubeconfigToken,
    platform: process.platform,
    build,
    pages: fileURLToPath(new URL("ui", import.meta.url)),
    screenOf: processScreen
  }
  process.exitCode = await runClient(name, command, args, host, handler)
}

/** whatever was typed that is no command of a bundle of its own; `word` is absent: nothing was */
export const command = async (word: string | undefined, args: ReadonlyArray<string>): Promise<void> => {
  const name = word === "--version" || word === "-v" || word === "-V" ? "version" : word
  const client = commands.find((one) => one.name === name)?.client
  if (name !== undefined && client !== undefined) await main(name, client, args)
  else if (name === undefined || name === "help" || name === "--help" || name === "-h") process.stdout.write(overview())
  else {
    process.stderr.write(unknownCommand(name))
    process.exitCode = usageExit
  }
}

export const complete = async (words: ReadonlyArray<string>): Promise<void> => {
  const found = await candidates(words, { environment: process.env, kubeconfigToken })
  // what a server, its name or a program of the context still keeps waiting, nobody at a prompt waits for
  process.stdout.write(found.map((word) => `${word}\n`).join(""), () => process.exit())
}
