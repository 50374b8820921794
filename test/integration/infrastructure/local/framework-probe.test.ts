import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Runtime } from "../../../../application/ports/runtime.ts"
import { findUnitRoot } from "../../../../infrastructure/local/files/unit-directory.ts"
import * as FrameworkProbe from "../../../../infrastructure/local/framework-probe.ts"
import { BaseDir, eventually, layerAlone, unitRunning } from "../../../support/local-units.ts"
import { tempDir } from "../../../support/temp-dir.ts"
import { quiet, until } from "../../../support/until.ts"

const provider = { id: "own", command: "evald adapter lm_evaluation_harness" }
const install = 'Install it with: python3 -m pip install "lm-eval[api]==0.4.13"'

const program = (path: string, text: string) => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

const timesAsked = (bin: string): number | undefined => {
  const file = join(bin, "asked")
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : undefined
}

/** an empty PATH but for one folder and the system's own */
const place = Effect.gen(function* () {
  const folder = yield* tempDir
  const bin = join(folder, "bin")
  mkdirSync(bin)
  return {
    bin,
    executable: join(bin, "lm_eval"),
    options: { commands: {}, environment: { PATH: `${bin}:/usr/bin:/bin` } }
  }
})

describe("a local runtime that knows its frameworks", () => {
  const missing = layerAlone({
    frameworks: { commandOf: () => undefined, problemOf: ({ id, command }) => `${id} can not run ${command}` }
  })
  it.scopedLive("refuses at submission what could only fail", () =>
    Effect.gen(function* () {
      const { check } = yield* Runtime
      const { benchmark } = unitRunning("0198c9d2-0000-7000-8000-000000000001", "evald adapter lighteval")
      assert.deepStrictEqual(
        (yield* check([benchmark])).map(({ path, code, message }) => [path, code, message]),
        [
          [
            ["benchmarks", 0, "providerId"],
            "local_runtime_unavailable",
            `${benchmark.entry.providerId} can not run evald adapter lighteval`
          ]
        ]
      )
    }).pipe(Effect.provide(missing))
  )
  const found = layerAlone({
    frameworks: {
      commandOf: ({ command }) => (command.startsWith("printf") ? "/opt/venv" : undefined),
      problemOf: () => undefined
    }
  })
  it.scopedLive("tells the adapter where the framework is", () =>
    Effect.gen(function* () {
      const { launch, check } = yield* Runtime
      const unit = unitRunning("0198c9d2-0000-7000-8000-000000000002", "printf 'at %s\\n' \"$EVALD_FRAMEWORK_COMMAND\"")
      assert.deepStrictEqual(yield* check([unit.benchmark]), [])
      yield* launch(unit)
      const base = yield* BaseDir
      const log = join(findUnitRoot(join(base, "test"), unit) ?? "", "log", "jobrun.log")
      yield* eventually(
        Effect.sync(() => (existsSync(log) && readFileSync(log, "utf8").includes("at /opt/venv\n") ? true : undefined))
      )
    }).pipe(Effect.provide(found))
  )
})

describe("the probe of frameworks", () => {
  it.scoped("a missing one is told with its install command, and is there as soon as it is installed", () =>
    Effect.gen(function* () {
      const { executable, options } = yield* place
      const probe = yield* FrameworkProbe.make(options)
      assert.strictEqual(
        probe.problemOf(provider),
        `provider own needs the executable "lm_eval", which was not found on PATH. ${install}`
      )
      program(executable, "exit 0")
      assert.strictEqual(probe.problemOf(provider), undefined)
    })
  )
  it.scoped("one that does not work is told with its last line, and is accepted once it is repaired", () =>
    Effect.gen(function* () {
      const { executable, options } = yield* place
      program(executable, "echo 'Traceback'; echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1")
      const probe = yield* FrameworkProbe.make(options)
      const problem = yield* until(Effect.sync(() => probe.problemOf(provider)))
      assert.strictEqual(
        problem,
        `provider own needs the executable "lm_eval", and the one that was found does not work: ModuleNotFoundError: No module named 'torch'. ${install}`
      )
      program(executable, "exit 0 # repaired")
      assert.strictEqual(probe.problemOf(provider), undefined)
    })
  )
  it.scoped("one that works is asked once, not every minute", () =>
    Effect.gen(function* () {
      const { bin, executable, options } = yield* place
      program(executable, `echo asked >> ${join(bin, "asked")}`)
      yield* FrameworkProbe.make(options)
      const asked = Effect.sync(() => timesAsked(bin))
      yield* until(asked)
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.adjust("60 seconds")
        yield* quiet
      }
      assert.strictEqual(yield* asked, 1)
      program(executable, `echo asked again, newly installed >> ${join(bin, "asked")}`)
      yield* TestClock.adjust("60 seconds")
      yield* until(Effect.map(asked, (count) => (count === 2 ? true : undefined)))
    })
  )
  it.scoped("the setting of the provider wins, then that of the framework, then the provider's own environment", () =>
    Effect.gen(function* () {
      const { options } = yield* place
      const commands = { own: { command: "/a" }, lm_evaluation_harness: { command: "/b" } }
      const probe = yield* FrameworkProbe.make({ ...options, commands })
      assert.strictEqual(probe.commandOf(provider), "/a")
      assert.strictEqual(probe.commandOf({ ...provider, id: "other" }), "/b")
      assert.include(probe.problemOf(provider) ?? "", "was not found at /a (setting frameworks.own.command)")
      const bare = yield* FrameworkProbe.make(options)
      assert.strictEqual(bare.commandOf(provider), undefined)
      assert.include(
        bare.problemOf({ ...provider, env: [{ name: "EVALD_FRAMEWORK_COMMAND", value: "/c" }] }) ?? "",
        "was not found at /c"
      )
    })
  )
  it.scoped("commands that drive no framework of ours are not looked into", () =>
    Effect.gen(function* () {
      const { options } = yield* place
      const probe = yield* FrameworkProbe.make(options)
      for (const command of ["evald adapter evald", "python3 adapter.py"])
        assert.strictEqual(probe.problemOf({ id: "p", command }), undefined)
    })
  )
  it.scoped("the report for people names every framework with path, version or problem", () =>
    Effect.gen(function* () {
      const { bin, options } = yield* place
      program(join(bin, "inspect"), "echo inspect 0.3.285")
      program(join(bin, "garak"), "echo broken; exit 2")
      const states = yield* FrameworkProbe.frameworkStates(options)
      const byId = new Map(states.map((state) => [state.id, state]))
      assert.deepStrictEqual(byId.get("inspect"), {
        id: "inspect",
        executable: "inspect",
        path: join(bin, "inspect"),
        version: "0.3.285"
      })
      assert.include(byId.get("garak")?.problem ?? "", "does not work: broken")
      assert.include(byId.get("guidellm")?.problem ?? "", 'python3 -m pip install "guidellm[recommended]>=0.8,<0.9"')
    })
  )
})
