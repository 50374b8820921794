/** What a unit starts dies with it, also when it leaves its group, its session and its environment behind. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Either, Layer, Stream } from "effect"
import { Runtime, type Unit } from "../../../../../application/ports/runtime.ts"
import type { LocalRuntimeOptions } from "../../../../../infrastructure/local/local-options.ts"
import { find } from "../../../../../infrastructure/local/process/process-namespace.ts"
import { orphanNamed, processesNamed } from "../../../../support/dying-servers.ts"
import { BaseDir, ended, eventually, layerAlone, run, unitRunning, written } from "../../../../support/local-units.ts"

const found = await Effect.runPromise(find(process.env["PATH"] ?? ""))

const contained = (given: Partial<LocalRuntimeOptions> = {}) =>
  Either.isRight(found)
    ? layerAlone({ ...given, namespace: Effect.succeed(found.right) })
    : Layer.dieSync(() => new Error(found.left))

const id = (number: number) => `bbbbbbbb-0000-7000-8000-${String(number).padStart(12, "0")}`

const workOf = (unit: Unit) => Effect.map(BaseDir, (baseDir) => join(baseDir, "test", unit.jobId, "0-bench-0", "work"))

const logOf = (unit: Unit) =>
  Effect.gen(function* () {
    const { text } = yield* (yield* Runtime).logs(unit, { tailLines: 1000, timestamps: false, follow: false })
    return yield* Stream.runCollect(Stream.decodeText(text)).pipe(Effect.map(Chunk.join("")))
  })

const orphan = (word: string) => `${orphanNamed(word)}sleep 0.1; echo ready > ready`

describe.runIf(Either.isLeft(found))("without process namespaces", () => {
  it("the reason is told", () => assert.isNotEmpty(Either.isLeft(found) ? found.left : ""))
})

describe.runIf(Either.isRight(found))("a unit in a process namespace", () => {
  it.scopedLive("takes an orphan without group and environment with it when it is stopped", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(id(1), `${orphan("orphan-of-a-stopped-unit")}; exec sleep 60`)
      yield* runtime.launch(unit)
      yield* written(join(yield* workOf(unit), "ready"))
      assert.isAbove(processesNamed("orphan-of-a-stopped-unit"), 0)
      yield* runtime.stop(unit, { discard: false })
      assert.strictEqual(processesNamed("orphan-of-a-stopped-unit"), 0)
      assert.strictEqual(yield* runtime.freeSlots, 5)
    }).pipe(Effect.provide(contained()))
  )

  it.scopedLive("and when it ends by itself, or kills itself", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      for (const [at, end] of [
        [2, "exit 5"],
        [3, "kill -KILL $$"]
      ] as const) {
        const unit = unitRunning(id(at), `${orphan("orphan-of-an-ended-unit")}; ${end}`)
        yield* run(unit)
        yield* eventually(Effect.map(runtime.freeSlots, (free) => (free === 5 ? free : undefined)))
        assert.strictEqual(processesNamed("orphan-of-an-ended-unit"), 0)
      }
    }).pipe(Effect.provide(contained()))
  )

  it.scopedLive("ends with its own exit code or signal, as without one", () =>
    Effect.gen(function* () {
      const ends: Array<unknown> = []
      for (const [at, command] of [
        "exit 0",
        "exit 7",
        "no-such-command-here",
        "kill -SEGV $$",
        "sh -c 'kill -SEGV $$'; exit $?"
      ].entries()) {
        const { code, exitCode, signal } = yield* run(unitRunning(id(10 + at), command))
        ends.push([code, exitCode, signal])
      }
      assert.deepStrictEqual(ends, [
        ["adapter_exited_without_result", 0, undefined],
        ["adapter_exited_without_result", 7, undefined],
        ["adapter_failed_to_start", 127, undefined],
        ["adapter_exited_without_result", undefined, "SIGSEGV"],
        ["adapter_exited_without_result", 139, undefined]
      ])
    }).pipe(Effect.provide(contained()))
  )

  it.scopedLive("is told to end by SIGTERM, whose handling is waited for, and by SIGKILL when it does not listen", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const polite = unitRunning(
        id(20),
        "trap 'sleep 0.2; echo bye; exit 43' TERM; echo r > ready; while :; do sleep 0.05; done"
      )
      const deaf = unitRunning(id(21), "trap '' TERM; echo r > ready; while :; do sleep 0.05; done")
      for (const [unit, exitCode, signal] of [
        [polite, 43, undefined],
        [deaf, undefined, "SIGKILL"]
      ] as const) {
        yield* runtime.launch(unit)
        yield* written(join(yield* workOf(unit), "ready"))
        yield* runtime.stop(unit, { discard: false })
        const end = yield* ended(unit)
        assert.deepStrictEqual([end.exitCode, end.signal], [exitCode, signal])
      }
      assert.match(yield* logOf(polite), /bye\n$/)
    }).pipe(Effect.provide(contained({ stopGraceMillis: 1000 })))
  )

  it.scopedLive("is stopped as well in the moment of its start", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(id(22), "exec sleep 60")
      yield* runtime.launch(unit)
      yield* runtime.stop(unit, { discard: false })
      assert.strictEqual((yield* ended(unit)).signal, "SIGTERM")
    }).pipe(Effect.provide(contained({ stopGraceMillis: 60_000 })))
  )

  it.scopedLive(
    "has its own session, group and process list, no further open file, and no right that its user has not",
    () =>
      Effect.gen(function* () {
        const command =
          "ps -o sid=,pgid=,pid= -p $$; ls /proc/$$/fd | tr '\\n' ' '; echo; grep CapAmb /proc/self/status; id -u; kill -s 0 -- -$$ && echo group; tty"
        const unit = unitRunning(id(30), command)
        yield* run(unit)
        const [ids = "", files = "", ambient = "", user, group, terminal] = (yield* logOf(unit)).split("\n")
        const [session, leader, pid] = ids.trim().split(/\s+/)
        assert.deepStrictEqual([session, leader], [pid, pid])
        // others may come from whoever started the tests
        for (const file of ["3", "4", "5"]) assert.notInclude(files.trim().split(" "), file)
        assert.match(ambient, /\t0+$/)
        assert.deepStrictEqual([user, group, terminal], [String(process.getuid?.()), "group", "not a tty"])
      }).pipe(Effect.provide(contained()))
  )

  it.scopedLive("leaves no zombies in it", () =>
    Effect.gen(function* () {
      const unit = unitRunning(
        id(31),
        "i=0; while [ $i -lt 20 ]; do i=$((i+1)); (sh -c : &); done; sleep 0.3; grep -l '^State:.Z' /proc/[0-9]*/status | wc -l"
      )
      yield* run(unit)
      assert.strictEqual((yield* logOf(unit)).trim(), "0")
    }).pipe(Effect.provide(contained()))
  )
})
