import { assert, it } from "@effect/vitest"
import { Effect, Logger, TestClock } from "effect"
import { noClusterReminder } from "../../../../../interfaces/main/compose/cluster-access.ts"

it.scoped("a missing cluster is told at start and once an hour, with what it means for the way callers are known", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logging = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void lines.push(String(message)))
    )
    const told = (mode: "cluster" | "none" | "trusted_headers") => Effect.provide(noClusterReminder(mode), logging)
    yield* told("trusted_headers")
    assert.lengthOf(lines, 1)
    yield* TestClock.adjust("59 minutes")
    assert.lengthOf(lines, 1)
    yield* TestClock.adjust("1 minutes")
    assert.lengthOf(lines, 2)
    yield* TestClock.adjust("10 hours")
    assert.lengthOf(lines, 12)
    assert.deepStrictEqual(new Set(lines).size, 1)
    assert.match(lines[0] ?? "", /POST jobs answers 503 cluster_unavailable/)
    yield* told("none")
    assert.strictEqual(lines.at(-1), lines[0])
    yield* told("cluster")
    assert.match(lines.at(-1) ?? "", /guarded routes answer 503 review_unavailable/)
  })
)
