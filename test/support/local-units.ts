/** A local runtime in a directory that disappears, and shell commands that behave like adapters of all kinds. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Chunk, Context, Effect, Layer, Option, Redacted, Stream } from "effect"
import { Runtime, type Unit } from "../../application/ports/runtime.ts"
import { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import type { Job } from "../../domain/job/job.ts"
import { headOf } from "../../domain/job/job-state.ts"
import * as Identifiers from "../../infrastructure/in-process/identifiers.ts"
import type { LocalRuntimeOptions } from "../../infrastructure/local/local-options.ts"
import * as LocalRuntime from "../../infrastructure/local/local-runtime.ts"
import { localOptions } from "./local-options.ts"
import { makeJob } from "./stored-jobs.ts"

/** the directory below which a test's units live */
export class BaseDir extends Context.Tag("test/BaseDir")<BaseDir, string>() {}

export const layerBaseDir = Layer.scoped(
  BaseDir,
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-units-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
)

export const layerRuntime = (given: Partial<LocalRuntimeOptions> = {}) =>
  Layer.unwrapEffect(Effect.map(BaseDir, (baseDir) => LocalRuntime.layer(localOptions(baseDir, given))))

/** callback secrets that nobody checks: `secret-of-<job>-<index>` */
export const layerSecrets = Layer.succeed(
  UnitSecrets,
  UnitSecrets.of({
    issue: ({ jobId, index }) => Effect.succeed(Redacted.make(`secret-of-${jobId}-${index}`)),
    identify: () => Effect.sync(() => undefined),
    retire: () => Effect.void,
    retireJob: () => Effect.void
  })
)

/** a runtime alone: no store, no workers */
export const layerAlone = (given: Partial<LocalRuntimeOptions> = {}) =>
  layerRuntime(given).pipe(Layer.provideMerge(layerBaseDir), Layer.provide([layerSecrets, Identifiers.layer]))

/** the same job with this command, and this entry, for every benchmark */
export const withCommand = (job: Job, command: string | ((index: number) => string)): Job => ({
  ...job,
  benchmarks: job.benchmarks.map((benchmark) => ({
    ...benchmark,
    snapshot: {
      ...benchmark.snapshot,
      runtime: { local: { command: typeof command === "string" ? command : command(benchmark.index) } }
    }
  }))
})

/** the unit of one benchmark, as the launcher would load it */
export const unitOf = (job: Job, index = 0): Unit => {
  const benchmark = job.benchmarks[index]
  if (benchmark === undefined) throw new Error(`the job has no benchmark ${index}`)
  return {
    tenant: job.tenant,
    jobId: job.id,
    index,
    attempt: benchmark.attempt,
    head: headOf(job),
    benchmark,
    request: job.request
  }
}

/** a unit that runs this shell text */
export const unitRunning = (id: string, command: string): Unit =>
  unitOf(withCommand(makeJob({ id, tenant: "default", benchmarks: 1 }), command))

/** shell text that leaves a completed event of this benchmark in the spool, as an adapter does that can not reach the server */
export const spoolCompleted = (index: number, accuracy = 0.5): string => {
  const body = {
    benchmark_status_event: {
      provider_id: "demo",
      id: `bench-${index}`,
      benchmark_index: index,
      status: "completed",
      metrics: { accuracy }
    }
  }
  return `printf '%s' '${JSON.stringify(body)}' > ../spool/.new && mv ../spool/.new ../spool/1-event.json`
}

/** polls until the condition yields a value; the test's own time limit is the end of it */
export const eventually = <A, E, R>(look: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  look.pipe(
    Effect.tap((found) => Effect.when(Effect.sleep("20 millis"), () => found === undefined)),
    Effect.repeat({ until: (found): found is A & {} => found !== undefined }),
    Effect.map((found) => found as A)
  )

/** a file that a unit wrote, once it is there and not empty */
export const written = (path: string): Effect.Effect<string> =>
  eventually(Effect.sync(() => (existsSync(path) ? readFileSync(path, "utf8") || undefined : undefined)))

/** does this process run? A zombie does not. */
export const runs = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3))
  } catch {
    return false
  }
}

/** facts up to the end of this unit */
export const factsOf = (unit: Unit) =>
  Effect.flatMap(Runtime, (runtime) =>
    runtime.facts.pipe(
      Stream.filter((fact) => fact.unit.jobId === unit.jobId),
      Stream.takeUntil((fact) => fact._tag === "Ended"),
      Stream.runCollect,
      Effect.map(Chunk.toReadonlyArray)
    )
  )

/** the end of this unit, as the runtime tells it */
export const ended = (unit: Unit) =>
  Effect.flatMap(Runtime, (runtime) =>
    runtime.facts.pipe(
      Stream.filterMap((fact) =>
        fact._tag === "Ended" && fact.unit.jobId === unit.jobId ? Option.some(fact) : Option.none()
      ),
      Stream.runHead,
      Effect.flatMap(Effect.orDie)
    )
  )

/** starts it and waits for its end */
export const run = (unit: Unit) =>
  Effect.flatMap(Runtime, (runtime) => Effect.zipRight(runtime.launch(unit), ended(unit)))
