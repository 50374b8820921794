/** Whatever was changed in a log of entries is found. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AuditLink, AuditLog } from "../../../../application/ports/stores/audit-log.ts"
import { beginning, checkChain, type Head, linkAfter } from "../../../../infrastructure/audit/chain.ts"

const chain = (count: number): ReadonlyArray<AuditLink> => {
  const links: Array<AuditLink> = []
  for (let number = 0; number < count; number++)
    links.push(
      linkAfter(links.at(-1) ?? beginning, {
        ...{ phase: "answered", at: "2026-08-17T10:00:00.000Z", trace: `t-${number}`, status: 200 }
      })
    )
  return links
}

const logOf = (links: ReadonlyArray<AuditLink>, head: Head = links.at(-1) ?? beginning): typeof AuditLog.Service => ({
  append: () => Effect.void,
  after: (sequence, limit) => Effect.succeed(links.filter((link) => link.sequence > sequence).slice(0, limit)),
  head: Effect.succeed({ sequence: head.sequence, hash: head.hash })
})

const whole = chain(2100)
const problemOf = (links: ReadonlyArray<AuditLink>, head = whole.at(-1)) =>
  Effect.map(checkChain(logOf(links, head)), ({ problem }) => problem ?? "")

describe("the chain of the audit log", () => {
  it.effect("whole logs are whole, the first hash is the published one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* problemOf(whole), "")
      assert.strictEqual(whole[0]?.hash, "6138e19d67421ae6f9cd156d5076c34602b5446e8d75e7827e2f64564d0610de")
    })
  )

  it.effect("a changed, missing, added, exchanged or cut entry is found, with its number", () =>
    Effect.gen(function* () {
      const changed = (at: number, given: Partial<AuditLink>) =>
        whole.map((link) => (link.sequence === at ? { ...link, ...given } : link))
      for (const at of [1, 2, 999, 1000, 1001, 2100]) {
        const entry = (whole[at - 1]?.entry ?? "").replace("200", "201")
        assert.match(yield* problemOf(changed(at, { entry })), new RegExp(`^entry ${at} does not follow`))
        const missing = yield* problemOf(whole.filter(({ sequence }) => sequence !== at))
        assert.match(
          missing,
          new RegExp(at === 2100 ? "entry 2100 was noted: its end was cut off" : `^entry ${at} is missing`)
        )
      }
      assert.match(yield* problemOf(changed(7, { hash: "0".repeat(64) })), /^entry 7 does not follow/)
      // the entry and its own hash made anew: the next one says so
      const forged = linkAfter(whole[5] ?? beginning, {
        ...{ phase: "answered", at: "2026-08-17T10:00:00.000Z", trace: "other", status: 200 }
      })
      assert.match(yield* problemOf(changed(7, forged)), /^entry 8 does not follow/)
      // all after it made anew as well: only the head that was written apart, or noted, says so
      const anew = [...whole.slice(0, 6), forged]
      assert.match(yield* problemOf(anew), /entry 2100 was noted: its end was cut off$/)
      assert.match(yield* problemOf(anew, whole[6]), /^entry 7 has the hash [0-9a-f]{64}, but [0-9a-f]{64} was noted$/)
      assert.strictEqual(yield* problemOf(anew, anew[6]), "")
    })
  )
})
