/** Which writes share a transaction, and who waits for whom. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as GroupCommit from "../../../../../infrastructure/sql/connection/group-commit.ts"
import * as Session from "../../../../../infrastructure/sql/connection/session.ts"
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
  const body = (_session: Session.Session) => Effect.void
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

  describe("a long write between two of its statements", () => {
    /** transactions as flushes run them: a body that ends itself is rolled back. Each statement is one look for who waits. */
    const ran = Effect.gen(function* () {
      const log: Array<string> = []
      const writers = yield* GroupCommit.make((batch) =>
        Effect.forEach(
          batch,
          ({ body, done, line }) =>
            Effect.map(Effect.exit(body(noSession, undefined)), (exit) => {
              log.push(`${Exit.isSuccess(exit) ? "stored" : "undone"} ${line}`)
              done(exit)
            }),
          { discard: true }
        )
      )
      return { log, writers }
    })
    const noSession = Session.reading("sqlite", () => Effect.succeed([]))

    it.scoped("goes on while nobody waits, without a transaction more", () =>
      Effect.gen(function* () {
        const { log, writers } = yield* ran
        yield* writers.giveWay
        yield* writers.long(() => Effect.repeatN(writers.giveWay, 3), "L")
        assert.deepStrictEqual(log, ["stored L"])
      })
    )

    it.scoped("gives way to a short one that came meanwhile, and runs again after it, before other long ones", () =>
      Effect.gen(function* () {
        const { log, writers } = yield* ran
        const others: Array<Fiber.RuntimeFiber<void, never>> = []
        const body = () =>
          Effect.gen(function* () {
            if (others.length === 0)
              others.push(
                yield* Effect.forkDaemon(writers.long(() => Effect.void, "M")),
                yield* Effect.forkDaemon(writers.short(() => Effect.void, "a"))
              )
            yield* writers.giveWay
            return "whole"
          })
        assert.strictEqual(yield* writers.long(body, "L"), "whole")
        yield* Fiber.joinAll(others)
        assert.deepStrictEqual(log, ["undone L", "stored a", "stored L", "stored M"])
      })
    )

    it.scoped("gives way so often and no more, however many short ones come", () =>
      Effect.gen(function* () {
        const { log, writers } = yield* ran
        const shorts: Array<Fiber.RuntimeFiber<void, never>> = []
        const body = () =>
          Effect.gen(function* () {
            shorts.push(yield* Effect.forkDaemon(writers.short(() => Effect.void, "a")))
            yield* Effect.repeatN(writers.giveWay, 2)
          })
        yield* writers.long(body, "L")
        yield* Fiber.joinAll(shorts)
        const again = Array.from({ length: 4 }, () => ["undone L", "stored a"]).flat()
        assert.deepStrictEqual(log, [...again, "stored L", "stored a"])
      })
    )

    it.scoped("that fails by itself afterwards is told so", () =>
      Effect.gen(function* () {
        const { log, writers } = yield* ran
        const shorts: Array<Fiber.RuntimeFiber<void, never>> = []
        const body = () =>
          Effect.gen(function* () {
            if (shorts.length > 0) return yield* Effect.fail("full" as const)
            shorts.push(yield* Effect.forkDaemon(writers.short(() => Effect.void, "a")))
            return yield* writers.giveWay
          })
        assert.strictEqual(yield* Effect.flip(writers.long(body, "L")), "full")
        assert.deepStrictEqual(log, ["undone L", "stored a", "undone L"])
      })
    )
  })
})
