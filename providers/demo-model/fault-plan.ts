/** Which requests fail, and how: by the script, then by the error rate. Counted per server, so that a repeated request may succeed. */
import { LRUCache } from "lru-cache"
import type { DemoKnobs, faults } from "./knobs.ts"
import { hashShare } from "./seeded.ts"

export type Fault = (typeof faults)[number]
export type Plan =
  | { readonly _tag: "Behave"; readonly fault: Fault }
  | { readonly _tag: "Status"; readonly status: number; readonly retryAfter: string }

const maxRemembered = 100_000

const planOf = (step: string): Plan => {
  const [status = "", retryAfter = "0"] = step.split("@")
  return /^\d/.test(step)
    ? { _tag: "Status", status: Number(status), retryAfter }
    : { _tag: "Behave", fault: step as Fault }
}

/** one per server */
export const makeFaultPlan = () => {
  // bounded by a size, because a bound on the number sets the room aside at once
  const bounds = { maxSize: maxRemembered, sizeCalculation: () => 1 }
  const steps = new LRUCache<string, number>(bounds)
  const repeats = new LRUCache<string, number>(bounds)
  const next = (counts: LRUCache<string, number>, key: string): number => {
    const at = counts.get(key) ?? 0
    counts.set(key, at + 1)
    return at
  }
  return (knobs: DemoKnobs, body: string): Plan => {
    const script = knobs.statusScript
    if (script.length > 0) {
      const step = script[next(steps, script.join(","))]
      if (step !== undefined) return planOf(step)
    }
    if (knobs.errorRate > 0 && hashShare(knobs.seed, "error", body, next(repeats, body)) < knobs.errorRate)
      return { _tag: "Status", status: 500, retryAfter: "0" }
    return { _tag: "Behave", fault: "ok" }
  }
}
