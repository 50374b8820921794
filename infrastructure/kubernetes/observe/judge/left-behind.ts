/** The last words of a sidecar that could not deliver its terminal event. Reference: gateway.md, "Event spool". */
import { Either } from "effect"
import type { StatusEvent } from "../../../../domain/job/status-event.ts"
import { readMailbox } from "../../../../providers/contract/mailbox.ts"
import { decodeStatusEvent } from "../../../../providers/contract/status-event.ts"

export type LeftBehind =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Event"; readonly event: StatusEvent }
  /** a completed benchmark whose metrics did not fit: the result is lost, and saying so is all that is left */
  | { readonly _tag: "ResultLost" }
  | { readonly _tag: "Unreadable"; readonly reason: string }

export const leftBehind = (lastWords: string): LeftBehind => {
  const mailbox = readMailbox(lastWords)
  if (mailbox?.terminal === undefined) return { _tag: "Nothing" }
  if (mailbox.cut && mailbox.terminal["status"] === "completed") return { _tag: "ResultLost" }
  return Either.match(decodeStatusEvent({ benchmark_status_event: mailbox.terminal }), {
    onLeft: (problems): LeftBehind => ({
      _tag: "Unreadable",
      reason: problems.map(({ path, message }) => `${path} ${message}`).join("; ")
    }),
    onRight: ({ event }): LeftBehind => ({ _tag: "Event", event })
  })
}
