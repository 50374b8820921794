/** An adapter puts things into its folder that are no files, or lead elsewhere. The server reads and writes around them. */
import { lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { Runtime, type Unit, type UnitFact } from "../../../../application/ports/runtime.ts"
import { readGuarded } from "../../../../infrastructure/local/files/guarded-file.ts"
import { BaseDir, factsOf, layerAlone, spoolCompleted, unitRunning } from "../../../support/local-units.ts"

const id = (number: number) => `aaaaaaaa-0000-7000-8000-${String(number).padStart(12, "0")}`

const rootOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0"))

const run = (unit: Unit): Effect.Effect<ReadonlyArray<UnitFact>, unknown, Runtime> =>
  Effect.flatMap(Runtime, (runtime) => Effect.zipRight(runtime.launch(unit), factsOf(unit)))

const logOf = (unit: Unit) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { text } = yield* runtime.logs(unit, { tailLines: 1000, timestamps: true, follow: false })
    return yield* Stream.runCollect(Stream.decodeText(text)).pipe(Effect.map(Chunk.join("")))
  })

const spooled = (facts: ReadonlyArray<UnitFact>) => facts.filter(({ _tag }) => _tag === "Spooled").length

describe("at the name of a log", () => {
  const plants: ReadonlyArray<readonly [string, string]> = [
    [
      "a pipe without a writer does not hang the server",
      "rm ../log/*; mkfifo ../log/jobrun.log ../log/jobrun.log.times"
    ],
    ["a link to /dev/zero is not read", "ln -sf /dev/zero ../log/jobrun.log; ln -sf /dev/zero ../log/jobrun.log.times"],
    ["a link to /etc/passwd is not served", "ln -sf /etc/passwd ../log/jobrun.log"],
    [
      "a folder that leads elsewhere is not followed",
      "mkdir other; cp /etc/passwd other/jobrun.log; mv ../log ../was; ln -s work/other ../log"
    ]
  ]
  for (const [at, [name, plant]] of plants.entries())
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const unit = unitRunning(id(at), `echo said; ${plant}; ${spoolCompleted(0)}; exit 3`)
        const facts = yield* run(unit)
        const end = facts.find((fact) => fact._tag === "Ended")
        assert.deepStrictEqual([spooled(facts), end?.exitCode], [1, 3])
        const text = `${yield* logOf(unit)}${JSON.stringify(end)}`
        assert.notInclude(text, "root:")
        assert.include(text, "jobrun.log is not a regular file and is not shown")
      }).pipe(Effect.provide(layerAlone()))
    )

  it.scopedLive("what an earlier attempt planted does not hang the next one, and its log is its own", () =>
    Effect.gen(function* () {
      const plant =
        "for f in ../log/jobrun.log ../log/jobrun.log.times ../log/jobrun.log.dropped ../meta/job.json ../.ended ../meta/other; do rm -f $f; mkfifo $f; done"
      const first = unitRunning(id(10), plant)
      yield* run(first)
      const second = unitRunning(id(10), "cat ../meta/job.json > seen; echo second")
      yield* run({ ...second, attempt: 2 })
      assert.match(yield* logOf(second), /^\S+ second\n$/)
      const root = yield* rootOf(second)
      assert.isTrue(lstatSync(join(root, "meta", "job.json")).isFile())
      assert.include(readFileSync(join(root, "work", "seen"), "utf8"), "callback_url")
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("at the name of a spooled event", () => {
  it.scopedLive(
    "a pipe, a link and a file of three gigabytes are passed over, and a real event behind them is told",
    () =>
      Effect.gen(function* () {
        const plant =
          "mkfifo ../spool/0-a.json; ln -s /dev/zero ../spool/0-b.json; ln -s /etc/passwd ../spool/0-c.json; truncate -s 3G ../spool/0-d.json"
        const before = process.memoryUsage().arrayBuffers
        const facts = yield* run(unitRunning(id(20), `${plant}; ${spoolCompleted(0)}`))
        assert.strictEqual(spooled(facts), 1)
        assert.isBelow(process.memoryUsage().arrayBuffers - before, 64 * 1024 * 1024)
      }).pipe(Effect.provide(layerAlone()))
  )
  it.scopedLive("a folder in its place is an empty one, a link to another folder is not read", () =>
    Effect.gen(function* () {
      const elsewhere = unitRunning(id(21), `${spoolCompleted(0)}; mv ../spool spool; ln -s work/spool ../spool`)
      assert.strictEqual(spooled(yield* run(elsewhere)), 0)
      assert.strictEqual(spooled(yield* run(unitRunning(id(22), "rmdir ../spool; echo x > ../spool"))), 0)
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("the guarded reader", () => {
  it.scopedLive("refuses a file over its limit before it reads it", () =>
    Effect.gen(function* () {
      const path = join(yield* BaseDir, "test", "big")
      writeFileSync(path, "12345")
      assert.strictEqual((yield* Effect.promise(() => readGuarded(path, 5))).toString("utf8"), "12345")
      const refusal = yield* Effect.flip(Effect.tryPromise(() => readGuarded(path, 4)))
      assert.match(String(refusal.error), /larger than 4 bytes/)
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("the folder of a unit", () => {
  it.scopedLive(
    "and everything that the server writes in it belongs to its user alone, also when an attempt opened it",
    () =>
      Effect.gen(function* () {
        const unit = unitRunning(id(30), "echo said; chmod 777 .. ../log ../spool ../..")
        yield* run(unit)
        yield* run({ ...unitRunning(id(30), "echo again"), attempt: 2 })
        const base = join(yield* BaseDir, "test")
        const root = yield* rootOf(unit)
        for (const folder of [
          base,
          join(base, "live"),
          join(root, ".."),
          root,
          ...["meta", "work", "results", "spool", "tmp", "secrets", "log"].map((name) => join(root, name))
        ])
          assert.strictEqual(statSync(folder).mode & 0o777, 0o700, folder)
        const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        assert.isAbove(files.length, 4)
        for (const { parentPath, name } of files)
          assert.strictEqual(statSync(join(parentPath, name)).mode & 0o777, 0o600, join(parentPath, name))
      }).pipe(Effect.provide(layerAlone()))
  )
})
