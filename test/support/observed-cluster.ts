/** A fake cluster with stored jobs, observed as a server does: Jobs are put there by the test, and facts reach the store. */
import { Effect, Layer, Stream } from "effect"
import { Runtime } from "../../application/ports/runtime.ts"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { observer } from "../../application/runtime/observer.ts"
import type { Job } from "../../domain/job/job.ts"
import { Observation } from "../../infrastructure/kubernetes/observation.ts"
import { standardGraces } from "../../infrastructure/kubernetes/observe/judge/graces.ts"
import * as ObserveByWatch from "../../infrastructure/kubernetes/observe/observe-by-watch.ts"
import { type ObserveOptions, standardObserving } from "../../infrastructure/kubernetes/observe/observe-options.ts"
import * as Fake from "./fake-kubernetes/fake-kubernetes.ts"
import { kindOf } from "./fake-kubernetes/job-controller.ts"
import { sqliteMemory } from "./storage.ts"
import { type JobOptions, jobId, makeJob } from "./stored-jobs.ts"

export const domain = "evald.example.com"
export const queueDomain = "kueue.x-k8s.io"
export const tenant = "team-a"

export const options: ObserveOptions = {
  ...standardObserving,
  domain,
  queueDomain,
  namePrefix: "evald",
  instance: { name: "evald", namespace: "evald-system" },
  onDisruption: "fail",
  terminationGraceSeconds: 120,
  sidecarMode: "native",
  lingerSeconds: 300,
  timeouts: {},
  graces: standardGraces
}

/** what a server needs from outside: a store and a cluster */
export const outside = Layer.merge(sqliteMemory, Fake.layer)

/** one server that observes; facts go into the store */
export const server = (given: Partial<ObserveOptions> = {}) => {
  const runtime = Layer.effect(
    Runtime,
    Effect.map(Observation, ({ facts, observe }) =>
      Runtime.of({
        kind: "cluster",
        check: () => Effect.succeed([]),
        freeSlots: Effect.succeed(0),
        awaitSlot: Effect.never,
        backingName: () => undefined,
        launch: () => Effect.dieMessage("nothing is launched here"),
        stop: () => Effect.dieMessage("nothing is stopped here"),
        stopJob: () => Effect.dieMessage("nothing is stopped here"),
        facts,
        observe,
        logs: () => Effect.succeed({ source: "live", text: Stream.empty }),
        ping: Effect.void
      })
    )
  )
  const applying = Layer.scopedDiscard(Effect.forkScoped(observer({ graceMillis: 10_000, deferTrackerFailure: true })))
  return applying.pipe(Layer.provideMerge(runtime), Layer.provideMerge(ObserveByWatch.layer({ ...options, ...given })))
}

export const backingName = (job: Job, index = 0): string => `evald-${job.id}-${index}-1`

/** the Job of a benchmark, as a launch would have made it; the fake adds the pod unless it is suspended */
export const backed = (job: Job, index = 0, more: { readonly queue?: string; readonly suspend?: boolean } = {}) =>
  Effect.map(Fake.Fake, (fake) => {
    const labels = {
      "app.kubernetes.io/managed-by": "evald",
      [`${domain}/instance-name`]: "evald",
      [`${domain}/instance-namespace`]: "evald-system",
      [`${domain}/job-id`]: job.id,
      [`${domain}/benchmark-index`]: String(index),
      [`${domain}/attempt`]: "1"
    }
    const annotations = { [`${domain}/job-id`]: job.id, [`${domain}/tenant`]: tenant }
    return fake.store.create(kindOf("jobs"), tenant, {
      metadata: {
        name: backingName(job, index),
        labels: { ...labels, ...(more.queue === undefined ? {} : { [`${queueDomain}/queue-name`]: more.queue }) },
        annotations
      },
      spec: {
        suspend: more.suspend === true,
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "adapter", image: "registry.example/adapter:2" }] }
        }
      },
      status: {}
    })
  })

/** a stored job with its namespace in the cluster */
export const stored = (
  given: Partial<JobOptions> & { readonly number?: number } = {}
): Effect.Effect<Job, never, JobStore | Fake.Fake> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const fake = yield* Fake.Fake
    if (!fake.objects("namespaces").some(({ metadata }) => metadata.name === tenant)) fake.addNamespace(tenant)
    const job = makeJob({
      id: jobId(given.number ?? 1),
      tenant,
      benchmarks: 1,
      createdAt: "1970-01-01T00:00:00.000Z",
      ...given
    })
    yield* Effect.orDie(store.insert(job, []))
    return job
  })

export const benchmark = (job: Job, index = 0) =>
  Effect.flatMap(JobStore, (store) =>
    Effect.map(Effect.orDie(store.loadBenchmark(job.id, index)), (found) => found.benchmark)
  )
