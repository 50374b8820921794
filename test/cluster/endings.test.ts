/** T3: how benchmarks end that do not just succeed, with pods that run. Reference: cluster-objects.md, "Observing"; cases 57 and 58. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { describe } from "vitest"
import { jobs, pods } from "../../infrastructure/kubernetes/client/resources.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noPods } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { finished, type InstalledTenant, install, jobOf } from "./support/installation.ts"
import { WorkerNode, layer as worker } from "./support/worker-node.ts"

const live = { excludeTestServices: true, timeout: "180 seconds" } as const
const lane = "launch" as const
const model = { url: "http://model.models.svc/v1", name: "none" }

/** graces scaled down, so that every ending is seen in seconds */
const quick = {
  k8s: { linger_seconds: 2, termination_grace_seconds: 12 },
  grace: {
    secret_seconds: 2,
    image_pull_seconds: 3,
    start_seconds: 1,
    exit_seconds: 2,
    container_config_seconds: 2,
    sidecar_seconds: 2,
    lost_seconds: 1
  }
}

/** event files of a sidecar that have not been delivered; its folder is its user's alone, which root does not mind */
const spooled = (data: string): ReadonlyArray<string> => {
  const folder = join(data, ".evald/spool")
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{12}\.json$/.test(name)) : []
}

describe.skipIf(noPods)("T3: endings", () => {
  layer(Layer.provideMerge(worker, cluster), live)("of benchmarks in pods that run", (it) => {
    const step = (script: string, more: object = {}) => ({
      id: "step",
      provider_id: "scripted",
      parameters: { script, ...more }
    })
    const failureOf = (tenant: InstalledTenant, benchmark: object) =>
      Effect.gen(function* () {
        const id = yield* tenant.submit({ name: "ends", model, benchmarks: [benchmark] })
        const { status } = yield* finished(tenant, id)
        return {
          id,
          code: status.benchmarks[0]?.error_message?.message_code,
          message: status.benchmarks[0]?.error_message?.message ?? "",
          state: status.state
        }
      })
    const podsIn = (namespace: string) =>
      Effect.flatMap(Cluster, ({ admin }) =>
        Effect.map(admin.list({ resource: pods, namespace, lane }), ({ items }) => items)
      )
    const runningOf = (tenant: InstalledTenant, container: string) =>
      Effect.flatMap(WorkerNode, ({ podsOf }) =>
        eventually(
          `${container} runs`,
          Effect.sync(() => podsOf(tenant.name).flatMap((pod) => pod.process(container) ?? [])[0]),
          (found) => found !== undefined
        )
      )

    it.scoped("case 57: an adapter that ends without a word, with a code, by a fault, of memory, or never starts", () =>
      Effect.gen(function* () {
        const evald = yield* install(quick)
        const tenant = yield* evald.addTenant
        const endings = yield* Effect.all(
          {
            silent: failureOf(tenant, step("silent")),
            code: failureOf(tenant, step("exit", { code: 1 })),
            fault: failureOf(tenant, step("crash")),
            memory: failureOf(tenant, step("grow")),
            program: failureOf(tenant, { ...step("silent"), provider_id: "no-program" }),
            image: failureOf(tenant, { ...step("silent"), provider_id: "no-image" })
          },
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          Object.entries(endings).map(([name, { state, code }]) => `${name}: ${state} ${code}`),
          [
            "silent: failed adapter_exited_without_result",
            "code: failed adapter_exited_without_result",
            "fault: failed adapter_exited_without_result",
            "memory: failed out_of_memory",
            "program: failed adapter_failed_to_start",
            "image: failed image_pull_failed"
          ]
        )
        assert.include(endings.code.message, "code 1")
        assert.include(endings.code.message, "before the end")
        assert.include(endings.fault.message, "139 (SIGSEGV)")
        assert.include(endings.memory.message, "200Mi")
        assert.include(endings.program.message, "/opt/adapter/nowhere")
        assert.include(endings.image.message, "registry.example/nowhere:1")
        // logs of a pod that is there, and after it is gone
        const route = `jobs/${endings.code.id}/benchmarks/0/logs`
        const lines = (text: string) => text.split("\n").filter((line) => line.includes("before the end"))
        const alive = yield* tenant.call("GET", route)
        assert.deepStrictEqual(
          [alive.status, alive.headers["x-log-source"], lines(alive.text).length],
          [200, "live", 1]
        )
        const { admin } = yield* Cluster
        const job = (yield* podsIn(tenant.name)).find(({ metadata }) => metadata.name.includes(endings.code.id))
          ?.metadata.labels?.["batch.kubernetes.io/job-name"]
        yield* admin.remove(
          { resource: jobs, namespace: tenant.name, name: job ?? "", lane },
          { propagation: "Foreground" }
        )
        yield* eventually(
          "the pod is gone",
          podsIn(tenant.name),
          (items) => !items.some(({ metadata }) => metadata.name.includes(endings.code.id))
        )
        const kept = yield* tenant.call("GET", route)
        assert.deepStrictEqual(
          [kept.status, kept.headers["x-log-source"], lines(kept.text).length],
          [200, "captured", 1]
        )
      })
    )

    it.scoped(
      "case 57: an adapter that stays after its result, also deaf to SIGTERM: completed, and its pod is gone within the grace",
      () =>
        Effect.gen(function* () {
          const evald = yield* install({ ...quick, k8s: { ...quick.k8s, termination_grace_seconds: 4 } })
          const tenant = yield* evald.addTenant
          const id = yield* tenant.submit({ name: "stays", model, benchmarks: [step("linger"), step("deaf")] })
          assert.strictEqual((yield* finished(tenant, id)).status.state, "completed")
          const before = yield* Clock.currentTimeMillis
          yield* eventually("no pods", podsIn(tenant.name), (items) => items.length === 0)
          // linger 2 s, grace 4 s, and what a busy machine needs
          assert.isBelow((yield* Clock.currentTimeMillis) - before, 30_000)
          assert.strictEqual((yield* jobOf(tenant, id)).status.state, "completed")
        })
    )

    it.scoped("case 57: 48 MiB of log (1 GB scaled down): the server's memory stays, the newest lines are there", () =>
      Effect.gen(function* () {
        const evald = yield* install(quick)
        const tenant = yield* evald.addTenant
        const memory = () =>
          Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${evald.pid()}/status`, "utf8"))?.[1]) * 1024
        const before = memory()
        const id = yield* tenant.submit({ name: "flood", model, benchmarks: [step("flood", { mebibytes: 48 })] })
        assert.strictEqual((yield* finished(tenant, id)).status.state, "completed")
        const logs = yield* eventually(
          "its last line",
          tenant.call("GET", `jobs/${id}/benchmarks/0/logs`),
          ({ text }) => text.includes("event completed: 200")
        )
        assert.strictEqual(logs.status, 200)
        assert.isBelow(Buffer.byteLength(logs.text), 16 * 1024 * 1024)
        assert.isBelow(memory() - before, 100 * 1024 * 1024)
      })
    )

    it.scoped("a secret that does not exist: said, and no Job", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const evald = yield* install(quick)
        const tenant = yield* evald.addTenant
        const id = yield* tenant.submit({
          name: "secret",
          model: { ...model, auth: { secret_ref: "nowhere" } },
          benchmarks: [step("silent")]
        })
        const { status } = yield* finished(tenant, id)
        assert.strictEqual(status.benchmarks[0]?.error_message?.message_code, "secret_not_found")
        assert.include(status.benchmarks[0]?.error_message?.message ?? "", "nowhere")
        assert.isEmpty((yield* admin.list({ resource: jobs, namespace: tenant.name, lane })).items)
      })
    )

    it.scoped("cancel ends the adapter politely and keeps its log; a hard delete leaves nothing", () =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const evald = yield* install(quick)
        const tenant = yield* evald.addTenant
        const submit = tenant.submit({ name: "long", model, benchmarks: [step("wait")] })
        const running = (id: string) =>
          eventually("it runs", jobOf(tenant, id), ({ status }) => status.state === "running")
        const nothing = eventually(
          "nothing is left",
          Effect.zipWith(
            podsIn(tenant.name),
            admin.list({ resource: jobs, namespace: tenant.name, lane }),
            (left, right) => [...left, ...right.items]
          ),
          (items) => items.length === 0
        )
        const id = yield* submit
        yield* running(id)
        assert.strictEqual((yield* tenant.call("DELETE", `jobs/${id}`)).status, 204)
        assert.strictEqual((yield* jobOf(tenant, id)).status.state, "cancelled")
        yield* nothing
        const kept = yield* tenant.call("GET", `jobs/${id}/benchmarks/0/logs`)
        assert.deepStrictEqual([kept.status, kept.headers["x-log-source"]], [200, "captured"])
        assert.include(kept.text, "adapter of")
        const other = yield* submit
        yield* running(other)
        assert.strictEqual((yield* tenant.call("DELETE", `jobs/${other}?hard_delete=true`)).status, 204)
        assert.strictEqual((yield* tenant.call("GET", `jobs/${other}`)).status, 404)
        yield* nothing
        assert.strictEqual((yield* tenant.call("GET", `jobs/${other}/benchmarks/0/logs`)).status, 404)
      })
    )

    it.scoped(
      "case 58: the sidecar killed while the adapter works and the server is away: restarted, its spool survives, completed",
      () =>
        Effect.gen(function* () {
          const evald = yield* install(quick)
          const tenant = yield* evald.addTenant
          const id = yield* tenant.submit({
            name: "spool",
            model,
            benchmarks: [step("steps", { steps: 6, pause_ms: 700 })]
          })
          yield* eventually("it runs", jobOf(tenant, id), ({ status }) => status.state === "running")
          yield* evald.stop
          const sidecar = yield* runningOf(tenant, "sidecar")
          const { podsOf } = yield* WorkerNode
          const spool = podsOf(tenant.name)[0]?.volume("data") ?? ""
          yield* eventually(
            "an event waits",
            Effect.sync(() => spooled(spool)),
            (names) => names.length > 0
          )
          sidecar?.kill()
          yield* eventually(
            "another sidecar",
            Effect.sync(() => podsOf(tenant.name)[0]?.process("sidecar")),
            (found) => found !== undefined && found !== sidecar
          )
          yield* evald.start
          const { status, results } = yield* finished(tenant, id)
          assert.strictEqual(status.state, "completed", JSON.stringify(status))
          assert.strictEqual(results?.benchmarks[0]?.metrics["steps"], 6)
          // the server knows the last event a moment before the sidecar has its answer
          yield* eventually(
            "an empty spool",
            Effect.sync(() => spooled(spool)),
            (names) => names.length === 0
          )
        })
    )

    it.scoped("case 58: a sidecar that never becomes healthy: adapter_failed_to_start, and the adapter never ran", () =>
      Effect.gen(function* () {
        // less memory than it needs to start
        const evald = yield* install({
          ...quick,
          k8s: { ...quick.k8s, sidecar: { memory_limit: "12Mi", memory_request: "8Mi" } }
        })
        const tenant = yield* evald.addTenant
        const ending = yield* failureOf(tenant, step("silent"))
        assert.strictEqual(ending.code, "adapter_failed_to_start", ending.message)
        assert.include(ending.message, "sidecar does not start")
      })
    )

    it.scoped("case 58: plain mode: the adapter waits for the sidecar, completes, and the pod ends by itself", () =>
      Effect.gen(function* () {
        const evald = yield* install({
          ...quick,
          grace: { ...quick.grace, exit_seconds: 10 },
          k8s: { ...quick.k8s, linger_seconds: 60, sidecar_mode: "plain" }
        })
        const tenant = yield* evald.addTenant
        const id = yield* tenant.submit({
          name: "plain",
          model,
          benchmarks: [step("steps", { steps: 1, pause_ms: 10 })]
        })
        const { status } = yield* finished(tenant, id)
        assert.strictEqual(status.state, "completed", JSON.stringify(status))
        const [pod] = yield* eventually(
          "the pod ends",
          podsIn(tenant.name),
          ([one]) => one === undefined || at(one, "status.phase") === "Succeeded"
        )
        assert.strictEqual(at(pod, "status.containerStatuses.0.state.terminated.exitCode"), 0)
        assert.isUndefined(at(pod, "spec.initContainers"))
      })
    )
  })
})
