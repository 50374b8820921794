/**
 * Messages about a job and its benchmarks, and their builders. Every code that can appear in a job record is in `message-codes.ts`.
 * Reference: states-and-scores.md, "Job states", "Transitions".
 */
import { withoutControl } from "../../values/clean-text.ts"
import type { JobState, Message } from "./job.ts"
import { waitingCodes } from "./message-codes.ts"

/** longest message text kept, in UTF-8 bytes (adapter-contract.md, "Events") */
export const maxMessageBytes = 8192

const bytesOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/** at most `limit` UTF-8 bytes of the text, cut between characters and marked as cut */
export const cut = (text: string, limit: number = maxMessageBytes): string => {
  if (text.length * 3 <= limit) return text
  let bytes = 0
  let end = 0
  let fits = 0
  for (const character of text) {
    bytes += bytesOf(character.codePointAt(0) ?? 0)
    if (bytes > limit) return `${text.slice(0, fits)}…`
    end += character.length
    if (bytes <= limit - 3) fits = end
  }
  return text
}

const fromServer = (code: string, message: string): Message => ({ code, message: cut(message), origin: "server" })

/** message of a new job; `notes` tell what was accepted and will be ignored (a queue in local mode) */
export const jobCreated = (notes: ReadonlyArray<string> = []): Message =>
  fromServer("evaluation_job_created", ["Evaluation job created.", ...notes].join(" "))

/** message of a job after any change, cancel included */
export const jobUpdated = (state: JobState, ended: number, total: number): Message =>
  fromServer("evaluation_job_updated", `Evaluation job is ${state}: ${ended} of ${total} benchmarks ended.`)

/** stands in when an adapter reports `failed` and does not say why */
export const benchmarkFailed: Message = fromServer(
  "benchmark_failed",
  "The adapter reported that the benchmark failed and gave no reason."
)

/** stands in for whatever a benchmark reported after requests of it were refused */
export const budgetExhausted: Message = fromServer(
  "budget_exhausted",
  "The budget of the benchmark or its job is used up: requests to the model were refused, so that there is no score. Run it again with a larger budget: a rerun takes it in overrides.budget."
)

/** why a cancelled benchmark ended */
export const benchmarkCancelled: Message = fromServer("evaluation_job_cancelled", "Evaluation job cancelled")

/** a message of the runtime about a unit; `code` may also be one that the runtime took over from elsewhere */
export const fromRuntime = (code: string, message: string): Message => ({
  code,
  message: cut(withoutControl(message)),
  origin: "runtime"
})

/** does this message only say why a benchmark does not start yet? It loses its meaning once the benchmark runs. */
export const isWaiting = (message: Message): boolean =>
  message.origin === "runtime" && waitingCodes.some((code) => code === message.code)
