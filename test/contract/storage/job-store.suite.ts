/** What every job store does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../application/ports/task-queue.ts"
import { applyTo } from "../../../application/runtime/apply.ts"
import type { BenchmarkTest } from "../../../domain/job/job.ts"
import type { JobQuery } from "../../../domain/job/job-query.ts"
import { aggregate, countsOf } from "../../../domain/job/job-state.ts"
import { decideStarted } from "../../../domain/job/runtime-fact.ts"
import { decodeCursor } from "../../../domain/paging.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { cancel, cleanupTask, remove, renderedJob, report } from "../../support/store-actions.ts"
import { completedEvent, failedEvent, jobId, launchTasks, makeJob, runningEvent } from "../../support/stored-jobs.ts"

const query = (members: Partial<JobQuery> = {}): JobQuery => ({ limit: 50, offset: 0, ...members })

const decodeNext = (next: string | undefined) => {
  const [createdAt = "", id = ""] = Either.getOrThrow(decodeCursor(next ?? "", 2))
  return { createdAt, id }
}

export const jobStoreSuite = (name: string, storage: StorageLayer) =>
  describe(`job store: ${name}`, () => {
    layer(storage)((it) => {
      const create = (number: number, tenant: string, options: Partial<Parameters<typeof makeJob>[0]> = {}) =>
        Effect.gen(function* () {
          const job = makeJob({ ...options, id: jobId(number), tenant })
          yield* (yield* JobStore).insert(job, launchTasks(job))
          return job
        })
      const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.either(effect), (either) => (Either.isLeft(either) ? either.left : undefined))
      const tagOf = (error: unknown) =>
        typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
      const idsOf = (items: ReadonlyArray<string>) =>
        items.map((item) => (JSON.parse(item) as { resource: { id: string } }).resource.id)

      it.effect("a stored job comes back as it was", () =>
        Effect.gen(function* () {
          const job = yield* create(1, "whole", {
            owner: "user:ann",
            trackerExperimentId: "17",
            benchmarks: 3,
            entry: (index) => ({ weight: index, parameters: { limit: index, api_key: "sk-1" } }),
            request: {
              description: "d",
              tags: ["a", "b"],
              custom: { any: [1, null] },
              threshold: 0.7,
              collection: { id: "c" }
            }
          })
          const loaded = yield* (yield* JobStore).load("whole", job.id)
          assert.deepEqual(loaded, job)
        })
      )

      it.effect(
        "a rerun is stored with results that are there from the start, and scored with them when the rest ends",
        () =>
          Effect.gen(function* () {
            const store = yield* JobStore
            const made = makeJob({ id: jobId(1002), tenant: "again", benchmarks: 2 })
            const benchmarks = made.benchmarks.map((benchmark, index) =>
              index === 1
                ? benchmark
                : {
                    ...benchmark,
                    state: "completed" as const,
                    completedAt: made.createdAt,
                    result: {
                      metrics: { accuracy: 0.25 },
                      test: {
                        primaryScore: 0.25,
                        metric: "accuracy",
                        lowerIsBetter: false,
                        threshold: 0.5,
                        pass: false
                      }
                    },
                    carried: { job: jobId(1001), index: 4 }
                  }
            )
            const counts = countsOf(benchmarks)
            const rerunOf = { job: jobId(1001), which: "failed", reuse: true } as const
            const job = {
              ...made,
              ...{ benchmarks, counts, state: aggregate(counts), request: { ...made.request, rerunOf } }
            }
            const stored = yield* store.insert(job, launchTasks(made).slice(1))
            assert.deepEqual(stored, yield* store.render("again", job.id))
            assert.deepEqual(yield* store.load("again", job.id), job)
            const record = JSON.parse(stored.json)
            assert.deepEqual([record.status.state, record.rerun_of], ["running", rerunOf])
            const from = { job: jobId(1001), benchmark_index: 4 }
            assert.deepEqual(
              [record.status.benchmarks[0].carried_from, record.results.benchmarks[0].carried_from],
              [from, from]
            )
            assert.strictEqual((yield* store.page("again", query({ rerunOf: jobId(1001) }))).total, 1)
            yield* report(job.id, completedEvent(1), "again")
            const ended = yield* store.load("again", job.id)
            assert.deepEqual([ended.state, ended.test?.score, ended.test?.coverage], ["completed", 0.5, 1])
          })
      )

      it.effect("storing a job answers the record that a read gives", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const job = makeJob({
            ...{ id: jobId(1001), tenant: "answered", owner: "user:ann", benchmarks: 3, trackerExperimentId: "17" },
            request: { tags: ["a"], custom: { text: "\u0000 é \u2028", any: [1, null] } }
          })
          const stored = yield* store.insert(job, launchTasks(job))
          assert.deepEqual(stored, yield* store.render("answered", job.id))
          const page = yield* store.page("answered", query({ tags: [["a"]] }))
          assert.deepEqual([page.total, page.items], [1, [stored.json]])
        })
      )

      it.effect(
        "events that come at once are each decided on what the one before left, between cancellations and refusals",
        () =>
          Effect.gen(function* () {
            const store = yield* JobStore
            const jobs = yield* Effect.forEach([1010, 1011, 1012], (number) =>
              create(number, "at-once", { benchmarks: 4 })
            )
            const [first, second, third] = jobs.map(({ id }) => id)
            const all = [0, 1, 2, 3]
            const posted = [
              ...all.flatMap((index) => jobs.map(({ id }) => report(id, runningEvent(index), "at-once"))),
              report(first ?? "", runningEvent(9), "at-once"),
              report(jobId(1999), runningEvent(0)),
              report(first ?? "", completedEvent(1), "somebody-else"),
              // named by its benchmark: found on its own between the others
              report(third ?? "", {
                benchmarkId: "bench-3",
                status: "running",
                phase: "loading_data",
                digest: "named"
              }),
              ...all.flatMap((index) =>
                [completedEvent(index), completedEvent(index)].map((event) => report(first ?? "", event))
              ),
              cancel("at-once", second ?? ""),
              ...all.map((index) => report(second ?? "", completedEvent(index)))
            ]
            const tried = (post: Effect.Effect<unknown, unknown, JobStore>) =>
              Effect.match(post, { onFailure: tagOf, onSuccess: () => "taken" })
            const answers = yield* Effect.forEach(posted, tried, { concurrency: "unbounded" })
            assert.deepEqual(answers.slice(12, 15), ["UnknownBenchmark", "NotFound", "NotFound"])
            const [done, cancelled, going] = yield* Effect.forEach(jobs, ({ id }) => store.load("at-once", id))
            assert.deepEqual([done?.state, cancelled?.state, going?.state], ["completed", "cancelled", "running"])
            assert.deepEqual(done?.counts, { pending: 0, running: 0, completed: 4, failed: 0, cancelled: 0 })
            assert.deepEqual(cancelled?.counts, { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 4 })
            assert.deepEqual(going?.counts, { pending: 0, running: 4, completed: 0, failed: 0, cancelled: 0 })
            assert.strictEqual(done?.test?.score, 0.75)
            // every applied change raised the version by one: created, four running, four completed
            assert.match((yield* store.render("at-once", first ?? "")).etag, /^"9/)
            const totals = yield* Effect.forEach(["running", "completed", "cancelled"] as const, (state) =>
              Effect.map(
                store.page("at-once", query({ states: { values: [state], negated: false } })),
                ({ total }) => total
              )
            )
            assert.deepEqual(totals, [1, 1, 1])
          })
      )

      it.effect(
        "the record has every benchmark from the start, in the order of the contract, without empty members",
        () =>
          Effect.gen(function* () {
            const job = yield* create(2, "record", {
              request: {
                description: "",
                tags: [],
                custom: {},
                model: { url: "http://m/v1", name: "m", parameters: {}, auth: { secretRef: "s" } },
                experiment: { name: "e", tags: [{ key: "k", value: "v" }] },
                exports: { oci: { coordinates: { host: "h", repository: "r" }, connection: "c" } },
                queue: { kind: "kueue", name: "q" },
                hardware: { cpu: { request: "1" }, memory: {}, gpu: { name: "nvidia.com/gpu", count: 1 } }
              }
            })
            const { json, etag } = yield* (yield* JobStore).render("record", job.id)
            const record = yield* renderedJob("record", job.id)
            assert.strictEqual(etag, '"1"')
            assert.deepEqual(Object.keys(record), [
              "resource",
              "name",
              "tags",
              "model",
              "benchmarks",
              "experiment",
              "exports",
              "queue",
              "hardware_config",
              "status",
              "results"
            ])
            assert.deepEqual(Object.keys(record.resource), ["id", "tenant", "created_at", "updated_at"])
            assert.deepEqual(record["model"], { url: "http://m/v1", name: "m", auth: { secret_ref: "s" } })
            assert.deepEqual(record["exports"], {
              oci: { coordinates: { oci_host: "h", oci_repository: "r" }, k8s: { connection: "c" } }
            })
            assert.deepEqual(record["hardware_config"], {
              cpu: { request: "1" },
              gpu: { name: "nvidia.com/gpu", count: 1 }
            })
            assert.deepEqual(record.status, {
              state: "pending",
              message: { message: "created", message_code: "evaluation_job_created", message_origin: "server" },
              benchmarks: [
                { provider_id: "demo", id: "bench-0", benchmark_index: 0, status: "pending" },
                { provider_id: "demo", id: "bench-1", benchmark_index: 1, status: "pending" }
              ]
            })
            assert.deepEqual(record.results, { benchmarks: [] })
            assert.strictEqual(json, JSON.stringify(record))
          })
      )

      it.effect("parameters that look like credentials are stored and not shown", () =>
        Effect.gen(function* () {
          const parameters = { api_key: "sk-canary", nested: [{ hf_token: "hf-canary", limit: 3 }], tokenizer: "shown" }
          const job = yield* create(3, "redacted", {
            benchmarks: 1,
            entry: () => ({ parameters }),
            request: { model: { url: "http://m", name: "m", parameters } }
          })
          const { json } = yield* (yield* JobStore).render("redacted", job.id)
          assert.notInclude(json, "canary")
          assert.include(json, '"tokenizer":"shown"')
          const { benchmark } = yield* (yield* JobStore).loadBenchmark(job.id, 0)
          assert.deepEqual(benchmark.entry.parameters, parameters)
        })
      )

      it.effect("events change their benchmark, the head, the record and its tag", () =>
        Effect.gen(function* () {
          const job = yield* create(4, "events")
          const started = yield* report(job.id, runningEvent(0))
          assert.isTrue(started.applied)
          assert.strictEqual(started.head.state, "running")
          assert.deepEqual(started.head.counts, { pending: 1, running: 1, completed: 0, failed: 0, cancelled: 0 })
          yield* report(job.id, completedEvent(0), "events")
          const last = yield* report(job.id, failedEvent(1), "events")
          assert.strictEqual(last.head.state, "partially_failed")
          assert.isDefined(last.head.test)
          const record = yield* renderedJob("events", job.id)
          assert.strictEqual(record.status.state, "partially_failed")
          assert.deepInclude(record.status.benchmarks[1], {
            status: "failed",
            error_message: { message: "it broke", message_code: "benchmark_failed", message_origin: "adapter" }
          })
          assert.deepEqual(record.results.benchmarks, [
            {
              id: "bench-0",
              provider_id: "demo",
              benchmark_index: 0,
              metrics: { accuracy: 0.75 },
              test: {
                primary_score: 0.75,
                primary_score_metric: "accuracy",
                lower_is_better: false,
                threshold: 0.5,
                pass: true,
                decided: "inconclusive"
              }
            }
          ])
          assert.strictEqual(record.results.test?.score, 0.75)
          assert.strictEqual((yield* (yield* JobStore).render("events", job.id)).etag, '"4"')
          const loaded = yield* (yield* JobStore).load("events", job.id)
          assert.strictEqual(loaded.test?.score, 0.75)
          assert.strictEqual(loaded.benchmarks[0]?.result?.metrics["accuracy"], 0.75)
        })
      )

      it.effect("metrics are kept and shown as a person reads them, whatever order the adapter sends", () =>
        Effect.gen(function* () {
          const job = yield* create(44, "reads")
          const metrics = { f1_stderr: 0.01, "t/accuracy_stderr": 0.02, f1: 0.5, "t/accuracy": 0.75 }
          const metricsSchema = [{ name: "f1" }, { name: "t/accuracy" }]
          yield* report(job.id, { ...completedEvent(0), metrics, metricsSchema })
          const wanted = ["t/accuracy", "t/accuracy_stderr", "f1", "f1_stderr"]
          const shown = (yield* renderedJob("reads", job.id)).results.benchmarks[0] ?? {}
          assert.deepEqual(Object.keys(shown["metrics"] ?? {}), wanted)
          assert.deepEqual(shown["metrics_schema"], [{ name: "t/accuracy" }, { name: "f1" }])
          const loaded = yield* (yield* JobStore).load("reads", job.id)
          assert.deepEqual(Object.keys(loaded.benchmarks[0]?.result?.metrics ?? {}), wanted)
        })
      )

      it.effect(
        "what the items show is kept and shown: counts, interval, bounds and verdicts of benchmark and job",
        () =>
          Effect.gen(function* () {
            const job = yield* create(45, "decided")
            const metricsSchema = [{ name: "accuracy", n: 1000, successes: 750 }]
            yield* report(job.id, { ...completedEvent(0), metricsSchema })
            yield* report(job.id, {
              ...completedEvent(1),
              metricsSchema: [{ name: "accuracy", n: 1000, stderr: 0.01, clusters: 400 }]
            })
            const { results } = yield* renderedJob("decided", job.id)
            const shown = results.benchmarks.map((result) => ({ ...(result["test"] as BenchmarkTest) }))
            assert.deepEqual(results.benchmarks[0]?.["metrics_schema"], metricsSchema)
            assert.deepInclude(shown[0]?.interval, {
              level: 0.95,
              sides: 2,
              method: "clopper_pearson",
              n: 1000,
              source: "counts"
            })
            assert.deepInclude(shown[1]?.interval, { method: "t", source: "counts" })
            for (const test of shown) {
              assert.deepInclude(test, { pass: true, decided: "pass" })
              assert.isTrue((test.bounds?.low ?? 0) > 0.7 && (test.bounds?.high ?? 1) < 0.8)
            }
            const loaded = yield* (yield* JobStore).load("decided", job.id)
            assert.deepEqual(loaded.benchmarks[0]?.result?.test?.bounds, shown[0]?.bounds)
            assert.deepEqual(results.test as unknown, loaded.test)
            assert.strictEqual(loaded.test?.decided, "pass")
            assert.isDefined(loaded.test?.bounds)
          })
      )

      it.effect(
        "a launch alone changes nothing that a client sees: record and tag stay until a benchmark's state changes",
        () =>
          Effect.gen(function* () {
            const store = yield* JobStore
            const job = yield* create(70, "launched")
            const before = yield* store.render("launched", job.id)
            yield* applyTo({ jobId: job.id, index: 0 }, (_head, benchmark) => ({
              _tag: "Noted",
              benchmark: { ...benchmark, backing: { name: "unit" } }
            }))
            const spawned = yield* applyTo({ jobId: job.id, index: 0 }, (head, benchmark, now) =>
              decideStarted(head, benchmark, { attempt: 1, at: now }, now)
            )
            assert.isTrue(spawned.applied)
            assert.deepEqual(yield* store.render("launched", job.id), before)
            const { benchmark } = yield* store.loadBenchmark(job.id, 0)
            assert.isDefined(benchmark.spawnedAt)
            assert.deepEqual([benchmark.backing, benchmark.spawnedAt], [{ name: "unit" }, spawned.benchmark.spawnedAt])
            assert.strictEqual(
              (yield* renderedJob("launched", job.id)).status.message["message_code"],
              "evaluation_job_created"
            )
            yield* report(job.id, runningEvent(0))
            assert.strictEqual(
              (yield* renderedJob("launched", job.id)).status.message["message_code"],
              "evaluation_job_updated"
            )
            assert.strictEqual((yield* store.loadBenchmark(job.id, 0)).benchmark.spawnedAt, spawned.benchmark.spawnedAt)
            assert.strictEqual((yield* store.render("launched", job.id)).etag, '"2"')
          })
      )

      it.effect("a refused event changes nothing, a replay is not applied", () =>
        Effect.gen(function* () {
          const job = yield* create(5, "refused")
          yield* report(job.id, completedEvent(0))
          const before = yield* (yield* JobStore).render("refused", job.id)
          const replay = yield* report(job.id, completedEvent(0))
          assert.isFalse(replay.applied)
          assert.strictEqual(tagOf(yield* failureOf(report(job.id, runningEvent(0)))), "BenchmarkTerminal")
          assert.deepEqual(yield* (yield* JobStore).render("refused", job.id), before)
        })
      )

      it.effect("benchmarks are selected by index or by a unique name", () =>
        Effect.gen(function* () {
          const job = yield* create(6, "select", {
            benchmarks: 3,
            entry: (index) => (index === 2 ? { id: "bench-0", providerId: "other" } : {})
          })
          const { index: _index, ...byName } = completedEvent(1)
          assert.strictEqual((yield* report(job.id, byName)).benchmark.index, 1)
          const twice = { benchmarkId: "bench-0", status: "running", digest: "x" } as const
          assert.strictEqual(tagOf(yield* failureOf(report(job.id, twice))), "AmbiguousBenchmark")
          const { indexOf } = yield* JobStore
          assert.strictEqual(yield* indexOf(job.id, { benchmarkId: "bench-1" }), 1)
          assert.strictEqual(yield* indexOf(job.id, { benchmarkId: "bench-0", providerId: "other" }), 2)
          assert.strictEqual(yield* indexOf(job.id, { index: 2 }), 2)
          const noOne = [{ benchmarkId: "bench-0" }, { benchmarkId: "bench-1", providerId: "other" }, { index: 3 }]
          for (const select of noOne) assert.isUndefined(yield* indexOf(job.id, select))
          assert.isUndefined(yield* indexOf(jobId(9_999), { index: 0 }))
          assert.strictEqual((yield* report(job.id, { ...twice, providerId: "other" })).benchmark.index, 2)
          assert.strictEqual(
            tagOf(yield* failureOf(report(job.id, { ...twice, benchmarkId: "nope" }))),
            "UnknownBenchmark"
          )
          assert.strictEqual(tagOf(yield* failureOf(report(job.id, runningEvent(9)))), "UnknownBenchmark")
        })
      )

      it.effect("a foreign job is an absent one", () =>
        Effect.gen(function* () {
          const job = yield* create(7, "mine")
          const store = yield* JobStore
          for (const attempt of [
            store.load("other", job.id),
            store.render("other", job.id),
            cancel("other", job.id),
            remove("other", job.id),
            report(job.id, runningEvent(0), "other")
          ]) {
            assert.strictEqual(tagOf(yield* failureOf<unknown, unknown, JobStore>(attempt)), "NotFound")
          }
          assert.strictEqual((yield* store.page("other", query())).total, 0)
        })
      )

      it.effect(
        "cancelling ends what has not ended and stores a clean-up task; again is fine and changes nothing",
        () =>
          Effect.gen(function* () {
            const job = yield* create(8, "cancelled", { benchmarks: 3 })
            yield* report(job.id, completedEvent(1))
            const head = yield* cancel("cancelled", job.id)
            assert.strictEqual(head.state, "cancelled")
            const record = yield* renderedJob("cancelled", job.id)
            assert.deepEqual(
              record.status.benchmarks.map((benchmark) => benchmark["status"]),
              ["cancelled", "completed", "cancelled"]
            )
            const { etag } = yield* (yield* JobStore).render("cancelled", job.id)
            yield* cancel("cancelled", job.id)
            assert.strictEqual((yield* (yield* JobStore).render("cancelled", job.id)).etag, etag)
            assert.strictEqual(tagOf(yield* failureOf(report(job.id, completedEvent(0)))), "JobTerminal")
            const queue = yield* TaskQueue
            const [task] = (yield* queue.claim("cleanup", "t", 100, 1000)).filter((one) => one.jobId === job.id)
            assert.deepInclude(task, { key: job.id, tenant: "cancelled", kind: "cleanup" })
          })
      )

      it.effect("a removed job is gone for everybody and nothing brings it back", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const job = yield* create(9, "removed", { request: { tags: ["gone"] } })
          yield* remove("removed", job.id)
          assert.strictEqual(tagOf(yield* failureOf(store.load("removed", job.id))), "NotFound")
          assert.strictEqual(tagOf(yield* failureOf(store.loadBenchmark(job.id, 0))), "NotFound")
          assert.strictEqual(tagOf(yield* failureOf(report(job.id, completedEvent(0)))), "NotFound")
          assert.strictEqual(tagOf(yield* failureOf(remove("removed", job.id))), "NotFound")
          assert.deepEqual(yield* store.page("removed", query()), { items: [], total: 0, errors: [], taken: 0 })
          assert.strictEqual((yield* store.page("removed", query({ tags: [["gone"]] }))).total, 0)
          yield* store.forget(job.id)
          yield* store.forget(job.id)
        })
      )

      it.effect("one benchmark is read with its own entry only", () =>
        Effect.gen(function* () {
          const job = yield* create(10, "single", { benchmarks: 4, request: { description: "shown" } })
          const found = yield* (yield* JobStore).loadBenchmark(job.id, 2)
          assert.deepEqual(found.benchmark, job.benchmarks[2])
          assert.strictEqual(found.job.description, "shown")
          assert.deepEqual(
            found.job.benchmarks.map((entry) => entry.id),
            ["bench-2"]
          )
          assert.strictEqual(tagOf(yield* failureOf((yield* JobStore).loadBenchmark(job.id, 4))), "NotFound")
        })
      )

      it.effect("live benchmarks come in order and page by page", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const first = yield* create(11, "live", { benchmarks: 3 })
          const second = yield* create(12, "live", { benchmarks: 2 })
          yield* report(first.id, completedEvent(1))
          const found: Array<string> = []
          let after: { jobId: string; index: number } | undefined
          for (;;) {
            const page = yield* store.live(after, 2)
            const last = page.at(-1)
            if (last === undefined) break
            found.push(
              ...page
                .filter((one) => one.tenant === "live")
                .map((one) => `${one.jobId}/${one.benchmark.index}/${one.jobState}`)
            )
            after = { jobId: last.jobId, index: last.benchmark.index }
          }
          assert.deepEqual(found, [
            `${first.id}/0/running`,
            `${first.id}/2/running`,
            `${second.id}/0/pending`,
            `${second.id}/1/pending`
          ])
        })
      )

      it.effect("pages: newest first, exact totals, offsets, and cursors that survive new jobs", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const at = (minute: number) => `2026-02-01T00:${String(minute).padStart(2, "0")}:00.000Z`
          for (let number = 0; number < 7; number++)
            yield* create(100 + number, "pages", { createdAt: at(Math.floor(number / 2)) })
          const all = [106, 105, 104, 103, 102, 101, 100].map(jobId)
          assert.deepEqual(idsOf((yield* store.page("pages", query())).items), all)
          const first = yield* store.page("pages", query({ limit: 3 }))
          assert.deepEqual([idsOf(first.items), first.total], [all.slice(0, 3), 7])
          assert.deepEqual(idsOf((yield* store.page("pages", query({ limit: 3, offset: 5 }))).items), all.slice(5))
          const decoded = decodeNext(first.next)
          yield* create(107, "pages", { createdAt: at(9) })
          const second = yield* store.page("pages", query({ limit: 3, after: decoded }))
          assert.deepEqual([idsOf(second.items), second.total], [all.slice(3, 6), 8])
          const third = yield* store.page("pages", query({ limit: 3, after: decodeNext(second.next) }))
          assert.deepEqual(idsOf(third.items), all.slice(6))
          assert.isUndefined(third.next)
        })
      )

      it.effect(
        "a page is bounded in bytes and goes on without loss; members that need little are read alone (40 large jobs made a page of 360 MB)",
        () =>
          Effect.gen(function* () {
            const store = yield* JobStore
            const custom = { large: "x".repeat(3 * 1024 * 1024) }
            const at = (number: number) => `2026-05-01T00:00:00.00${number}Z`
            for (let number = 0; number < 5; number++) {
              const large = number !== 1
              yield* create(400 + number, "large", {
                benchmarks: 1,
                createdAt: at(number),
                request: { name: `job ${number}`, ...(large ? { custom } : {}) }
              })
            }
            const all = [404, 403, 402, 401, 400].map(jobId)
            const first = yield* store.page("large", query())
            assert.deepEqual([idsOf(first.items), first.total, first.taken], [all.slice(0, 2), 5, 2])
            const pages: Array<ReadonlyArray<string>> = [idsOf(first.items)]
            for (let next = first.next; next !== undefined; ) {
              const page = yield* store.page("large", query({ after: decodeNext(next) }))
              pages.push(idsOf(page.items))
              next = page.next
            }
            assert.deepEqual(
              pages.map((page) => page.length),
              [2, 3]
            )
            assert.deepEqual(pages.flat(), all)
            assert.deepEqual(idsOf((yield* store.page("large", query({ offset: 2 }))).items), all.slice(2))
            // what was rendered before counts as much
            assert.strictEqual((yield* store.page("large", query())).taken, 2)
            const little = yield* store.page("large", query(), new Set(["name", "status"]))
            assert.deepEqual(
              little.items.map((item) => Object.keys(JSON.parse(item) as object)),
              all.map(() => ["resource", "name", "status"])
            )
            assert.deepEqual([idsOf(little.items), little.next], [all, undefined])
            // the request has to be read for them, whatever little of it is shown
            assert.strictEqual((yield* store.page("large", query(), new Set(["tags"]))).taken, 2)
          })
      )

      it.effect("the members asked for are those of the whole record, in its order", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const job = yield* create(410, "members", {
            owner: "user:ann",
            request: { tags: ["a"], custom: { any: [1, null] }, description: "d" }
          })
          yield* report(job.id, completedEvent(0))
          const [whole = ""] = (yield* store.page("members", query())).items
          const record = JSON.parse(whole) as { readonly [member: string]: unknown }
          const cases = [
            ["name"],
            ["status"],
            ["results"],
            ["resource"],
            ["custom", "name"],
            ["model", "results", "tags", "none"],
            ["none"],
            Object.keys(record)
          ]
          for (const names of cases) {
            const [text = ""] = (yield* store.page("members", query(), new Set(names))).items
            const shown = Object.entries({
              resource: { id: job.id },
              ...Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
            })
            assert.strictEqual(text, JSON.stringify(Object.fromEntries(shown)), names.join(","))
          }
        })
      )

      it.effect("filters", () =>
        Effect.gen(function* () {
          const store = yield* JobStore
          const make = (
            number: number,
            request: Parameters<typeof makeJob>[0]["request"],
            more: Partial<Parameters<typeof makeJob>[0]> = {}
          ) =>
            create(number, "filters", {
              ...more,
              createdAt: `2026-03-01T00:00:0${number - 200}.000Z`,
              request: { ...request }
            })
          yield* make(200, { name: "Alpha 100%", tags: ["x", "y"] }, { owner: "ann" })
          yield* make(201, { name: "beta_1", tags: ["y"], model: { url: "http://m", name: "big" } })
          yield* make(202, { name: "ÄRGER", tags: ["x"], collection: { id: "smoke" } })
          yield* make(
            203,
            { name: "gamma", rerunOf: { job: jobId(200), which: "all", reuse: false } },
            { entry: () => ({ providerId: "other" }), trackerExperimentId: "e1" }
          )
          yield* report(jobId(201), runningEvent(0))
          yield* cancel("filters", jobId(202))
          const cases: ReadonlyArray<readonly [Partial<JobQuery>, ReadonlyArray<number>]> = [
            [{ states: { values: ["running"], negated: false } }, [201]],
            [{ states: { values: ["running", "cancelled"], negated: false } }, [202, 201]],
            [{ states: { values: ["running", "cancelled"], negated: true } }, [203, 200]],
            [{ states: { values: ["failed"], negated: false } }, []],
            [{ name: "alpha" }, [200]],
            [{ name: "%" }, [200]],
            [{ name: "_" }, [201]],
            [{ name: "ärg" }, [202]],
            [{ name: "A" }, [203, 201, 200]],
            [{ name: "a", states: { values: ["pending"], negated: false } }, [203, 200]],
            [{ tags: [["y"]] }, [201, 200]],
            [{ tags: [["x"], ["y"]] }, [200]],
            [{ tags: [["x", "y"]] }, [202, 201, 200]],
            [{ tags: [["x", "z"], ["y"]] }, [200]],
            [{ tags: [["x"]], states: { values: ["cancelled"], negated: false } }, [202]],
            [{ tags: [["x"]], name: "alp" }, [200]],
            [{ tags: [["none"]] }, []],
            [{ model: "big" }, [201]],
            [{ providerId: "other" }, [203]],
            [{ providerId: "demo" }, [202, 201, 200]],
            [{ collectionId: "smoke" }, [202]],
            [{ experimentId: "e1" }, [203]],
            [{ owner: "ann" }, [200]],
            [{ rerunOf: jobId(200) }, [203]],
            [{ createdAfter: "2026-03-01T00:00:01.000Z" }, [203, 202, 201]],
            [{ createdBefore: "2026-03-01T00:00:01.000Z" }, [200]],
            [{ createdAfter: "2026-03-01T00:00:00.001Z", tags: [["y"]] }, [201]]
          ]
          for (const [members, numbers] of cases) {
            const page = yield* store.page("filters", query(members))
            assert.deepEqual(
              [idsOf(page.items), page.total],
              [numbers.map(jobId), numbers.length],
              JSON.stringify(members)
            )
            const [newest] = numbers
            if (newest === undefined || numbers.length < 2) continue
            const one = yield* store.page("filters", query({ ...members, limit: 1 }))
            assert.deepEqual([idsOf(one.items), one.total], [[jobId(newest)], numbers.length], JSON.stringify(members))
            const rest = yield* store.page("filters", query({ ...members, after: decodeNext(one.next) }))
            assert.deepEqual(idsOf(rest.items), numbers.slice(1).map(jobId), JSON.stringify(members))
          }
        })
      )

      it.effect("a job of a thousand benchmarks", () =>
        Effect.gen(function* () {
          const job = yield* create(300, "large", { benchmarks: 1000 })
          yield* report(job.id, completedEvent(999))
          const record = yield* renderedJob("large", job.id)
          assert.strictEqual(record.status.benchmarks.length, 1000)
          assert.deepEqual(
            record.status.benchmarks.map((benchmark) => benchmark["benchmark_index"]),
            job.benchmarks.map((benchmark) => benchmark.index)
          )
          assert.strictEqual(record.results.benchmarks.length, 1)
          assert.strictEqual((yield* cancel("large", job.id)).counts.cancelled, 999)
        })
      )

      it.effect("forty events at once lose none", () =>
        Effect.gen(function* () {
          const job = yield* create(301, "crowd", { benchmarks: 40 })
          yield* Effect.forEach(job.benchmarks, ({ index }) => report(job.id, completedEvent(index)), {
            concurrency: "unbounded",
            discard: true
          })
          const head = yield* (yield* JobStore).load("crowd", job.id)
          assert.deepEqual(head.counts, { pending: 0, running: 0, completed: 40, failed: 0, cancelled: 0 })
          assert.strictEqual(head.state, "completed")
          assert.strictEqual(head.test?.coverage, 1)
        })
      )

      it.effect("two final events at once: one is applied", () =>
        Effect.gen(function* () {
          const job = yield* create(302, "race", { benchmarks: 1 })
          const outcomes = yield* Effect.all(
            [Effect.either(report(job.id, completedEvent(0))), Effect.either(report(job.id, failedEvent(0)))],
            {
              concurrency: "unbounded"
            }
          )
          assert.strictEqual(outcomes.filter(Either.isRight).length, 1)
          const refused = outcomes.find(Either.isLeft)
          assert.strictEqual(tagOf(refused?.left), "JobTerminal")
        })
      )

      it.effect("cancel racing the last event: one of them wins and the job stays what the winner made it", () =>
        Effect.gen(function* () {
          for (let number = 310; number < 320; number++) {
            const job = yield* create(number, "cancel-race", { benchmarks: 1 })
            const [event, cancelled] = yield* Effect.all(
              [Effect.either(report(job.id, completedEvent(0))), Effect.either(cancel("cancel-race", job.id))],
              {
                concurrency: "unbounded"
              }
            )
            const { state } = yield* (yield* JobStore).load("cancel-race", job.id)
            assert.strictEqual(Either.isRight(event) ? "completed" : "cancelled", state)
            assert.strictEqual(Either.isRight(cancelled), state === "cancelled")
          }
        })
      )

      it.effect("the same final event a hundred times is applied once", () =>
        Effect.gen(function* () {
          const job = yield* create(303, "replay")
          const all = yield* Effect.all(
            Array.from({ length: 100 }, () => report(job.id, completedEvent(0))),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(all.filter((outcome) => outcome.applied).length, 1)
          assert.strictEqual((yield* (yield* JobStore).render("replay", job.id)).etag, '"2"')
        })
      )

      it.effect("tasks of a job are stored with it", () =>
        Effect.gen(function* () {
          const job = yield* create(304, "tasks", { benchmarks: 2 })
          const queue = yield* TaskQueue
          const claimed = (yield* queue.claim("launch", "t", 5000, 1000)).filter((task) => task.jobId === job.id)
          assert.deepEqual(
            claimed.map((task) => [task.key, task.index, task.tenant]),
            [
              [`${job.id}/0/1`, 0, "tasks"],
              [`${job.id}/1/1`, 1, "tasks"]
            ]
          )
          assert.strictEqual(cleanupTask(job).kind, "cleanup")
        })
      )

      it.effect("answers a ping", () => Effect.flatMap(JobStore, (store) => store.ping))
    })
  })
