/** T2: a server process and a queue system that suspends, admits and takes back, on a real API server. Reference: cluster-objects.md, "Observing", "Queue"; case 25. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { installQueueSystem, queueController } from "./support/queue-controller.ts"
import { deployment, runningPod } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const queued = { hardware_config: { queue: { kind: "kueue", name: "team-queue" } } }
const graces = { grace: { suspended_seconds: 1, no_pod_seconds: 1 } }

describe.skipIf(noControlPlane)("T2: queue", () => {
  layer(cluster, live)("of a queue system", (it) => {
    const setUp = Effect.gen(function* () {
      const made = yield* deployment({ settings: graces })
      const server = yield* made.start
      const tenant = yield* made.tenant
      const id = yield* tenant.submit(server, 1, queued)
      const job = yield* eventually("the Job", tenant.job, (found) => found !== undefined)
      const seen = (what: string, holds: (found: unknown) => boolean) =>
        eventually(what, tenant.benchmark(server, id), holds)
      return { server, tenant, id, job, seen }
    })
    const podName = (pod: { readonly metadata: { readonly name: string } } | undefined) => pod?.metadata.name ?? ""

    it.scoped("case 25: without a queue system the labels are inert: the Job runs", () =>
      Effect.gen(function* () {
        const { tenant, job } = yield* setUp
        const [pod] = yield* eventually("the pod", tenant.pods, ({ length }) => length === 1)
        assert.strictEqual(job?.metadata.labels?.["kueue.x-k8s.io/queue-name"], "team-queue")
        assert.strictEqual(pod?.metadata.labels?.["kueue.x-k8s.io/queue-name"], "team-queue")
        assert.strictEqual(at(job, "spec.suspend"), false)
        assert.isUndefined(at(pod, "spec.priorityClassName"))
      })
    )

    it.scoped(
      "case 25: suspended, refused, admitted, taken back while it runs, and run again to its end: the reason is always in the job",
      () =>
        Effect.gen(function* () {
          const { admin } = yield* Cluster
          yield* installQueueSystem(admin)
          const queue = queueController(admin)
          const { server, tenant, id, job, seen } = yield* setUp
          if (job === undefined) return assert.fail("no Job")
          assert.deepStrictEqual([at(job, "spec.suspend"), yield* tenant.pods], [true, []])
          yield* seen("that it waits", (found) => at(found, "warning_message.message_code") === "unschedulable")
          yield* queue.take(job)
          yield* queue.refuse(job, "NoMatchingFlavor", "no flavor for 3 accelerators")
          const refused = yield* seen(
            "the reason",
            (found) => at(found, "warning_message.message_code") === "queue_inadmissible"
          )
          assert.strictEqual(at(refused, "warning_message.message"), "queue team-queue: no flavor for 3 accelerators")
          assert.strictEqual(at(refused, "status"), "pending")

          yield* queue.admit(job)
          const [first] = yield* eventually("the pod", tenant.pods, ({ length }) => length === 1)
          yield* tenant.patchPod(podName(first), runningPod)
          yield* seen("no reason", (found) => at(found, "warning_message") === undefined)
          assert.strictEqual(
            (yield* tenant.report(server, id, { status: "running", phase: "running_evaluation" })).status,
            200
          )
          yield* seen(
            "running",
            (found) => at(found, "status") === "running" && at(found, "phase") === "running_evaluation"
          )

          yield* queue.evict(job, "preempted by another team")
          yield* eventually("no pod", tenant.pods, ({ length }) => length === 0)
          const evicted = yield* seen("taken back", (found) => at(found, "warning_message.message_code") === "evicted")
          assert.strictEqual(at(evicted, "status"), "running")
          assert.isUndefined(at(evicted, "phase"))
          assert.isUndefined(at(yield* tenant.job, "status.failed"))

          yield* queue.admit(job)
          const [second] = yield* eventually("another pod", tenant.pods, ({ length }) => length === 1)
          assert.notStrictEqual(podName(second), podName(first))
          yield* tenant.patchPod(podName(second), runningPod)
          yield* seen("no reason", (found) => at(found, "warning_message") === undefined)
          assert.strictEqual(
            (yield* tenant.report(server, id, { status: "running", phase: "loading_data" })).status,
            200
          )
          assert.strictEqual(
            (yield* tenant.report(server, id, { status: "completed", metrics: { accuracy: 0.5 } })).status,
            200
          )
          yield* tenant.patchPod(podName(second), { phase: "Succeeded" })
          const done = yield* tenant.call(server, "GET", `jobs/${id}`)
          assert.strictEqual(at(done.json, "status.state"), "completed")
          yield* eventually("complete", tenant.job, (found) => at(found, "status.succeeded") === 1)
        })
    )
  })
})
