/** The append-only log of what changed, written in the transaction that changed it. */
import { Effect } from "effect"
import type { Change } from "../../../application/ports/change-feed.ts"
import type { Session } from "../connection/session.ts"

/** told after COMMIT */
export type OnChange = (change: Change) => void

export const append = (session: Session, change: Omit<Change, "sequence">, onChange: OnChange) =>
  Effect.map(
    session.write<{ sequence: number | string }>(
      "INSERT INTO changes (tenant, job_id, kind) VALUES (?, ?, ?) RETURNING sequence",
      [change.tenant, change.jobId, change.kind]
    ),
    ([row]) => session.afterCommit(() => onChange({ ...change, sequence: Number(row?.sequence) }))
  )
