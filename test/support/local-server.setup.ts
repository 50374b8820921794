/**
 * A server process without HTTP: a database file, the local runtime and its workers. Run as a program of its own, so that a test can kill
 * it. Arguments: database file, base directory, then one command per benchmark of its one job (`{index}` is replaced). Prints `ready`,
 * and the benchmarks as JSON once the job is terminal. With EVALD_TEST_ADOPT=1 its units outlive it, with EVALD_TEST_NAMESPACE=1 each has
 * a process namespace.
 */
import { writeSync } from "node:fs"
import { Effect, Either, Fiber, Layer } from "effect"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { launchTask } from "../../application/runtime/tasks.ts"
import * as Workers from "../../application/runtime/workers.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import * as LocalRuntime from "../../infrastructure/local/local-runtime.ts"
import * as ProcessNamespace from "../../infrastructure/local/process/process-namespace.ts"
import { localOptions } from "./local-options.ts"
import { sqliteAt } from "./storage.ts"
import { jobId, makeJob } from "./stored-jobs.ts"

const [database = "", baseDir = "", ...commands] = process.argv.slice(2)

const job = makeJob({ id: jobId(1), tenant: "default", benchmarks: commands.length })
const benchmarks = job.benchmarks.map((benchmark, index) => ({
  ...benchmark,
  snapshot: { ...benchmark.snapshot, runtime: { local: { command: commands[index] ?? "true" } } }
}))

const main = Effect.gen(function* () {
  const store = yield* JobStore
  yield* Effect.catchTag(store.load(job.tenant, job.id), "NotFound", () =>
    store.insert(
      { ...job, benchmarks },
      benchmarks.map((benchmark) => launchTask(job, benchmark))
    )
  )
  writeSync(1, "ready\n")
  const look = Effect.map(store.load(job.tenant, job.id), (now) => (isTerminalJob(now.state) ? now : undefined))
  const ended = yield* Effect.repeat(Effect.tap(look, Effect.sleep("20 millis")), {
    until: (found) => found !== undefined
  })
  writeSync(1, `${JSON.stringify(ended?.benchmarks)}\n`)
  return yield* Effect.never
})

const namespace =
  process.env["EVALD_TEST_NAMESPACE"] === "1"
    ? Effect.map(ProcessNamespace.find(process.env["PATH"] ?? ""), Either.getOrUndefined)
    : Effect.succeed(undefined)

const server = Workers.layer({
  timeouts: {},
  deferTrackerFailure: true,
  graceMillis: 50,
  pollMillis: 100,
  leaseMillis: 2000
}).pipe(
  Layer.provideMerge(
    LocalRuntime.layer(localOptions(baseDir, { workers: 2, adopt: process.env["EVALD_TEST_ADOPT"] === "1", namespace }))
  ),
  Layer.provideMerge(sqliteAt(database))
)

const running = Effect.runFork(Effect.provide(main, server))
process.once("SIGTERM", () => void Effect.runPromise(Fiber.interrupt(running)).then(() => process.exit(0)))
