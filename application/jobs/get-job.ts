/** One job as wire text. */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { JobStore } from "../ports/stores/job-store.ts"

export const getJob = (caller: Caller, id: string) =>
  Effect.flatMap(JobStore, (store) => store.render(caller.tenant, id))
