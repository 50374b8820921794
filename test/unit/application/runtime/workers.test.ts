/** What a server does in the background where nothing can run: nothing that would fail again and again. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, TestClock } from "effect"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import * as Workers from "../../../../application/runtime/workers.ts"
import * as Identifiers from "../../../../infrastructure/in-process/identifiers.ts"
import * as NoCluster from "../../../../infrastructure/kubernetes/client/no-cluster.ts"
import { submit } from "../../../support/runtime-workers.ts"
import { sqliteMemory } from "../../../support/storage.ts"
import { cancel } from "../../../support/store-actions.ts"
import { quiet } from "../../../support/until.ts"

const world = Layer.mergeAll(sqliteMemory, NoCluster.layerRuntime, Identifiers.layer)

it.scoped(
  "without a runtime clean-ups and launches wait for a server that has one, and no warning is logged per retry",
  () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(message))
      )
      const job = yield* submit({ benchmarks: 2 })
      yield* cancel(job.tenant, job.id)
      yield* submit({ number: 2 })
      yield* Layer.build(Workers.layer({ timeouts: {}, deferTrackerFailure: true, runtime: "absent" })).pipe(
        Effect.provide(logger)
      )
      for (let minute = 0; minute < 10; minute++) {
        yield* quiet
        yield* TestClock.adjust("1 minutes")
      }
      yield* quiet
      assert.deepStrictEqual(lines, [])
      const stats = yield* (yield* TaskQueue).stats
      assert.deepStrictEqual(
        ["cleanup", "launch"].map((wanted) =>
          stats
            .filter(({ kind }) => kind === wanted)
            .map(({ waiting, leased, buried }) => [waiting > 0, leased, buried])
        ),
        [[[true, 0, 0]], [[true, 0, 0]]]
      )
    }).pipe(Effect.provide(world))
)
