/** Samples do not hold up the thread with their flush, and are acknowledged after it all the same. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { SqlError } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Option } from "effect"
import { Unavailable } from "../../../../../../application/errors.ts"
import { JobStore } from "../../../../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../../../../application/ports/stores/sample-store.ts"
import { readSample } from "../../../../../../domain/sample/read-sample.ts"
import { Database } from "../../../../../../infrastructure/sql/connection/client.ts"
import { sqliteFile } from "../../../../../../infrastructure/sql/connection/sqlite.ts"
import * as LogFlush from "../../../../../../infrastructure/sql/connection/sqlite-log/flush.ts"
import type { Write } from "../../../../../../infrastructure/sql/connection/transaction.ts"
import { ports } from "../../../../../../infrastructure/sql/database.ts"
import { settings, temporaryFolder } from "../../../../../support/storage.ts"
import { jobId, makeJob } from "../../../../../support/stored-jobs.ts"
import { quiet, untilTrue } from "../../../../../support/until.ts"

/** flushes that end when the test says so */
const heldFlushes = () => {
  const held: Array<(error: Error | null) => void> = []
  let begun = 0
  return {
    flush: (_descriptor: number, done: (error: Error | null) => void) => {
      begun++
      held.push(done)
    },
    begun: () => begun,
    /** waits until one has begun, and ends it */
    end: (error: Error | null = null) =>
      Effect.zipRight(
        untilTrue(Effect.sync(() => held.length > 0)),
        Effect.sync(() => held.shift()?.(error))
      )
  }
}

type Held = ReturnType<typeof heldFlushes>

const broken = () => Object.assign(new Error("i/o error, fdatasync"), { code: "EIO" })

const placed = Effect.map(temporaryFolder, (folder) => join(folder, "evald.db"))

const withTable = (path: string, { flush }: Held) =>
  Effect.tap(sqliteFile(path, flush), (database) =>
    database.write("make", (session) => session.write("CREATE TABLE t (text TEXT)", []))
  )

type Opened = typeof Database.Service

const insert = "INSERT INTO t (text) VALUES (?)"
const short = (database: Opened, text = "short") => database.write("short", (session) => session.write(insert, [text]))
const long = (database: Opened, text = "long") =>
  database.writeLong("long", (session) => session.write(insert, [text]), "line")
const stored = (database: Opened) =>
  Effect.map(
    database.read("read", (session) => session.query<{ text: string }>("SELECT text FROM t ORDER BY rowid", [])),
    (rows) => rows.map(({ text }) => text)
  )

/** the long write waits for its flush: committed, and not answered */
const isWaiting = (database: Opened, fiber: Fiber.RuntimeFiber<unknown, unknown>, text: string) =>
  Effect.gen(function* () {
    yield* untilTrue(Effect.map(stored(database), (texts) => texts.includes(text)))
    yield* quiet
    assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
  })

const refusal = (exit: Exit.Exit<unknown, unknown>) => {
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  return error instanceof Unavailable ? error : assert.fail("was not refused")
}

const levels = { 1: "NORMAL", 2: "FULL" } as const

/** whether the COMMIT of this write flushes */
const level = (
  write: Opened["write"] | Opened["writeLong"] | Opened["writeUnflushed"]
): Effect.Effect<string | undefined, Unavailable> =>
  write(
    "level",
    (session) =>
      Effect.map(
        session.query<{ synchronous: 1 | 2 }>("PRAGMA synchronous", []),
        ([row]) => row && levels[row.synchronous]
      ),
    "line"
  )

describe("the flush of a long write", () => {
  it.scopedLive("is waited for by the long write alone: a short one is answered meanwhile", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const fiber = yield* Effect.fork(long(database))
      yield* isWaiting(database, fiber, "long")
      yield* short(database)
      assert.strictEqual(held.begun(), 1)
      assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
      yield* held.end()
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* stored(database), ["long", "short"])
    })
  )

  it.scopedLive("is one that begins after its COMMIT, and which all that came meanwhile share", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const first = yield* Effect.fork(long(database, "first"))
      yield* isWaiting(database, first, "first")
      const others = yield* Effect.forEach(["second", "third"], (text) => Effect.fork(long(database, text)))
      for (const other of others) yield* isWaiting(database, other, "third")
      yield* held.end()
      yield* Fiber.join(first)
      yield* quiet
      for (const other of others) assert.isTrue(Option.isNone(yield* Fiber.poll(other)))
      yield* held.end()
      yield* Fiber.joinAll(others)
      assert.strictEqual(held.begun(), 2)
    })
  )

  it.scopedLive("is left out of its COMMIT alone: every other COMMIT flushes by itself, whatever came before", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const seen: Array<string | undefined> = []
      for (let round = 0; round < 3; round++) {
        seen.push(yield* level(database.write))
        const fiber = yield* Effect.fork(level(database.writeLong))
        yield* held.end()
        seen.push(yield* Fiber.join(fiber))
      }
      seen.push(yield* level(database.write))
      assert.deepStrictEqual(seen, ["FULL", "NORMAL", "FULL", "NORMAL", "FULL", "NORMAL", "FULL"])
    })
  )

  it.scopedLive("is left out where nobody needs it, unless the COMMIT is also that of a write that does", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const alone = yield* level(database.writeUnflushed)
      const together = [database.writeUnflushed, database.write, database.writeUnflushed]
      const shared = yield* Effect.forEach(together, level, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        [alone, ...shared, yield* level(database.writeUnflushed), yield* level(database.write)],
        ["NORMAL", "FULL", "FULL", "FULL", "NORMAL", "FULL"]
      )
      assert.strictEqual(held.begun(), 0)
    })
  )

  it.scopedLive("that fails refuses a write that needs none as well", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const fiber = yield* Effect.fork(Effect.exit(long(database)))
      yield* held.end(broken())
      yield* Fiber.join(fiber)
      refusal(yield* Effect.exit(database.writeUnflushed("late", (session) => session.write(insert, ["late"]))))
      assert.deepStrictEqual(yield* stored(database), ["long"])
    })
  )

  it.scopedLive("is not waited for by a long write that is refused before it wrote", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const database = yield* withTable(yield* placed, held)
      const refused = yield* Effect.flip(database.writeLong("long", () => Effect.fail("no" as const), "line"))
      assert.strictEqual(refused, "no")
      assert.strictEqual(held.begun(), 0)
    })
  )

  it.scopedLive(
    "that fails refuses everybody who waits, and every write after them, until the file is opened again",
    () =>
      Effect.gen(function* () {
        const path = yield* placed
        yield* Effect.scoped(
          Effect.gen(function* () {
            const held = heldFlushes()
            const database = yield* withTable(path, held)
            const first = yield* Effect.fork(long(database, "first"))
            yield* isWaiting(database, first, "first")
            const second = yield* Effect.fork(long(database, "second"))
            yield* isWaiting(database, second, "second")
            yield* database.present
            yield* held.end(broken())
            for (const fiber of [first, second]) {
              const { peer, reason } = refusal(yield* Fiber.await(fiber))
              assert.strictEqual(peer, "database")
              assert.match(reason ?? "", /could not be flushed/)
            }
            for (const write of [short(database, "later"), long(database, "later"), database.present])
              refusal(yield* Effect.exit(write))
            assert.strictEqual(held.begun(), 1)
            assert.notInclude(yield* stored(database), "later")
          })
        )
        const again = yield* sqliteFile(path)
        yield* again.present
        yield* long(again, "again")
        yield* short(again, "again")
        assert.deepStrictEqual((yield* stored(again)).slice(-2), ["again", "again"])
      })
  )

  it.scopedLive("has ended before the file is closed", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const path = yield* placed
      const hasBegun = untilTrue(Effect.sync(() => held.begun() === 1))
      const closed = yield* Effect.fork(
        Effect.scoped(
          Effect.flatMap(withTable(path, held), (database) => Effect.zipLeft(Effect.fork(long(database)), hasBegun))
        )
      )
      yield* hasBegun
      yield* quiet
      assert.isTrue(Option.isNone(yield* Fiber.poll(closed)))
      yield* held.end()
      yield* Fiber.join(yield* Fiber.join(closed))
    })
  )
})

describe("a flush while a short write waits for its transaction", () => {
  it.scoped("begins after that, once for all that are committed, and at once where nothing waits", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const path = yield* placed
      writeFileSync(`${path}-wal`, "")
      let isShortWaiting = true
      const log =
        (yield* LogFlush.make(path, { flush: held.flush, isHeld: () => isShortWaiting })) ?? assert.fail("has no log")
      const heard: Array<string> = []
      const commit = (name: string) => log.answered({ body: () => Effect.void, done: () => heard.push(name) })
      commit("first").done(Exit.void)
      commit("second").done(Exit.void)
      assert.strictEqual(held.begun(), 0)
      // although the next short one waits already: their turns need not end
      log.resume()
      assert.strictEqual(held.begun(), 1)
      commit("third").done(Exit.void)
      yield* held.end()
      assert.deepStrictEqual(heard, ["first", "second"])
      assert.strictEqual(held.begun(), 1)
      log.resume()
      isShortWaiting = false
      commit("fourth").done(Exit.void)
      yield* held.end()
      yield* held.end()
      assert.deepStrictEqual(heard, ["first", "second", "third", "fourth"])
      log.resume()
      assert.strictEqual(held.begun(), 3)
    })
  )
})

describe("a long write that gives way between its statements", () => {
  it.scopedLive("is undone for a short one that came, which is stored before it, and then stored whole", () =>
    Effect.gen(function* () {
      const database = yield* withTable(yield* placed, { ...heldFlushes(), flush: (_descriptor, done) => done(null) })
      const begun: Array<ReadonlyArray<string>> = []
      const shorts: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
      const slices = ["slice 1", "slice 2", "slice 3"]
      yield* database.writeLong(
        "long",
        (session) =>
          Effect.gen(function* () {
            begun.push(yield* stored(database))
            for (const slice of slices) {
              yield* session.write(insert, [slice])
              if (slice === "slice 2" && shorts.length === 0) shorts.push(yield* Effect.forkDaemon(short(database)))
              yield* database.giveWay
            }
          }),
        "line"
      )
      yield* Fiber.joinAll(shorts)
      assert.deepStrictEqual(begun, [[], ["short"]])
      assert.deepStrictEqual(yield* stored(database), ["short", ...slices])
    })
  )
})

describe("a short write whose COMMIT cannot flush", () => {
  it.scoped(
    "while a long one waits ends both, and what comes after them, although the long one's own flush succeeds",
    () =>
      Effect.gen(function* () {
        const held = heldFlushes()
        const path = yield* placed
        writeFileSync(`${path}-wal`, "")
        const log = (yield* LogFlush.make(path, { flush: held.flush })) ?? assert.fail("has no log")
        const heard: Array<readonly [string, boolean]> = []
        const write = (name: string): Write => ({
          body: () => Effect.void,
          done: (exit) => heard.push([name, Exit.isSuccess(exit)])
        })
        const ioError = new SqlError.SqlError({
          cause: Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" })
        })
        log.watched(write("alone")).done(Exit.fail(ioError))
        assert.isUndefined(log.failure())
        log.answered(write("long")).done(Exit.void)
        const meanwhile = log.watched(write("meanwhile"))
        log.watched(write("short")).done(Exit.fail(ioError))
        meanwhile.done(Exit.void)
        yield* held.end()
        assert.isDefined(log.failure())
        assert.deepStrictEqual(heard, [
          ["alone", false],
          ["short", false],
          ["meanwhile", false],
          ["long", false]
        ])
      })
  )
})

const samples = Array.from({ length: 3 }, (_, index) => {
  const { sample } = readSample(
    { v: 1, task: "t", repeat: 0, verdict: "correct", sample_id: `t:${index}`, index, response: "x" },
    []
  )
  return sample ?? assert.fail("not a sample")
})

const unit = { tenant: "t", jobId: jobId(1), index: 0 }

const stores = (path: string, flush?: Held["flush"]) =>
  Layer.provide(ports(settings, 1), Layer.scoped(Database, sqliteFile(path, flush)))

const add = Effect.flatMap(SampleStore, (store) =>
  store.add(unit, samples, { maxPerJob: 1000, content: "full" as const })
)
const total = Effect.flatMap(SampleStore, (store) =>
  Effect.map(
    store.page(unit, { filter: {}, sort: { by: "index", descending: false }, limit: 10 }),
    ({ total: found }) => found
  )
)
const insertJob = Effect.flatMap(JobStore, (store) =>
  store.insert(makeJob({ id: unit.jobId, tenant: unit.tenant }), [])
)

describe("a call of samples that is not on the disk yet", () => {
  it.scopedLive("is not acknowledged as stored before to another one that finds it", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      yield* Effect.gen(function* () {
        yield* insertJob
        const first = yield* Effect.fork(add)
        // its chunks
        yield* held.end()
        yield* untilTrue(Effect.map(total, (found) => found === 3))
        const second = yield* Effect.fork(add)
        yield* quiet
        for (const fiber of [first, second]) assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
        yield* held.end()
        assert.deepStrictEqual(yield* Fiber.join(first), { stored: 3, replaced: 0, duplicate: 0 })
        assert.isTrue(Option.isNone(yield* Fiber.poll(second)))
        yield* held.end()
        assert.deepStrictEqual(yield* Fiber.join(second), { stored: 0, replaced: 0, duplicate: 3 })
      }).pipe(Effect.provide(stores(yield* placed, held.flush)))
    })
  )

  it.scopedLive("is refused when its flush fails, also sent again, and taken by the next server", () =>
    Effect.gen(function* () {
      const held = heldFlushes()
      const path = yield* placed
      yield* Effect.gen(function* () {
        yield* insertJob
        const first = yield* Effect.fork(add)
        yield* held.end()
        yield* untilTrue(Effect.map(total, (found) => found === 3))
        yield* held.end(broken())
        refusal(yield* Fiber.await(first))
        refusal(yield* Effect.exit(add))
        const pinged = yield* Effect.exit(Effect.flatMap(JobStore, ({ ping }) => ping))
        assert.match(refusal(pinged).reason ?? "", /could not be flushed/)
      }).pipe(Effect.provide(stores(path, held.flush)))
      yield* Effect.gen(function* () {
        const { stored: fresh, duplicate } = yield* add
        assert.strictEqual(fresh + duplicate, 3)
        assert.strictEqual(yield* total, 3)
      }).pipe(Effect.provide(stores(path)))
    })
  )
})
