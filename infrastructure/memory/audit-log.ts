/** The audit log in memory. */
import { Effect, Layer } from "effect"
import { type AuditLink, AuditLog } from "../../application/ports/stores/audit-log.ts"
import { beginning, linkAfter } from "../audit/chain.ts"

export const layer: Layer.Layer<AuditLog> = Layer.sync(AuditLog, () => {
  const links: Array<AuditLink> = []
  const head = () => links.at(-1) ?? beginning
  return AuditLog.of({
    append: (entry) => Effect.sync(() => void links.push(linkAfter(head(), entry))),
    after: (sequence, limit) => Effect.sync(() => links.slice(sequence, sequence + limit)),
    head: Effect.sync(() => {
      const { sequence, hash } = head()
      return { sequence, hash }
    })
  })
})
