/** Commands that talk to a server. They are a bundle of their own, so that they start as fast as node itself. */
import { fileURLToPath } from "node:url"
import { candidates } from "../cli/client/complete.ts"
import { runClient } from "../cli/client/main.ts"
import { processScreen } from "../cli/client/screen.ts"
import type { ClientCommand } from "../cli/commands.ts"
import { build } from "./build-info.ts"

export const main = async (name: string, command: ClientCommand, args: ReadonlyArray<string>): Promise<void> => {
  process.exitCode = await runClient(name, command, args, {
    environment: process.env,
    platform: process.platform,
    build,
    pages: fileURLToPath(new URL("ui", import.meta.url)),
    screenOf: processScreen
  })
}

export const complete = async (words: ReadonlyArray<string>): Promise<void> => {
  for (const word of await candidates(words, process.env)) process.stdout.write(`${word}\n`)
}
