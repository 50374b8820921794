/**
 * Case 18 through a whole server: what the cluster shows of Jobs and pods becomes the state, the code and the text of the benchmark, just
 * before the end of each grace and just after it. The table itself is tested document by document beside `mapping.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { applyTo } from "../../../../../application/runtime/apply.ts"
import type { Job } from "../../../../../domain/job/job.ts"
import { changed } from "../../../../../domain/job/job-state.ts"
import { Fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import {
  type ContainerState,
  kindOf,
  type PodStatus,
  podOfJob
} from "../../../../support/fake-kubernetes/job-controller.ts"
import {
  backed,
  backingName,
  benchmark,
  outside,
  server,
  stored,
  tenant
} from "../../../../support/observed-cluster.ts"
import { quiet } from "../../../../support/until.ts"

type Cluster = typeof Fake.Service
type Moment = readonly [seconds: number, shown: string, text?: RegExp]
interface Row {
  readonly rule: string
  /** what happens to the pod or Job of the benchmark */
  readonly happens: (fake: Cluster, job: string) => void
  readonly moments: ReadonlyArray<Moment>
  readonly options?: Parameters<typeof server>[0]
  readonly before?: (fake: Cluster) => void
  readonly backing?: Parameters<typeof backed>[2]
}

const running: ContainerState = { running: { startedAt: "1970-01-01T00:00:01Z" } }
const ended = (exitCode: number, more: Partial<NonNullable<ContainerState["terminated"]>> = {}): ContainerState => ({
  terminated: { exitCode, startedAt: "1970-01-01T00:00:01Z", finishedAt: "1970-01-01T00:00:09Z", ...more }
})
const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) }
})
const pod = (status: PodStatus) => (fake: Cluster, job: string) => fake.setPodStatus(tenant, job, status)
const adapter = (state: ContainerState, sidecar: ContainerState = ended(0)) =>
  pod({ phase: "Running", containers: { adapter: state }, initContainers: { sidecar } })
const stuck = (state: ContainerState) => pod({ phase: "Pending", containers: { adapter: state } })
const init = (state: ContainerState) =>
  pod({ phase: "Pending", initContainers: { init: state }, containers: { adapter: waiting("PodInitializing") } })

const rows: ReadonlyArray<Row> = [
  {
    rule: "M1: the Job is gone",
    happens: (fake, job) => void fake.store.remove(kindOf("jobs"), tenant, job, { propagation: "Background" }),
    moments: [
      [8, "pending"],
      [13, "failed runtime_object_lost", /deleted by somebody else/]
    ]
  },
  {
    rule: "M2: the Job's deadline",
    happens: (fake, job) =>
      fake.setJobStatus(tenant, job, { conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded" }] }),
    moments: [[4, "failed deadline_exceeded"]]
  },
  {
    rule: "M3: an evicted pod",
    happens: pod({ phase: "Failed", reason: "Evicted", message: "low on memory" }),
    moments: [
      [8, "pending"],
      [13, "failed evicted", /low on memory/]
    ]
  },
  {
    rule: "M3: a node that does not answer",
    happens: pod({ phase: "Running", reason: "NodeLost" }),
    moments: [
      [57, "pending"],
      [64, "failed evicted", /NodeLost/]
    ]
  },
  {
    rule: "M4: no test data",
    happens: init(ended(11, { message: '{"v":1,"message":"s3://b/p is empty"}' })),
    moments: [[4, "failed test_data_not_found", /s3:\/\/b\/p is empty/]]
  },
  {
    rule: "M5: test data refused",
    happens: init(ended(12, { message: '{"v":1,"message":"access denied"}' })),
    moments: [[4, "failed init_failed", /access denied/]]
  },
  {
    rule: "M6: out of memory",
    happens: adapter(ended(137, { reason: "OOMKilled" })),
    moments: [
      [8, "pending"],
      [13, "failed out_of_memory", /2Gi/]
    ]
  },
  {
    rule: "M7: a command that does not exist",
    happens: adapter(ended(128, { reason: "StartError", message: 'exec: "run": not found' })),
    moments: [
      [8, "pending"],
      [13, "failed adapter_failed_to_start", /not found/]
    ]
  },
  {
    rule: "M8: a pod that is deleted while it runs",
    happens: (fake, job) => {
      adapter(running, running)(fake, job)
      const { name } = podOfJob(fake.store, tenant, job).metadata
      fake.store.remove(kindOf("pods"), tenant, name, {})
    },
    moments: [
      [8, "pending"],
      [13, "failed runtime_object_lost", /deleted/]
    ]
  },
  {
    rule: "M9: a pod that its node does not admit",
    happens: pod({ phase: "Failed", reason: "OutOfcpu", message: "not enough cpu" }),
    moments: [[4, "failed adapter_failed_to_start", /OutOfcpu/]]
  },
  {
    rule: "M10: exit 0 without a result",
    happens: adapter(ended(0)),
    moments: [
      [8, "pending"],
      [13, "failed adapter_exited_without_result", /code 0/]
    ]
  },
  {
    rule: "M10: a signal, while the sidecar still sends",
    happens: adapter(ended(139), running),
    moments: [
      [127, "pending"],
      [136, "failed adapter_exited_without_result", /SIGSEGV/]
    ]
  },
  {
    rule: "M11: an image name that is none",
    happens: stuck(waiting("InvalidImageName")),
    moments: [
      [8, "pending"],
      [13, "failed image_pull_failed"]
    ]
  },
  {
    rule: "M12: an image that can not be pulled",
    happens: stuck(waiting("ErrImagePull", "manifest unknown")),
    moments: [
      [3, "pending image_pull_failed", /manifest unknown/],
      [295, "pending image_pull_failed"],
      [306, "failed image_pull_failed", /container adapter/]
    ]
  },
  {
    rule: "M13: a secret that does not exist",
    happens: stuck(waiting("CreateContainerConfigError", 'secret "model" not found')),
    moments: [
      [57, "pending"],
      [64, "failed secret_not_found", /'model'/]
    ]
  },
  {
    rule: "M13: a container that can not be made",
    happens: stuck(waiting("CreateContainerError", "runAsNonRoot")),
    moments: [
      [57, "pending"],
      [64, "failed container_config_error", /runAsNonRoot/]
    ]
  },
  {
    rule: "M14: a secret that can not be mounted",
    happens: (fake, job) => {
      stuck(waiting("ContainerCreating"))(fake, job)
      const { name, uid = "" } = podOfJob(fake.store, tenant, job).metadata
      fake.store.create(kindOf("events"), tenant, {
        metadata: { name: "mount" },
        involvedObject: { kind: "Pod", namespace: tenant, name, uid },
        reason: "FailedMount",
        message: 'MountVolume.SetUp failed for volume "v" : secret "s3" not found'
      })
    },
    moments: [
      [57, "pending"],
      [65, "pending secret_not_found"],
      [175, "pending secret_not_found"],
      [195, "failed secret_not_found", /'s3'/]
    ]
  },
  {
    rule: "M15: a sidecar that does not start",
    happens: pod({
      phase: "Pending",
      initContainers: {
        sidecar: {
          ...waiting("CrashLoopBackOff"),
          restartCount: 2,
          lastState: ended(1, { message: "no configuration" })
        }
      },
      containers: { adapter: waiting("PodInitializing") }
    }),
    moments: [
      [57, "pending"],
      [64, "failed adapter_failed_to_start", /no configuration/]
    ]
  },
  {
    rule: "M16: a sidecar that came back",
    happens: pod({
      phase: "Running",
      initContainers: { sidecar: { ...running, restartCount: 2 } },
      containers: { adapter: running }
    }),
    moments: [
      [3, "pending adapter_failed_to_start", /restarted 2 times/],
      [120, "pending adapter_failed_to_start"]
    ]
  },
  {
    rule: "M17: a queue that says nothing",
    happens: () => {},
    backing: { queue: "gpu", suspend: true },
    moments: [
      [26, "pending"],
      [36, "pending unschedulable", /^queue gpu: /],
      [300, "pending queue_inadmissible", /no Workload/]
    ]
  },
  {
    rule: "M18: a quota",
    before: (fake) => fake.refusePods('pods "x" is forbidden: exceeded quota: compute'),
    happens: () => {},
    moments: [
      [26, "pending"],
      [36, "pending unschedulable", /exceeded quota/],
      [300, "pending unschedulable"]
    ]
  },
  {
    rule: "M18: pod security",
    before: (fake) => fake.refusePods('pods "x" is forbidden: violates PodSecurity "restricted:latest"'),
    happens: () => {},
    moments: [
      [26, "pending"],
      [40, "failed runtime_object_rejected", /violates PodSecurity/]
    ]
  },
  {
    rule: "M18: no service account",
    before: (fake) => fake.refusePods('error looking up service account team-a/x: serviceaccount "x" not found'),
    happens: () => {},
    moments: [
      [36, "pending runtime_object_rejected"],
      [115, "pending runtime_object_rejected"],
      [130, "failed runtime_object_rejected", /service account/]
    ]
  },
  {
    rule: "M19: no node",
    happens: pod({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }]
    }),
    moments: [
      [27, "pending"],
      [34, "pending unschedulable", /0\/3 nodes/]
    ]
  },
  {
    rule: "M20: a warning goes once the adapter runs",
    happens: (fake, job) => {
      stuck(waiting("ErrImagePull"))(fake, job)
      setTimeout(() => adapter(running, running)(fake, job), 0)
    },
    moments: [[10, "pending"]]
  },
  {
    rule: "M21: pending for too long",
    happens: pod({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }]
    }),
    options: { timeouts: { pendingSeconds: 60 } },
    moments: [
      [55, "pending unschedulable"],
      [70, "failed deadline_exceeded"]
    ]
  }
]

const shown = (job: Job) =>
  Effect.map(benchmark(job), ({ state, error, warning }) => ({
    told: [state, error?.code ?? warning?.code].filter((part) => part !== undefined).join(" "),
    message: error?.message ?? warning?.message ?? ""
  }))

const pass = (seconds: number) =>
  Effect.gen(function* () {
    for (let left = seconds; left > 0; left -= 5) {
      yield* quiet
      yield* TestClock.adjust(`${Math.min(5, left)} seconds`)
    }
    yield* quiet
    yield* quiet
  })

describe("case 18: mapping, in a cluster", () => {
  for (const { rule, happens, moments, options, before, backing } of rows)
    it.scoped(
      rule,
      () =>
        Effect.gen(function* () {
          const fake = yield* Fake
          const job = yield* stored()
          before?.(fake)
          yield* backed(job, 0, backing)
          yield* Layer.build(server(options))
          // the server has listed and watches; nothing has happened yet
          if (before === undefined && backing === undefined) yield* pass(1)
          happens(fake, backingName(job))
          let now = 0
          for (const [seconds, told, text] of moments) {
            yield* pass(seconds - now)
            now = seconds
            let found = yield* shown(job)
            // news of the cluster come over real connections, which know nothing of the test's clock
            for (; found.told !== told && now < seconds + 10; now += 1) {
              yield* pass(1)
              found = yield* shown(job)
            }
            assert.strictEqual(found.told, told, `after ${seconds} s`)
            if (text !== undefined) assert.match(found.message, text)
          }
        }).pipe(Effect.provide(outside)),
      60_000
    )

  it.scoped("M22: the exit code of an adapter that has reported its result changes nothing", () =>
    Effect.gen(function* () {
      const fake = yield* Fake
      const job = yield* stored()
      yield* backed(job)
      yield* Layer.build(server())
      yield* pass(1)
      yield* applyTo({ jobId: job.id, index: 0 }, (head, found, now) =>
        changed(head, found, { ...found, state: "completed", result: { metrics: { accuracy: 1 } } }, now)
      )
      adapter(ended(1))(fake, backingName(job))
      yield* pass(30)
      assert.strictEqual((yield* shown(job)).told, "completed")
    }).pipe(Effect.provide(outside))
  )
})
