/** Case 18: the mapping table from documents as the cluster writes them, both sides of each grace. */
import { assert, describe, it } from "@effect/vitest"
import { standardGraces } from "../../../../../../infrastructure/kubernetes/observe/judge/graces.ts"
import { type JudgeOptions, judge } from "../../../../../../infrastructure/kubernetes/observe/judge/judge.ts"
import { reduceJob, reducePod } from "../../../../../../infrastructure/kubernetes/observe/judge/reduce.ts"
import type { ClusterNote, Sight } from "../../../../../../infrastructure/kubernetes/observe/judge/sight.ts"
import {
  domain,
  type JobShape,
  jobDocument,
  podDocument,
  queueDomain
} from "../../../../../support/cluster-documents.ts"
import type { ContainerState, PodStatus } from "../../../../../support/fake-kubernetes/job-controller.ts"

const start = Date.parse("2026-01-01T00:02:00Z")
const options: JudgeOptions = {
  graces: standardGraces,
  onDisruption: "fail",
  terminationGraceSeconds: 120,
  sidecarMode: "native"
}

interface Scene {
  /** null: gone */
  readonly job?: JobShape | null
  readonly pod?: PodStatus & { readonly deleting?: boolean; readonly node?: string }
  readonly lastPod?: PodStatus
  readonly notes?: ReadonlyArray<ClusterNote>
  readonly queue?: Sight["queue"]
  readonly memoryLimit?: Sight["memoryLimit"]
}

const podOf = (status: PodStatus & { readonly deleting?: boolean; readonly node?: string }) =>
  reducePod(podDocument(status, status), domain)?.pod

const sightOf = ({ job, pod, lastPod, notes = [], queue, memoryLimit }: Scene): Sight => ({
  job: job === null ? undefined : reduceJob(jobDocument(job), domain, queueDomain),
  pod: pod === undefined ? undefined : podOf(pod),
  lastPod: lastPod === undefined ? undefined : podOf(lastPod),
  hadPod: pod !== undefined || lastPod !== undefined,
  notes,
  queue,
  ownVolumes: ["evald-job-1-0-1-spec", "evald-job-1-0-1-ref"],
  memoryLimit
})

/** effect and code so many seconds after the scene was first seen */
const toldAfter = (scene: Scene, seconds: number, given: Partial<JudgeOptions> = {}) => {
  const sight = sightOf(scene)
  const first = judge(sight, {}, start, { ...options, ...given })
  const { rule, effect, finding } = judge(sight, first.firstSeen, start + seconds * 1000, { ...options, ...given })
  return { rule, told: effect === "none" ? "none" : `${effect} ${finding?.code}`, message: finding?.message ?? "" }
}

const running: ContainerState = { running: { startedAt: "2026-01-01T00:00:10Z" } }
const exited = (exitCode: number, more: Partial<NonNullable<ContainerState["terminated"]>> = {}): ContainerState => ({
  terminated: { exitCode, startedAt: "2026-01-01T00:00:10Z", finishedAt: "2026-01-01T00:01:00Z", ...more }
})
const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) }
})
const adapter = (
  state: ContainerState,
  sidecar: ContainerState = exited(0),
  phase: PodStatus["phase"] = "Running"
): PodStatus => ({
  phase,
  containers: { adapter: state },
  initContainers: { sidecar }
})
const stuck = (state: ContainerState): PodStatus => ({ phase: "Pending", containers: { adapter: state } })
const init = (state: ContainerState): PodStatus => ({
  phase: "Failed",
  initContainers: { init: state },
  containers: { adapter: waiting("PodInitializing") }
})

type Moment = readonly [seconds: number, told: string]
type Row = readonly [
  rule: string,
  what: string,
  scene: Scene,
  moments: ReadonlyArray<Moment>,
  text: RegExp,
  given?: Partial<JudgeOptions>
]

const creating = stuck(waiting("ContainerCreating"))
const mount = (what: string): ClusterNote => ({
  reason: "FailedMount",
  message: `MountVolume.SetUp failed for volume "v" : ${what} not found`
})
const noPod = (message: string): ClusterNote => ({ reason: "FailedCreate", message })
const eviction = {
  type: "DisruptionTarget",
  status: "True",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting"
} as const

const table: ReadonlyArray<Row> = [
  [
    "M1",
    "the Job is gone",
    { job: null },
    [
      [9.999, "none"],
      [10, "fail runtime_object_lost"]
    ],
    /deleted by somebody else/
  ],
  [
    "M2",
    "the Job's deadline",
    { job: { failed: "DeadlineExceeded" }, pod: adapter(exited(137)) },
    [[0, "fail deadline_exceeded"]],
    /its time was up/
  ],
  [
    "M2",
    "the pod's deadline",
    { pod: { ...adapter(running), phase: "Failed", reason: "DeadlineExceeded", message: "too long" } },
    [[0, "fail deadline_exceeded"]],
    /too long/
  ],
  [
    "M3",
    "the pod failure policy",
    { job: { failed: "PodFailurePolicy" } },
    [
      [9.999, "none"],
      [10, "fail evicted"]
    ],
    /PodFailurePolicy/
  ],
  [
    "M3",
    "a disruption target that is deleted",
    { pod: { ...adapter(running), conditions: [eviction], deleting: true, node: "gpu-3" } },
    [
      [9.999, "none"],
      [10, "fail evicted"]
    ],
    /node gpu-3 \(EvictionByEvictionAPI\): Eviction API/
  ],
  [
    "M3",
    "an evicted pod",
    { pod: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory" } },
    [
      [9.999, "none"],
      [10, "fail evicted"]
    ],
    /low on resource/
  ],
  [
    "M3",
    "a dead node",
    { pod: { phase: "Running", reason: "NodeLost" } },
    [
      [59.999, "none"],
      [60, "fail evicted"]
    ],
    /NodeLost/
  ],
  [
    "M3",
    "a disruption that restarts",
    { pod: { ...adapter(running), conditions: [eviction], deleting: true } },
    [
      [0, "warn evicted"],
      [9999, "warn evicted"]
    ],
    /evicted from its node/,
    { onDisruption: "restart" }
  ],
  [
    "M4",
    "no test data",
    { pod: init(exited(11, { message: '{"v":1,"message":"s3://b/p is empty"}' })) },
    [[0, "fail test_data_not_found"]],
    /No test data was found: s3:\/\/b\/p is empty/
  ],
  [
    "M5",
    "test data refused",
    { pod: init(exited(12, { message: '{"v":1,"message":"access denied"}' })) },
    [[0, "fail init_failed"]],
    /exit code 12: access denied/
  ],
  [
    "M5",
    "init out of memory",
    { pod: init(exited(137, { reason: "OOMKilled" })) },
    [[0, "fail init_failed"]],
    /more memory than its limit/
  ],
  [
    "M6",
    "out of memory",
    { pod: adapter(exited(137, { reason: "OOMKilled" })), memoryLimit: { value: "4Gi", source: "provider" } },
    [
      [9.999, "none"],
      [10, "fail out_of_memory"]
    ],
    /memory limit of 4Gi \(from provider\)/
  ],
  [
    "M6",
    "out of memory, sidecar still sending",
    { pod: adapter(exited(137, { reason: "OOMKilled" }), running) },
    [
      [129.999, "none"],
      [130, "fail out_of_memory"]
    ],
    /its memory limit/
  ],
  [
    "M7",
    "no such command",
    { pod: adapter(exited(128, { reason: "StartError", message: 'exec: "run": not found' })) },
    [
      [9.999, "none"],
      [10, "fail adapter_failed_to_start"]
    ],
    /registry.example\/adapter:2 \(exit code 128\): exec/
  ],
  [
    "M7",
    "127 at once",
    { pod: adapter(exited(127, { finishedAt: "2026-01-01T00:00:12Z" })) },
    [
      [9.999, "none"],
      [10, "fail adapter_failed_to_start"]
    ],
    /exit code 127/
  ],
  [
    "M10",
    "127 later",
    { pod: adapter(exited(127, { finishedAt: "2026-01-01T00:00:13Z" })) },
    [
      [9.999, "none"],
      [10, "fail adapter_exited_without_result"]
    ],
    /code 127/
  ],
  [
    "M8",
    "a deleted pod",
    { job: { failed: "BackoffLimitExceeded" }, lastPod: adapter(running, running) },
    [
      [9.999, "none"],
      [10, "fail runtime_object_lost"]
    ],
    /was deleted while the adapter ran/
  ],
  [
    "M9",
    "a pod that was not admitted",
    { pod: { phase: "Failed", reason: "OutOfcpu", message: "Node didn't have enough resource: cpu" } },
    [[0, "fail adapter_failed_to_start"]],
    /\(OutOfcpu\): Node/
  ],
  [
    "M10",
    "exit 0 without a result",
    { pod: adapter(exited(0), exited(0), "Succeeded") },
    [
      [9.999, "none"],
      [10, "fail adapter_exited_without_result"]
    ],
    /exited with code 0 and reported no result/
  ],
  [
    "M10",
    "a signal",
    { pod: adapter(exited(139)) },
    [[10, "fail adapter_exited_without_result"]],
    /code 139 \(SIGSEGV\)/
  ],
  [
    "M10",
    "exit 1, sidecar still sending",
    { pod: adapter(exited(1), running) },
    [
      [129.999, "none"],
      [130, "fail adapter_exited_without_result"]
    ],
    /code 1 and/
  ],
  [
    "M10",
    "exit 1 in plain mode",
    { pod: adapter(exited(1), running) },
    [
      [9.999, "none"],
      [10, "fail adapter_exited_without_result"]
    ],
    /code 1 and/,
    { sidecarMode: "plain" }
  ],
  [
    "M10",
    "a finished Job whose pod went",
    { job: { complete: true } },
    [
      [9.999, "none"],
      [10, "fail adapter_exited_without_result"]
    ],
    /pod of the benchmark ended/
  ],
  [
    "M11",
    "a bad image name",
    { pod: stuck(waiting("InvalidImageName", "couldn't parse")) },
    [
      [9.999, "none"],
      [10, "fail image_pull_failed"]
    ],
    /adapter:2 of container adapter can not be used/
  ],
  [
    "M12",
    "no such image",
    { pod: stuck(waiting("ErrImagePull", "manifest unknown")) },
    [
      [0, "warn image_pull_failed"],
      [299.999, "warn image_pull_failed"],
      [300, "fail image_pull_failed"]
    ],
    /container adapter could not be pulled: manifest unknown/
  ],
  [
    "M13",
    "a missing secret",
    { pod: stuck(waiting("CreateContainerConfigError", 'secret "model" not found')) },
    [
      [59.999, "none"],
      [60, "fail secret_not_found"]
    ],
    /secret 'model' does not exist/
  ],
  [
    "M13",
    "a bad container",
    { pod: stuck(waiting("CreateContainerError", "runAsNonRoot")) },
    [
      [59.999, "none"],
      [60, "fail container_config_error"]
    ],
    /could not be created: runAsNonRoot/
  ],
  [
    "M14",
    "slow creation",
    { pod: creating },
    [
      [59.999, "none"],
      [60, "warn container_config_error"],
      [9999, "warn container_config_error"]
    ],
    /is still being created/
  ],
  [
    "M14",
    "a user secret that cannot be mounted",
    { pod: creating, notes: [mount('secret "s3"')] },
    [
      [59.999, "none"],
      [60, "warn secret_not_found"],
      [179.999, "warn secret_not_found"],
      [180, "fail secret_not_found"]
    ],
    /secret 's3' does not exist/
  ],
  [
    "M14",
    "our own volume is missing",
    { pod: creating, notes: [mount('configmap "evald-job-1-0-1-spec"')] },
    [
      [59.999, "none"],
      [60, "warn container_config_error"]
    ],
    /is made again/
  ],
  [
    "M15",
    "a sidecar that crashes",
    {
      pod: {
        phase: "Pending",
        initContainers: {
          sidecar: {
            ...waiting("CrashLoopBackOff"),
            restartCount: 2,
            lastState: exited(1, { message: "no configuration" })
          }
        },
        containers: { adapter: waiting("PodInitializing") }
      }
    },
    [
      [59.999, "none"],
      [60, "fail adapter_failed_to_start"]
    ],
    /sidecar does not start \(exit code 1\): no configuration/
  ],
  [
    "M16",
    "a sidecar that came back",
    {
      pod: {
        phase: "Running",
        initContainers: { sidecar: { ...running, restartCount: 2 } },
        containers: { adapter: running }
      }
    },
    [[0, "warn adapter_failed_to_start"]],
    /restarted 2 times/
  ],
  [
    "M17",
    "a queue",
    { job: { suspended: true, queue: "gpu" }, queue: { code: "queue_inadmissible", message: "queue gpu: no flavor" } },
    [
      [29.999, "none"],
      [30, "warn queue_inadmissible"],
      [9999, "warn queue_inadmissible"]
    ],
    /no flavor/
  ],
  [
    "M17",
    "a queue that takes its room back",
    { job: { suspended: true, queue: "gpu" }, pod: { ...adapter(running), deleting: true } },
    [[0, "warn evicted"]],
    /queue gpu/
  ],
  [
    "M18",
    "quota",
    { notes: [noPod('pods "x" is forbidden: exceeded quota: compute')] },
    [
      [29.999, "none"],
      [30, "warn unschedulable"],
      [9999, "warn unschedulable"]
    ],
    /exceeded quota/
  ],
  [
    "M18",
    "no service account",
    { notes: [noPod('error looking up service account team-a/evald: serviceaccount "evald" not found')] },
    [
      [29.999, "none"],
      [30, "warn runtime_object_rejected"],
      [119.999, "warn runtime_object_rejected"],
      [120, "fail runtime_object_rejected"]
    ],
    /service account/
  ],
  [
    "M18",
    "pod security",
    { notes: [noPod('pods "x" is forbidden: violates PodSecurity "restricted:latest"')] },
    [
      [29.999, "none"],
      [30, "fail runtime_object_rejected"]
    ],
    /violates PodSecurity/
  ],
  [
    "M18",
    "no reason",
    {},
    [
      [29.999, "none"],
      [30, "warn unschedulable"]
    ],
    /not made a pod/
  ],
  [
    "M19",
    "no node",
    {
      pod: {
        phase: "Pending",
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" }
        ]
      }
    },
    [
      [29.999, "none"],
      [30, "warn unschedulable"],
      [86_400, "warn unschedulable"]
    ],
    /0\/3 nodes/
  ],
  [
    "",
    "M20: the adapter runs",
    { pod: adapter(running, running) },
    [
      [0, "none"],
      [9999, "none"]
    ],
    /^$/
  ],
  [
    "M21",
    "pending too long",
    {
      pod: {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }]
      }
    },
    [
      [479.999, "warn unschedulable"],
      [480, "fail deadline_exceeded"]
    ],
    /0\/3 nodes/,
    { pendingSeconds: 600 }
  ],
  [
    "",
    "a running adapter is not pending",
    { pod: adapter(running, running) },
    [[9999, "none"]],
    /^$/,
    { pendingSeconds: 600 }
  ]
]

describe("case 18: mapping", () => {
  for (const [rule, what, scene, moments, text, given] of table)
    it(`${rule === "" ? "none" : rule}: ${what}`, () => {
      for (const [seconds, told] of moments)
        assert.strictEqual(toldAfter(scene, seconds, given).told, told, `after ${seconds} s`)
      const last = toldAfter(scene, moments.at(-1)?.[0] ?? 0, given)
      assert.strictEqual(last.rule, rule)
      assert.match(last.message, text)
    })

  it("a takeover does not start a grace again, and a condition that was away does", () => {
    const sight = sightOf({ pod: stuck(waiting("ErrImagePull")) })
    const first = judge(sight, {}, start, options)
    const stored: unknown = JSON.parse(JSON.stringify(first.firstSeen))
    assert.strictEqual(judge(sight, stored as typeof first.firstSeen, start + 300_000, options).effect, "fail")
    const away = judge(sightOf({ pod: adapter(running, running) }), first.firstSeen, start + 100_000, options)
    assert.deepStrictEqual(away.firstSeen, {})
    assert.strictEqual(judge(sight, away.firstSeen, start + 300_000, options).effect, "warn")
  })

  it("tells when it wants to be asked again", () => {
    const sight = sightOf({ pod: stuck(waiting("ErrImagePull")) })
    assert.strictEqual(judge(sight, {}, start, options).nextAt, start + 300_000)
    assert.strictEqual(judge(sightOf({ pod: creating }), {}, start, options).nextAt, start + 60_000)
  })
})

describe("reduced records", () => {
  it("stay within 2 KB whatever the cluster writes", () => {
    const long = "é".repeat(4000)
    const state = waiting(long, long)
    const pod = podDocument({
      phase: "Failed",
      reason: long,
      message: long,
      conditions: [
        { type: "PodScheduled", status: "False", reason: long, message: long },
        { type: "DisruptionTarget", status: "True", reason: long, message: long }
      ],
      containers: { adapter: { ...state, lastState: exited(1, { message: long, reason: long }) } },
      initContainers: {
        init: state,
        sidecar: { ...exited(1, { message: long }), lastState: exited(1, { message: long }) }
      }
    })
    const reading = reducePod(pod, domain)
    assert.isAtMost(Buffer.byteLength(JSON.stringify(reading?.pod)), 2048)
    assert.strictEqual(reading?.lastWords, long)
    const job = jobDocument({ failed: long })
    assert.isAtMost(Buffer.byteLength(JSON.stringify(reduceJob(job, domain, queueDomain))), 2048)
  })
  it("are made of benchmarks' objects only", () => {
    assert.isUndefined(reducePod({ metadata: { name: "other" } }, domain))
    assert.isUndefined(reduceJob({ metadata: { name: "other" } }, domain, queueDomain))
  })
})
