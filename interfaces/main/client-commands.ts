/** Commands that talk to a server. They are a bundle of their own, so that they start as fast as node itself. */
import { fileURLToPath } from "node:url"
import { candidates } from "../cli/client/complete.ts"
import type { KubeconfigToken } from "../cli/client/contexts.ts"
import { runClient } from "../cli/client/main.ts"
import { processScreen } from "../cli/client/screen.ts"
import type { Handler } from "../cli/client/session.ts"
import type { ClientCommand } from "../cli/commands.ts"
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

export const complete = async (words: ReadonlyArray<string>): Promise<void> => {
  const found = await candidates(words, { environment: process.env, kubeconfigToken })
  // what a server, its name or a program of the context still keeps waiting, nobody at a prompt waits for
  process.stdout.write(found.map((word) => `${word}\n`).join(""), () => process.exit())
}
