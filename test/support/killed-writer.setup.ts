/**
 * Run as a process of its own: writes jobs and events to the database given as the argument, as fast as it can, and says on its
 * output what was acknowledged. It never ends by itself; the test kills it.
 */
import { Effect } from "effect"
import { AuditLog } from "../../application/ports/stores/audit-log.ts"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import { storageAt } from "./storage.ts"
import { cancel, remove, report } from "./store-actions.ts"
import { completedEvent, failedEvent, jobId, launchTasks, makeJob, runningEvent } from "./stored-jobs.ts"

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const life = (number: number) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const job = makeJob({ id: jobId(number), tenant: "t", benchmarks: 3 })
    const { append } = yield* AuditLog
    const said = { at: "2026-08-17T10:00:00.000Z", trace: String(number) }
    yield* append({ ...said, phase: "asked", tenant: "t", owner: "o", method: "POST", path: "/" })
    yield* say(`try ${number}`)
    yield* store.insert(job, launchTasks(job))
    yield* append({ ...said, phase: "answered", status: 202 })
    yield* say(`inserted ${number}`)
    yield* (yield* UnitSecrets).issue({ tenant: "t", jobId: job.id, index: 0, attempt: 1 })
    yield* report(job.id, runningEvent(0))
    yield* say(`running ${number}`)
    yield* report(job.id, completedEvent(0))
    yield* say(`completed ${number}`)
    if (number % 3 === 0) {
      yield* cancel("t", job.id)
      yield* say(`cancelled ${number}`)
    } else if (number % 3 === 1) {
      yield* report(job.id, failedEvent(1))
      yield* report(job.id, completedEvent(2))
      yield* say(`ended ${number}`)
    } else {
      yield* remove("t", job.id)
      yield* say(`removed ${number}`)
    }
  })

const [target = ""] = process.argv.slice(2)
const first = Number(process.argv[3] ?? 0)
const lanes = Array.from({ length: 8 }, (_, lane) =>
  Effect.forEach(
    Array.from({ length: 10_000 }, (_, round) => first + round * 8 + lane),
    life,
    { discard: true }
  )
)

Effect.runFork(Effect.provide(Effect.all(lanes, { concurrency: "unbounded", discard: true }), storageAt(target)))
