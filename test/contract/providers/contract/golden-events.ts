/** Bodies that real adapters send, E1 to E16. Reference: adapter-contract.md, "Events". */

import { completedMembers } from "../../../support/event-corpus.ts"

const event = (members: object) => ({ benchmark_status_event: members })
const base = { provider_id: "p", id: "b", benchmark_index: 0 }
const failed = {
  ...base,
  status: "failed",
  phase: "completed",
  error_message: { message: "401", message_code: "model_authentication_failed", message_origin: "adapter" }
}
const completed = { ...base, ...completedMembers }

export const golden = {
  E1: event({ ...base, status: "running", phase: "initializing" }),
  E2: event({ ...base, status: "running", phase: "running_evaluation" }),
  E3: event({
    ...base,
    status: "running",
    warning_message: { message: "slow", message_code: "w1", message_origin: "adapter" }
  }),
  E4: event(completed),
  E5: event(failed),
  E6: event({ ...failed, error_message: { message: "another text", message_code: "model_authentication_failed" } }),
  E7: event(failed),
  E8: event({
    ...base,
    status: "failed",
    error_message: { message: "Failed to save", message_code: "mlflow_save_failed", message_origin: "sdk" }
  }),
  E9: event({ id: "b", provider_id: "", status: "running" }),
  E10: event({ ...base, status: "completed", metrics: { acc: "NaN", ppl: "inf", x: null, nested: { a: 1 } } }),
  E11: event({ ...base, status: "failed" }),
  E12: event({ ...base, status: "completed", metrics: { acc: 1 } }),
  E13: event({ ...base, status: "running", phase: "post_processing" }),
  E14: event({ ...base, status: "cancelled" }),
  E15: { ...event({ ...completed, colour: "red" }), sent_by: "me" },
  E16: event({ ...base, status: "completed", started_at: "2026-08-17T10:11:12.1", completed_at: "2026-08-17T10:11:11" })
} as const
