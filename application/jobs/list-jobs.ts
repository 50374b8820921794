/** A page of jobs as wire texts, newest first. */
import { Effect } from "effect"
import type { JobQuery } from "../../domain/job/job-query.ts"
import type { Caller } from "../access/caller.ts"
import { JobStore } from "../ports/stores/job-store.ts"

/** `fields`: only these members of each record */
export const listJobs = (caller: Caller, query: JobQuery, fields?: ReadonlySet<string>) =>
  Effect.flatMap(JobStore, (store) => store.page(caller.tenant, query, fields))
