/** Adapters that do not behave, with real processes. Reference: adapter-contract.md, "Exit", "Local processes". */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Runtime, type Unit, type UnitFact } from "../../../../application/ports/runtime.ts"
import { processesOfRun } from "../../../../infrastructure/local/process/process-table.ts"
import {
  BaseDir,
  eventually,
  factsOf,
  layerAlone,
  runs,
  spoolCompleted,
  unitRunning,
  written
} from "../../../support/local-units.ts"

const endOf = (facts: ReadonlyArray<UnitFact>) => facts.find((fact) => fact._tag === "Ended")

const runToEnd = (unit: Unit) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    yield* runtime.launch(unit)
    return yield* factsOf(unit)
  })

const rootOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0"))

const pidFile = (unit: Unit, name: string) =>
  Effect.flatMap(rootOf(unit), (root) => Effect.map(written(join(root, "work", name)), Number))

const runIdOf = (unit: Unit) =>
  Effect.map(BaseDir, (baseDir) => {
    const entry: unknown = JSON.parse(readFileSync(join(baseDir, "test", "live", `${unit.jobId}-0-1.json`), "utf8"))
    return String((entry as { readonly runId: string }).runId)
  })

describe("the end of a unit", () => {
  const ends: ReadonlyArray<
    readonly [string, string, string, { readonly exitCode?: number; readonly signal?: string }, RegExp]
  > = [
    ["exit 0", "exit 0", "adapter_exited_without_result", { exitCode: 0 }, /exited with code 0/],
    ["exit 1", "exit 1", "adapter_exited_without_result", { exitCode: 1 }, /exited with code 1/],
    [
      "unknown command",
      "no-such-command-here --now",
      "adapter_failed_to_start",
      { exitCode: 127 },
      /was not found \(exit code 127\): no-such-command-here --now/
    ],
    ["not executable", "/etc/passwd", "adapter_failed_to_start", { exitCode: 126 }, /could not be executed/],
    ["killed by a signal", "kill -SEGV $$", "adapter_exited_without_result", { signal: "SIGSEGV" }, /ended by SIGSEGV/],
    [
      "child of the shell killed by a signal",
      "sh -c 'kill -SEGV $$'; exit $?",
      "adapter_exited_without_result",
      { exitCode: 139 },
      /code 139 \(SIGSEGV\)/
    ]
  ]
  for (const [name, command, code, how, message] of ends)
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const facts = yield* runToEnd(unitRunning("11111111-0000-7000-8000-000000000001", command))
        const end = endOf(facts)
        assert.deepStrictEqual(
          [facts[0]?._tag, end?.code, end?.exitCode, end?.signal],
          ["Started", code, how.exitCode, how.signal]
        )
        assert.match(end?.message ?? "", message)
      }).pipe(Effect.provide(layerAlone()))
    )

  it.scopedLive(
    "comes after the events that were left in the spool, oldest first, which go when they are acknowledged",
    () =>
      Effect.gen(function* () {
        const unit = unitRunning(
          "11111111-0000-7000-8000-000000000002",
          `${spoolCompleted(0)}; cp ../spool/1-event.json ../spool/10-event.json; echo x > ../spool/2-bad.json`
        )
        const facts = yield* runToEnd(unit)
        assert.deepStrictEqual(
          facts.map(({ _tag }) => _tag),
          ["Started", "Spooled", "Spooled", "Ended"]
        )
        const spool = join(yield* rootOf(unit), "spool")
        assert.deepStrictEqual(readdirSync(spool).toSorted(), ["1-event.json", "10-event.json", "2-bad.json"])
        for (const fact of facts) if (fact._tag === "Spooled") yield* fact.acknowledge
        assert.deepStrictEqual(readdirSync(spool), ["2-bad.json"])
      }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("holds the last twenty lines of the log", () =>
    Effect.gen(function* () {
      const facts = yield* runToEnd(
        unitRunning(
          "11111111-0000-7000-8000-000000000003",
          "i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo line $i; done; exit 2"
        )
      )
      assert.deepStrictEqual(
        endOf(facts)?.logTail,
        Array.from({ length: 20 }, (_, at) => `line ${at + 31}`)
      )
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("stopping", () => {
  const families: ReadonlyArray<readonly [string, string]> = [
    ["ignores SIGTERM", "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"],
    ["has children that ignore SIGTERM", "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait"],
    [
      "has a child in a session of its own",
      "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait"
    ],
    [
      "has a grandchild whose parent is gone",
      "(setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' &) ; sleep 60"
    ]
  ]
  for (const [index, [name, command]] of families.entries())
    it.scopedLive(`leaves nothing of a unit that ${name}`, () =>
      Effect.gen(function* () {
        const unit = unitRunning(`22222222-0000-7000-8000-00000000000${index}`, command)
        const runtime = yield* Runtime
        yield* runtime.launch(unit)
        const pid = yield* pidFile(unit, "pid")
        const runId = yield* runIdOf(unit)
        assert.isTrue(runs(pid))
        yield* runtime.stop(unit, { discard: false })
        assert.isFalse(runs(pid))
        assert.deepStrictEqual(yield* Effect.promise(() => processesOfRun(runId)), [])
        assert.strictEqual(yield* runtime.freeSlots, 5)
        assert.isTrue(existsSync(join(yield* rootOf(unit), "log", "jobrun.log")))
      }).pipe(Effect.provide(layerAlone({ stopGraceMillis: 300 })))
    )

  it.scopedLive("gives a unit time to end by itself, and discards its files on request", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        "22222222-0000-7000-8000-000000000009",
        "trap 'echo bye; exit 143' TERM; echo ready > ready; while :; do sleep 0.05; done"
      )
      const runtime = yield* Runtime
      yield* runtime.launch(unit)
      const root = yield* rootOf(unit)
      yield* written(join(root, "work", "ready"))
      yield* runtime.stop(unit, { discard: false })
      assert.match(readFileSync(join(root, "log", "jobrun.log"), "utf8"), /bye\n$/)
      assert.strictEqual(endOf(yield* factsOf(unit))?.exitCode, 143)
      yield* runtime.stop(unit, { discard: true })
      assert.isFalse(existsSync(root))
    }).pipe(Effect.provide(layerAlone()))
  )

  it.scopedLive("a whole job ends all its units, and one that was never launched is fine", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning("22222222-0000-7000-8000-00000000000a", "echo $$ > pid; sleep 60")
      const other = unitRunning("22222222-0000-7000-8000-00000000000b", "echo $$ > pid; sleep 60")
      yield* runtime.launch(unit)
      yield* runtime.launch(other)
      const [pid, otherPid] = [yield* pidFile(unit, "pid"), yield* pidFile(other, "pid")]
      yield* runtime.stopJob({ tenant: "default", jobId: unit.jobId }, { discard: true })
      assert.deepStrictEqual([runs(pid), runs(otherPid)], [false, true])
      assert.isFalse(existsSync(join(yield* BaseDir, "test", unit.jobId)))
      yield* runtime.stop(unitRunning("22222222-0000-7000-8000-00000000000c", "true"), { discard: true })
      yield* runtime.stopJob({ tenant: "default", jobId: "22222222-0000-7000-8000-00000000000d" }, { discard: false })
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("what a unit leaves behind when it ends by itself", () => {
  it.scopedLive("is ended too, and does not hold its end back", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        "33333333-0000-7000-8000-000000000001",
        "(setsid sh -c 'trap \"\" TERM; echo $$ > escaped; while :; do sleep 1; done' &); sh -c 'echo $$ > child; exec sleep 60' & while [ ! -s escaped ] || [ ! -s child ]; do sleep 0.02; done; exit 4"
      )
      const runtime = yield* Runtime
      assert.strictEqual(endOf(yield* runToEnd(unit))?.exitCode, 4)
      const pids = [yield* pidFile(unit, "escaped"), yield* pidFile(unit, "child")]
      yield* eventually(Effect.map(runtime.freeSlots, (free) => (free === 5 ? free : undefined)))
      assert.deepStrictEqual(pids.map(runs), [false, false])
    }).pipe(Effect.provide(layerAlone()))
  )
})

describe("at most five", () => {
  it.scopedLive("run at once, whatever is asked for", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const baseDir = yield* BaseDir
      const log = join(baseDir, "alive.log")
      const go = join(baseDir, "go")
      const command = `echo + >> ${log}; while [ ! -e ${go} ]; do sleep 0.02; done; echo - >> ${log}`
      const units = Array.from({ length: 16 }, (_, at) =>
        unitRunning(`44444444-0000-7000-8000-0000000000${(at + 10).toString(16)}`, command)
      )
      const launching = yield* Effect.fork(Effect.forEach(units, runtime.launch, { concurrency: "unbounded" }))
      const logged = (sign: string) => (existsSync(log) ? readFileSync(log, "utf8").split(sign).length - 1 : 0)
      // none ends before five run at once, however slow the machine is; a sixth would show in the log
      yield* eventually(Effect.sync(() => (logged("+") >= 5 ? true : undefined)))
      writeFileSync(go, "")
      yield* eventually(Effect.sync(() => (logged("-") >= 16 ? true : undefined)))
      yield* Fiber.join(launching)
      let alive = 0
      let most = 0
      for (const sign of readFileSync(log, "utf8").split("\n")) {
        alive += sign === "+" ? 1 : sign === "-" ? -1 : 0
        most = Math.max(most, alive)
      }
      assert.strictEqual(most, 5)
    }).pipe(Effect.provide(layerAlone({ workers: 9 })))
  )

  it.scopedLive("a repeated launch of the same unit starts nothing", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning("44444444-0000-7000-8000-000000000001", "echo started; sleep 60")
      yield* Effect.all([runtime.launch(unit), runtime.launch(unit), runtime.launch(unit)], {
        concurrency: "unbounded"
      })
      const root = yield* rootOf(unit)
      assert.strictEqual(yield* written(join(root, "log", "jobrun.log")), "started\n")
      assert.strictEqual(yield* runtime.freeSlots, 4)
      assert.deepStrictEqual(
        (yield* runtime.observe([unit, { ...unit, index: 7 }])).map(({ status }) => status),
        ["Alive", "Gone"]
      )
    }).pipe(Effect.provide(layerAlone()))
  )
})
