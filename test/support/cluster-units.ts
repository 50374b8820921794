/** Units for the cluster runtime, its options, and a way to let time pass while real connections are under way. */
import { Effect, Fiber, TestClock } from "effect"
import type { Unit } from "../../application/ports/runtime.ts"
import type { BenchmarkEntry, BenchmarkSnapshot, Job } from "../../domain/job/job.ts"
import type { ClusterOptions } from "../../infrastructure/kubernetes/cluster-options.ts"
import type { FakeKubernetes } from "./fake-kubernetes/fake-kubernetes.ts"
import { unitOf } from "./local-units.ts"
import { type JobOptions, makeJob } from "./stored-jobs.ts"

const amounts = { cpuRequest: "100m", memoryRequest: "128Mi", cpuLimit: "1", memoryLimit: "256Mi" }

export const clusterOptions = (given: Partial<ClusterOptions> = {}): ClusterOptions => ({
  instance: { name: "evald", namespace: "evald-system" },
  domain: "evald.internal",
  queueDomain: "kueue.x-k8s.io",
  namePrefix: "evald",
  image: "registry.example/evald:1",
  callbackUrl: "https://evald.evald-system.svc:8443",
  document: { samples: { write: true, includeText: true }, legacyJobKeys: false },
  timeouts: {},
  deadlineSlackSeconds: 1800,
  ttlSeconds: 3600,
  terminationGraceSeconds: 120,
  onDisruption: "fail",
  imagePullSecrets: [],
  pod: {},
  sidecarMode: "native",
  healthPort: 18_081,
  sidecarMetrics: false,
  clusterDomain: "cluster.local",
  adapterReadOnlyRoot: "auto",
  sidecarResources: amounts,
  initResources: { ...amounts, memoryLimit: "512Mi" },
  volumes: { dataSize: "20Gi", testDataSize: "12Gi" },
  tokens: {},
  serviceCa: "evald.evald-system.service-ca",
  trackerCa: "evald.evald-system.tracker-ca",
  logLevel: "info",
  model: { tokenInjection: "always", tokenHosts: [], refHeaders: [] },
  egress: { denyCidrs: [], allowCidrs: [], allowHosts: [], requireTlsForCredentials: false, trustProxy: false },
  registryPlainHttp: false,
  spool: { maxFiles: 10_000, maxBytes: 67_108_864 },
  testData: { maxBytes: 10_737_418_240, maxObjects: 100_000, parallel: 4, timeoutSeconds: 600 },
  adapterEnv: true,
  secretLabelRequired: false,
  secretGraceSeconds: 30,
  launchConcurrency: 16,
  lingerSeconds: 300,
  sweep: "delete",
  ...given
})

/** the same job for a provider that runs in the cluster */
export const inCluster = (job: Job, snapshot: Partial<BenchmarkSnapshot> = {}): Job => ({
  ...job,
  benchmarks: job.benchmarks.map((benchmark) => ({
    ...benchmark,
    snapshot: { ...benchmark.snapshot, runtime: { k8s: { image: "registry.example/adapter:1" } }, ...snapshot }
  }))
})

export const unitId = "0197a3f2-6c1e-7b40-9d2a-3f5e8c1b7a90"

/** one benchmark of tenant `team-a` */
export const clusterUnit = (
  given: Partial<JobOptions> & {
    readonly snapshot?: Partial<BenchmarkSnapshot>
    readonly benchmark?: Partial<BenchmarkEntry>
  } = {}
): Unit => {
  const { benchmark, snapshot, ...job } = given
  return unitOf(
    inCluster(
      makeJob({
        id: unitId,
        tenant: "team-a",
        benchmarks: 1,
        ...(benchmark === undefined ? {} : { entry: () => benchmark }),
        ...job
      }),
      snapshot
    )
  )
}

const tick = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** lets what is under way come to rest: no request without an answer for a while */
export const atRest = (fake: FakeKubernetes): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let quiet = 0; quiet < 12; quiet += 1) {
      yield* tick
      if (fake.pending() > 0) quiet = 0
    }
  })

/** lets the test clock run, in steps, whenever the connections are at rest, until the effect has ended */
export const drive = <A, E, R>(
  fake: FakeKubernetes,
  effect: Effect.Effect<A, E, R>,
  stepMillis = 250
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const running = yield* Effect.fork(effect)
    for (;;) {
      yield* atRest(fake)
      if ((yield* Fiber.poll(running))._tag === "Some") return yield* Fiber.join(running)
      yield* TestClock.adjust(stepMillis)
    }
  })
