/** What every audit log does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type AuditEntry, AuditLog } from "../../../../application/ports/stores/audit-log.ts"
import { checkChain } from "../../../../infrastructure/audit/chain.ts"
import type { StorageLayer } from "../../../support/storage.ts"

const asked = (trace: string): AuditEntry => ({
  ...{ phase: "asked", at: "2026-08-17T10:00:00.000Z", trace, tenant: "a", owner: "ä\u0000\n", method: "POST" },
  path: "/api/v1/evaluations/jobs?dry_run=true"
})

export const auditSuite = (name: string, storage: StorageLayer) =>
  describe(`audit log: ${name}`, () => {
    layer(storage)((it) => {
      it.effect("an empty log is whole; entries are numbered from 1 and chained, those that come at once too", () =>
        Effect.gen(function* () {
          const log = yield* AuditLog
          assert.deepEqual(yield* checkChain(log), { head: { sequence: 0, hash: "0".repeat(64) } })
          yield* log.append(asked("first"))
          yield* log.append({
            phase: "answered",
            at: "2026-08-17T10:00:01.000Z",
            trace: "first",
            status: 202,
            location: "/x"
          })
          const noted = yield* log.head
          assert.strictEqual(noted.sequence, 2)
          const many = Array.from({ length: 60 }, (_, number) => asked(`t-${number}`))
          yield* Effect.forEach(many, log.append, { concurrency: "unbounded", discard: true })
          const links = yield* log.after(0, 1000)
          assert.deepEqual(
            links.map(({ sequence }) => sequence),
            Array.from({ length: 62 }, (_, at) => at + 1)
          )
          assert.sameMembers(
            links.map(({ entry }) => (JSON.parse(entry) as AuditEntry).trace),
            ["first", "first", ...many.map(({ trace }) => trace)]
          )
          assert.deepEqual(JSON.parse(links[0]?.entry ?? ""), asked("first"))
          assert.deepEqual(yield* log.after(60, 1), links.slice(60, 61))
          const { head, problem } = yield* checkChain(log, [noted])
          assert.deepEqual([head.sequence, head.hash, problem], [62, links[61]?.hash, undefined])
          const other = yield* checkChain(log, [{ sequence: 2, hash: "f".repeat(64) }])
          assert.match(other.problem ?? "", /^entry 2 has the hash [0-9a-f]{64}, but f{64} was noted$/)
          const cut = yield* checkChain(log, [{ sequence: 63, hash: "f".repeat(64) }])
          assert.strictEqual(cut.problem, "the log ends with entry 62, but entry 63 was noted: its end was cut off")
        })
      )
    })
  })
