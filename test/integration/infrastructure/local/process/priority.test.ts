/** Units beside a server that has to answer. */
import { existsSync } from "node:fs"
import { getPriority } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Runtime } from "../../../../../application/ports/runtime.ts"
import { lowered } from "../../../../../infrastructure/local/process/priority.ts"
import { BaseDir, layerAlone, unitRunning, written } from "../../../../support/local-units.ts"

const path = process.env["PATH"] ?? ""

/** niceness of a process that the unit starts, and of its session where Linux shares cores between sessions */
const shown = (priority: ReturnType<typeof lowered>) =>
  Effect.gen(function* () {
    const unit = unitRunning(
      "22222222-0000-7000-8000-000000000001",
      "{ sh -c nice; sed 's/.* //' /proc/self/autogroup 2>/dev/null; echo end; } > .out && mv .out out"
    )
    yield* (yield* Runtime).launch(unit)
    const text = yield* written(join(yield* BaseDir, "test", unit.jobId, "0-bench-0", "work", "out"))
    return text.trim().split("\n")
  }).pipe(Effect.provide(layerAlone(priority === undefined ? {} : { priority })))

const sessions = existsSync("/proc/self/autogroup")

describe("the priority of a unit", () => {
  it.scopedLive("is lower than the server's from its first process on, and so is that of its session", () =>
    Effect.gen(function* () {
      const own = getPriority()
      assert.deepStrictEqual(yield* shown(lowered(7, path)), [
        String(Math.min(19, own + 7)),
        ...(sessions ? ["7"] : []),
        "end"
      ])
      assert.strictEqual(getPriority(), own)
    })
  )

  it.scopedLive("is the server's when it is not to be lowered", () =>
    Effect.gen(function* () {
      assert.strictEqual(lowered(0, path), undefined)
      assert.strictEqual((yield* shown(undefined))[0], String(getPriority()))
    })
  )
})
