import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordEvent } from "../../../../application/jobs/record-event.ts"
import { applyTo } from "../../../../application/runtime/apply.ts"
import { layer, submit, unitIn } from "../../../support/runtime-workers.ts"
import { runningEvent } from "../../../support/stored-jobs.ts"

describe("an event from a pod", () => {
  it.scoped("is held against the name that its benchmark was launched under, whatever the prefix is now", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      const backing = { name: "before-0-1", uid: "u1" }
      yield* applyTo(unitIn(job), (_head, benchmark) => ({ _tag: "Noted", benchmark: { ...benchmark, backing } }))
      const from = (pod: string) =>
        Effect.either(recordEvent({ jobId: job.id, pod: { name: pod, backingName: () => "now-0-1" } }, runningEvent(0)))
      assert.strictEqual((yield* from("now-0-1-abcde"))._tag, "Left")
      assert.strictEqual((yield* from("before-0-1-abcde"))._tag, "Right")
    }).pipe(Effect.provide(layer))
  )
})
