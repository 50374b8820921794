/** The chain of the audit log: how an entry is hashed, and whether all of them follow from one another. Reference: signing.md, "Audit log". */
import { hash } from "node:crypto"
import { Effect } from "effect"
import type { AuditEntry, AuditLink, AuditLog } from "../../application/ports/stores/audit-log.ts"
import { canonicalJson } from "../../values/canonical-json.ts"

export type Head = Omit<AuditLink, "entry">

export const beginning: Head = { sequence: 0, hash: "0".repeat(64) }

const hashOf = (before: string, sequence: number, entry: string): string =>
  hash("sha256", `${before}\n${sequence}\n${entry}`, "hex")

export const linkAfter = (head: Head, entry: AuditEntry): AuditLink => {
  const sequence = head.sequence + 1
  const text = canonicalJson(entry)
  return { sequence, entry: text, hash: hashOf(head.hash, sequence, text) }
}

interface Found {
  readonly head: Head
  /** the first contradiction; absent when there is none */
  readonly problem?: string
}

const step = 1000

/** why a link does not follow from the one before it */
const problemOf = (before: Head, link: AuditLink): string | undefined => {
  if (link.sequence !== before.sequence + 1)
    return `entry ${before.sequence + 1} is missing: ${before.sequence} is followed by ${link.sequence}`
  return hashOf(before.hash, link.sequence, link.entry) === link.hash
    ? undefined
    : `entry ${link.sequence} does not follow from the one before it: one of them was changed`
}

/** reads all of it; `noted`: heads that were written down earlier and have to be in it */
export const checkChain = (log: typeof AuditLog.Service, noted: ReadonlyArray<Head> = []) =>
  Effect.gen(function* () {
    const wanted = new Map(noted.map(({ sequence, hash: text }) => [sequence, text]))
    // before the entries, so that those which come meanwhile are no contradiction
    const written = yield* log.head
    if (written.sequence > 0) wanted.set(written.sequence, wanted.get(written.sequence) ?? written.hash)
    let head = beginning
    const broken = (problem: string): Found => ({ head, problem })
    for (;;) {
      const links = yield* log.after(head.sequence, step)
      for (const link of links) {
        const problem = problemOf(head, link)
        if (problem !== undefined) return broken(problem)
        const text = wanted.get(link.sequence)
        if (text !== undefined && text !== link.hash)
          return broken(`entry ${link.sequence} has the hash ${link.hash}, but ${text} was noted`)
        wanted.delete(link.sequence)
        head = { sequence: link.sequence, hash: link.hash }
      }
      if (links.length < step) break
    }
    const [missing] = [...wanted.keys()].toSorted((a, b) => a - b)
    return missing === undefined
      ? ({ head } satisfies Found)
      : broken(`the log ends with entry ${head.sequence}, but entry ${missing} was noted: its end was cut off`)
  })
