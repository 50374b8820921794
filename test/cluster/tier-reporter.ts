/**
 * After a run: how many tests of each tier ran, failed and were skipped. A test's tier stands in its full name; without one it is T1. A tier
 * that must be there (`EVALD_REQUIRE_T2=1`, `EVALD_REQUIRE_T3=1`) and of which nothing ran fails the run.
 */
import type { Reporter, TestCase, TestModule } from "vitest/node"

type Outcome = "passed" | "failed" | "skipped"

const tierOf = ({ fullName }: TestCase): string => /\bT[0-3]\b/.exec(fullName)?.[0] ?? "T1"

export default class TierReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = new Map<string, { [O in Outcome]: number }>()
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        const of = counts.get(tierOf(test)) ?? { passed: 0, failed: 0, skipped: 0 }
        of[state === "passed" || state === "failed" ? state : "skipped"] += 1
        counts.set(tierOf(test), of)
      }
    for (const [tier, { passed, failed, skipped }] of [...counts].sort()) {
      const loud = skipped > 0 ? " - SKIPPED tests are named above with the reason" : ""
      process.stdout.write(`${tier}: ${passed + failed} ran, ${failed} failed, ${skipped} skipped${loud}\n`)
    }
    for (const tier of ["T2", "T3"]) {
      const { passed, failed } = counts.get(tier) ?? { passed: 0, failed: 0 }
      if (process.env[`EVALD_REQUIRE_${tier}`] !== "1" || passed + failed > 0) continue
      process.stdout.write(`${tier}: MISSING, and EVALD_REQUIRE_${tier}=1 wants it\n`)
      process.exitCode = 1
    }
  }
}
