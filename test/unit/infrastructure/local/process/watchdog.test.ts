import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, TestClock } from "effect"
import { make } from "../../../../../infrastructure/local/process/watchdog.ts"

describe("a lifeline that can not be started", () => {
  for (const [how, fail] of [
    [
      "tells so later",
      (child: EventEmitter) => queueMicrotask(() => child.emit("error", new Error("spawn /bin/sh EAGAIN")))
    ],
    [
      "throws",
      () => {
        throw new Error("spawn /bin/sh EAGAIN")
      }
    ]
  ] as const)
    it.scoped(`(it ${how}) is said in the log and tried again, each time after a longer pause`, () => {
      const lines: Array<string> = []
      let starts = 0
      const start = () => {
        starts += 1
        const child = Object.assign(new EventEmitter(), { stdin: null, unref: () => undefined })
        fail(child)
        // the part of a process that a lifeline uses
        return child as unknown as ChildProcess
      }
      return Effect.gen(function* () {
        yield* make("prefix", start)
        yield* Effect.forEach(Array.from({ length: 600 }), () => TestClock.adjust("100 millis"), { discard: true })
        assert.isAtLeast(starts, 8)
        assert.isAtMost(starts, 12)
        assert.match(lines[0] ?? "", /lifeline.*started again in 100 ms: spawn \/bin\/sh EAGAIN/)
        assert.match(lines[2] ?? "", /in 400 ms/)
      }).pipe(
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ message }) => void lines.push(String(message)))
          )
        )
      )
    })
})
