/** The end of a process in a user's words, for a benchmark that reported no result. Reference: adapter-contract.md, "Exit". */
import { signalNames } from "../../unit/signal-names.ts"
import type { Exit } from "../process/unit-process.ts"

export interface Ending {
  readonly code: "adapter_exited_without_result" | "adapter_failed_to_start"
  readonly message: string
  readonly exitCode?: number
  readonly signal?: string
}

const notStarted: { readonly [code: number]: string } = {
  126: "was found and could not be executed",
  127: "was not found"
}

const shorten = (command: string) => (command.length > 200 ? `${command.slice(0, 199)}…` : command)

/** how this exit of `command` is told */
export const howItEnded = (exit: Exit, command: string): Ending => {
  const { code, signal } = exit
  if (signal !== undefined)
    return {
      code: "adapter_exited_without_result",
      message: `The adapter was ended by ${signal} and reported no result.`,
      signal
    }
  if (code === undefined)
    return { code: "adapter_exited_without_result", message: "The adapter ended and reported no result." }
  const reason = notStarted[code]
  if (reason !== undefined) {
    const message = `The command of the provider ${reason} (exit code ${code}): ${shorten(command)}. Install it, or correct runtime.local.command.`
    return { code: "adapter_failed_to_start", message, exitCode: code }
  }
  // a shell reports the signal that ended its last command as 128 + number
  const name = code > 128 ? signalNames.get(code - 128) : undefined
  const told = name === undefined ? "" : ` (${name})`
  return {
    code: "adapter_exited_without_result",
    message: `The adapter exited with code ${code}${told} and reported no result.`,
    exitCode: code
  }
}
