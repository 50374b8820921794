/** Processes that another server launched: ended on request, or because that server is gone. */
import { Effect } from "effect"
import { terminate } from "../process/end-of-processes.ts"
import { isAlive, killRun } from "../process/process-table.ts"
import type { LiveUnit } from "./live-units.ts"

/** why a benchmark of a server that died failed */
export const lostWithServer =
  "The server stopped while the benchmark was running, and its process was ended with it. Submit the job again."

/**
 * Ends what is left of a unit that is not ours. A group id is only trusted while its leader is surely the process that was started;
 * everything else is found by its run id.
 */
export const killLeftover = (entry: LiveUnit, graceMillis: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { leader, runId } = entry
    if (leader?.startTicks !== undefined && isAlive(leader)) return terminate({ pid: leader.pid, runId }, graceMillis)
    return Effect.asVoid(Effect.promise(() => killRun(runId)))
  })
