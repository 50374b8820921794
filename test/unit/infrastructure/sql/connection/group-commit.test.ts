/** Which writes share a transaction, and who waits for whom. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as GroupCommit from "../../../../../infrastructure/sql/connection/group-commit.ts"
import type { Session } from "../../../../../infrastructure/sql/connection/session.ts"
import type { Write } from "../../../../../infrastructure/sql/connection/transaction.ts"

/** transactions as lists of the names of their writes; each takes until `step` lets it end */
const recorded = Effect.gen(function* () {
  const transactions: Array<ReadonlyArray<string>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const flush = (batch: ReadonlyArray<Write>) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      transactions.push(batch.map(({ line }) => line ?? ""))
      gates.push(gate)
      yield* Deferred.await(gate)
      for (const { done } of batch) done(Exit.void)
    })
  const writers = yield* GroupCommit.make(flush)
  const body = (_session: Session) => Effect.void
  const turns = Effect.repeatN(
    Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))),
    5
  )
  return {
    transactions,
    isBusy: writers.isBusy,
    short: (name: string) => Effect.fork(writers.short(body, name)),
    long: (name: string) => Effect.fork(writers.long(body, name)),
    /** whatever is due has begun; then the running transaction ends */
    step: Effect.zipRight(
      turns,
      Effect.suspend(() => {
        const gate = gates.shift()
        return gate === undefined ? Effect.void : Effect.zipRight(Deferred.succeed(gate, undefined), turns)
      })
    )
  }
})

describe("the one writer of a database", () => {
  it.scoped("short writes that came meanwhile share the next transaction", () =>
    Effect.gen(function* () {
      const { transactions, short, step } = yield* recorded
      const first = yield* short("a")
      yield* step
      const others = yield* Effect.forEach(["b", "c", "d"], short)
      yield* step
      yield* step
      yield* Fiber.joinAll([first, ...others])
      assert.deepStrictEqual(transactions, [["a"], ["b", "c", "d"]])
    })
  )

  it.scoped("is busy from the first write that waits until the last one is done", () =>
    Effect.gen(function* () {
      const { short, step, isBusy } = yield* recorded
      const seen = [isBusy()]
      const first = yield* short("a")
      yield* step
      yield* Fiber.join(first)
      seen.push(isBusy())
      const second = yield* short("b")
      yield* Effect.yieldNow()
      seen.push(isBusy())
      yield* step
      yield* Fiber.join(second)
      seen.push(isBusy())
      assert.deepStrictEqual(seen, [false, false, true, false])
    })
  )

  it.scoped(
    "a short write waits for one long write at most, however many there are, and is in no transaction with one",
    () =>
      Effect.gen(function* () {
        const { transactions, short, long, step } = yield* recorded
        const fibers = [...(yield* Effect.forEach(["L1", "L2", "L3"], long)), yield* short("a")]
        yield* step
        fibers.push(yield* short("b"))
        for (let n = 0; n < 6; n++) yield* step
        yield* Fiber.joinAll(fibers)
        const waited = transactions.findIndex((names) => names.includes("b")) - 1
        assert.isAtMost(waited, 1)
        for (const names of transactions) if (names.some((name) => name.startsWith("L"))) assert.lengthOf(names, 1)
      })
  )

  it.scoped("a long write has its turn although short ones never cease", () =>
    Effect.gen(function* () {
      const { transactions, short, long, step } = yield* recorded
      const fibers = [yield* short("a"), yield* long("L")]
      for (let n = 0; n < 5; n++) {
        fibers.push(yield* short(`s${n}`))
        yield* step
      }
      for (let n = 0; n < 3; n++) yield* step
      yield* Fiber.joinAll(fibers)
      const at = transactions.findIndex((names) => names.includes("L"))
      assert.isAtLeast(at, 0)
      assert.isAtMost(at, 2)
    })
  )
})
