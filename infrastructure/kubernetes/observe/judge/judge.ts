/**
 * Puts the table of `mapping.ts` on a clock: which condition holds, since when, and whether it is time to warn or to fail. Pure.
 * Reference: cluster-objects.md, "Observing"; the timer counts from the Job's creation until the adapter runs.
 */
import { rules } from "./mapping.ts"
import type { Finding, MappingOptions } from "./rule.ts"
import { containerOf, type Sight } from "./sight.ts"

/** when each condition that still holds was first seen, in milliseconds, by rule */
export type FirstSeen = { readonly [rule: string]: number }

export interface JudgeOptions extends MappingOptions {
  readonly pendingSeconds?: number
}

export interface Judgement {
  /** the rule that decides; "" when nothing is wrong */
  readonly rule: string
  readonly firstSeen: FirstSeen
  readonly effect: "none" | "warn" | "fail"
  readonly finding: Finding | undefined
  /** when the effect may become another one without any news, in milliseconds */
  readonly nextAt: number | undefined
}

const calm = { rule: "", effect: "none", finding: undefined, nextAt: undefined } as const

const timer = "pending"
/** a Job that was taken off and runs again starts its time from zero */
const isTimed = ({ job, pod, hadPod }: Sight): boolean => {
  const adapter = containerOf(pod, "adapter")
  const wasEvicted = job?.isSuspended === true && hadPod
  return job !== undefined && !wasEvicted && (adapter === undefined || adapter.state.is === "waiting")
}

export const judge = (sight: Sight, before: FirstSeen, now: number, options: JudgeOptions): Judgement => {
  const firstSeen: { [rule: string]: number } = {}
  let decisive: { readonly rule: string; readonly finding: Finding; readonly since: number } | undefined
  for (const { id, find } of rules) {
    const finding = find(sight, options)
    if (finding === undefined) continue
    const key = finding.stage === undefined ? id : `${id}:${finding.stage}`
    const since = before[key] ?? now
    firstSeen[key] = since
    decisive ??= { rule: id, finding, since }
  }
  const { pendingSeconds } = options
  if (pendingSeconds !== undefined && isTimed(sight)) {
    const created = Date.parse(sight.job?.createdAt ?? "")
    const isSecondRun = sight.lastPod !== undefined
    firstSeen[timer] = before[timer] ?? (isSecondRun || Number.isNaN(created) ? now : created)
    const due = firstSeen[timer] + pendingSeconds * 1000
    const isEnding = decisive !== undefined && decisive.finding.failAfter !== undefined
    if (now >= due && !isEnding) {
      const why = decisive === undefined ? "" : ` The last reason was: ${decisive.finding.message}`
      const message = `The adapter did not start within ${pendingSeconds} seconds (timeouts.pending_seconds).${why}`
      return {
        rule: "M21",
        firstSeen,
        effect: "fail",
        finding: { code: "deadline_exceeded", message, failAfter: 0 },
        nextAt: undefined
      }
    }
    const judged = settle(decisive, firstSeen, now)
    return { ...judged, nextAt: Math.min(judged.nextAt ?? due, due) }
  }
  return settle(decisive, firstSeen, now)
}

const settle = (
  decisive: { readonly rule: string; readonly finding: Finding; readonly since: number } | undefined,
  firstSeen: FirstSeen,
  now: number
): Judgement => {
  if (decisive === undefined) return { ...calm, firstSeen }
  const { rule, finding, since } = decisive
  const at = (seconds: number | undefined) =>
    seconds === undefined ? Number.POSITIVE_INFINITY : since + seconds * 1000
  const [warnAt, failAt] = [at(finding.warnAfter), at(finding.failAfter)]
  const effect = now >= failAt ? "fail" : now >= warnAt ? "warn" : "none"
  const next = [warnAt, failAt].filter((moment) => moment > now && Number.isFinite(moment))
  return {
    rule,
    firstSeen,
    effect,
    finding,
    nextAt: effect === "fail" || next.length === 0 ? undefined : Math.min(...next)
  }
}
