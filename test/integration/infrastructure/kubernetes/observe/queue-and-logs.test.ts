/** Cases 24 and 27: benchmarks that wait for a queue or a node, and their logs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream, TestClock } from "effect"
import { searchLog } from "../../../../../application/jobs/logs/log-search.ts"
import type { LogQuery } from "../../../../../application/ports/runtime.ts"
import { UnitRecords } from "../../../../../application/ports/stores/unit-records.ts"
import type { Benchmark, Job } from "../../../../../domain/job/job.ts"
import { KubeClient } from "../../../../../infrastructure/kubernetes/client/client.ts"
import type { KubeObject } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { queueNote } from "../../../../../infrastructure/kubernetes/observe/judge/queue-conditions.ts"
import { makeLogCapture } from "../../../../../infrastructure/kubernetes/observe/log-capture.ts"
import { Fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { kindOf, type PodStatus } from "../../../../support/fake-kubernetes/job-controller.ts"
import {
  backed,
  backingName,
  benchmark,
  options,
  outside,
  queueDomain,
  server,
  stored,
  tenant
} from "../../../../support/observed-cluster.ts"
import { advancing, quiet } from "../../../../support/until.ts"

const when = (job: Job, step: `${number} millis`, is: (found: Benchmark) => boolean) =>
  advancing(
    step,
    Effect.map(benchmark(job), (found) => (is(found) ? found : undefined))
  )
const observed = <A, E, R>(body: Effect.Effect<A, E, R>, given: Parameters<typeof server>[0] = {}) =>
  Effect.scoped(Effect.zipRight(Layer.build(server(given)), body))

const workload = (
  conditions: ReadonlyArray<{
    readonly type: string
    readonly status: string
    readonly reason?: string
    readonly message?: string
  }>
): KubeObject => ({
  metadata: { name: "w" },
  status: { conditions }
})
const reserved = (reason: string) =>
  workload([{ type: "QuotaReserved", status: "False", reason, message: `because ${reason}` }])

describe("case 24: queue", () => {
  for (const reason of "Inadmissible Misconfigured NoMatchingFlavor ExceedsMaxQuota Suspended TopologyPlacementFailed".split(
    " "
  ))
    it(`${reason}: an administrator must act`, () =>
      assert.deepStrictEqual(queueNote("gpu", reserved(reason), 0, []), {
        code: "queue_inadmissible",
        message: `queue gpu: because ${reason}`
      }))
  for (const reason of [
    "Pending",
    "WaitingForQuota",
    "WaitingForPreemptedWorkloads",
    "PendingEvaluation",
    "WaitingForPodsReady",
    "SomethingNew"
  ])
    it(`${reason}: time may solve it`, () =>
      assert.deepStrictEqual(queueNote("gpu", reserved(reason), 0, []), {
        code: "unschedulable",
        message: `queue gpu: because ${reason}`
      }))
  it("admitted: nothing to say", () =>
    assert.isUndefined(queueNote("gpu", workload([{ type: "Admitted", status: "True" }]), 0, [])))
  it("no Workload: wait 60 s, then say so with the Job's own words", () => {
    assert.strictEqual(queueNote("gpu", undefined, 59_999, [])?.code, "unschedulable")
    const told = queueNote("gpu", undefined, 60_000, [{ reason: "x", message: "LocalQueue gpu does not exist" }])
    assert.strictEqual(told?.code, "queue_inadmissible")
    assert.include(told?.message ?? "", "LocalQueue gpu does not exist")
    assert.isAtMost(
      queueNote("gpu", undefined, 60_000, [{ reason: "x", message: "y".repeat(9000) }])?.message.length ?? 0,
      512
    )
  })

  it.scoped("a suspended Job shows the queue's reason, then none once admitted, and never fails", () =>
    Effect.gen(function* () {
      const fake = yield* Fake
      const job = yield* stored()
      const made = yield* backed(job, 0, { queue: "gpu", suspend: true })
      fake.store.create(kindOf("workloads"), tenant, {
        metadata: { name: "w", labels: { [`${queueDomain}/job-uid`]: made.metadata.uid ?? "" } },
        status: {
          conditions: [
            { type: "QuotaReserved", status: "False", reason: "NoMatchingFlavor", message: "no flavor fits" }
          ]
        }
      })
      yield* observed(
        Effect.gen(function* () {
          const warned = yield* when(job, "1000 millis", ({ warning }) => warning !== undefined)
          assert.deepInclude(warned.warning, { code: "queue_inadmissible", message: "queue gpu: no flavor fits" })
          fake.store.update(kindOf("jobs"), tenant, backingName(job), (found) => ({
            ...found,
            spec: { ...(found["spec"] as object), suspend: false }
          }))
          yield* when(job, "500 millis", ({ warning }) => warning === undefined)
          assert.strictEqual((yield* benchmark(job)).state, "pending")
        })
      )
    }).pipe(Effect.provide(outside))
  )

  const unschedulable: PodStatus = {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" }]
  }
  const underWatch = <E>(
    body: (job: Job) => Effect.Effect<void, E, Layer.Layer.Success<typeof outside>>,
    given?: Parameters<typeof observed>[1]
  ) =>
    Effect.gen(function* () {
      const fake = yield* Fake
      const job = yield* stored()
      yield* backed(job)
      fake.setPodStatus(tenant, backingName(job), unschedulable)
      yield* observed(body(job), given)
    }).pipe(Effect.provide(outside))

  it.scoped(
    "unschedulable for long with the pending timeout off: a warning (two minutes; the mapping table goes the whole 24 hours)",
    () =>
      underWatch((job) =>
        Effect.gen(function* () {
          yield* when(job, "5000 millis", ({ warning }) => warning?.code === "unschedulable")
          for (let step = 0; step < 24; step += 1) {
            yield* quiet
            yield* TestClock.adjust("5 seconds")
          }
          yield* quiet
          assert.strictEqual((yield* benchmark(job)).state, "pending")
        })
      )
  )
  it.scoped("unschedulable until the pending timeout: deadline_exceeded (60 s stand for 600)", () =>
    underWatch(
      (job) =>
        Effect.gen(function* () {
          const failed = yield* when(job, "5000 millis", ({ state }) => state === "failed")
          assert.strictEqual(failed.error?.code, "deadline_exceeded")
          assert.include(failed.error?.message ?? "", "0/3 nodes are available")
        }),
      { timeouts: { pendingSeconds: 60 } }
    )
  )
})

const query = { tailLines: 1000, timestamps: false, follow: false } satisfies LogQuery

describe("case 27: logs", () => {
  const setUp = Effect.gen(function* () {
    const fake = yield* Fake
    const records = yield* UnitRecords
    const logs = makeLogCapture(yield* KubeClient, records, options)
    const job = yield* stored()
    yield* backed(job)
    const unit = { tenant, jobId: job.id, index: 0, attempt: 1 }
    const podLog = `${tenant}/${backingName(job)}-x7k2p/adapter`
    const text = (asked: Partial<LogQuery> = {}) =>
      Effect.map(
        Effect.flatMap(logs.read(unit, { ...query, ...asked }), (log) => Stream.runCollect(log.text)),
        (chunks) => Buffer.concat([...chunks]).toString("utf8")
      )
    return { fake, logs, job, unit, podLog, text, records }
  })
  const remove = (fake: typeof Fake.Service, job: Job) =>
    fake.store.remove(kindOf("jobs"), tenant, backingName(job), { propagation: "Background" })

  it.scoped("live from the pod; kept lines after it is gone, with times only when asked for", () =>
    Effect.gen(function* () {
      const { fake, logs, job, unit, podLog, text } = yield* setUp
      fake.podLogs.set(podLog, "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.2Z two\u0007\n")
      assert.include(yield* text(), "one")
      yield* logs.capture(unit)
      remove(fake, job)
      assert.strictEqual(yield* text(), "one\ntwo\n")
      assert.strictEqual(yield* text({ tailLines: 1, timestamps: true }), "2026-01-01T00:00:00.2Z two\n")
      yield* logs.discard(job.id)
      assert.strictEqual((yield* Effect.flip(text()))._tag, "NotFound")
    }).pipe(Effect.provide(outside))
  )
  it.scoped(
    "what is searched is found in the pod and in what was kept of it, its last lines counted after the search",
    () =>
      Effect.gen(function* () {
        const { fake, logs, job, unit, podLog } = yield* setUp
        const at = "2026-01-01T00:00:0"
        fake.podLogs.set(podLog, `${at}1Z Error one\n${at}2Z error two\n${at}3Z fine\n${at}4Z fine\n`)
        const found = (contains: string) =>
          Effect.map(
            Effect.flatMap(
              searchLog((asked) => logs.read(unit, asked), { ...query, tailLines: 1 }, contains),
              ({ source, text }) =>
                Effect.map(Stream.runCollect(text), (chunks) => [source, Buffer.concat([...chunks])])
            ),
            ([source, text]) => [source, String(text)]
          )
        // the imitated kubelet puts times before lines whether they are asked for or not
        assert.deepStrictEqual(yield* found("ERROR"), ["live", `${at}2Z error two\n`])
        yield* logs.capture(unit)
        remove(fake, job)
        assert.deepStrictEqual(yield* found("ERROR"), ["captured", "error two\n"])
        assert.deepStrictEqual(yield* found("2026"), ["captured", ""])
      }).pipe(Effect.provide(outside))
  )
  it.scoped("a container that has not started: not found, never an empty log; a cluster in trouble: unavailable", () =>
    Effect.gen(function* () {
      const { fake, text } = yield* setUp
      assert.strictEqual((yield* Effect.flip(text()))._tag, "NotFound")
      fake.faults.add({ when: ({ verb }) => verb === "log", times: 1, fault: answers(500) })
      assert.strictEqual((yield* Effect.flip(text()))._tag, "Unavailable")
    }).pipe(Effect.provide(outside))
  )
  it.scoped("what acts on a terminal is taken out, live and kept; an unfinished line gets no end", () =>
    Effect.gen(function* () {
      const { fake, logs, unit, podLog, text, job } = yield* setUp
      fake.podLogs.set(podLog, "2026-01-01T00:00:00Z \u001b[1;31mred\u001b[0m \u0000one\rtwo\u0007")
      assert.strictEqual(yield* text(), "2026-01-01T00:00:00Z red one\ntwo")
      assert.strictEqual((yield* logs.read(unit, query)).source, "live")
      yield* logs.capture(unit)
      remove(fake, job)
      assert.strictEqual((yield* logs.read(unit, query)).source, "captured")
      assert.strictEqual(yield* text(), "red one\ntwo\n")
    }).pipe(Effect.provide(outside))
  )
  it.scoped("a cluster in trouble after the lines were kept: the kept ones", () =>
    Effect.gen(function* () {
      const { fake, logs, unit, podLog, text } = yield* setUp
      fake.podLogs.set(podLog, "2026-01-01T00:00:00Z kept\n")
      yield* logs.capture(unit)
      fake.faults.add({ when: ({ verb }) => verb === "log", times: 1, fault: answers(500) })
      assert.strictEqual(yield* text(), "kept\n")
    }).pipe(Effect.provide(outside))
  )
  it.scoped("a line of 10 MB is kept in 64 KiB, and shown in 2 KB", () =>
    Effect.gen(function* () {
      const { fake, logs, unit, podLog, records } = yield* setUp
      fake.podLogs.set(podLog, `first\n${"x".repeat(10_000_000)}\n`)
      yield* logs.capture(unit)
      const kept = yield* records.keptLog(unit, "adapter")
      assert.strictEqual(Buffer.byteLength(kept ?? ""), 65_536)
      const shown = yield* logs.lastLines(unit)
      assert.isAtMost(Buffer.byteLength(shown.join("\n")), 2048)
    }).pipe(Effect.provide(outside))
  )
})
