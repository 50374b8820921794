/** Both ports of an operator over real HTTP, and its figures as Prometheus reads them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeOperatorWatch, type Watched } from "../../../../infrastructure/kubernetes/operator/operator-watch.ts"
import { serveProbes } from "../../../../interfaces/operator/probes.ts"
import { layer as fake } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { operating } from "../../../support/fake-kubernetes/operating.ts"
import { at } from "../../../support/http-app.ts"

const read = (port: number, path: string, method = "GET") =>
  Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return { status: answer.status, type: answer.headers.get("content-type") ?? "", text: await answer.text() }
  })

interface Series {
  readonly type: string
  readonly values: ReadonlyMap<string, number>
}

/** the text exposition format, strictly: every sample is announced by HELP and TYPE, and comes once */
const parsed = (text: string): ReadonlyMap<string, Series> => {
  assert.isTrue(text.endsWith("\n"))
  const found = new Map<string, { type: string; values: Map<string, number> }>()
  const helped = new Set<string>()
  for (const line of text.trimEnd().split("\n")) {
    const help = /^# HELP ([a-z_]+) \S/.exec(line)?.[1]
    const [, typed, type] = /^# TYPE ([a-z_]+) (counter|gauge)$/.exec(line) ?? []
    const [, name, labels = "", value] = /^([a-z_]+)(\{(?:[a-z]+="[^"\\]*",?)+\})? (\S+)$/.exec(line) ?? []
    if (help !== undefined) helped.add(help)
    else if (typed !== undefined && type !== undefined) {
      assert.isTrue(helped.has(typed) && !found.has(typed), line)
      found.set(typed, { type, values: new Map() })
    } else {
      const series = found.get(name ?? "")
      assert.isDefined(series, line)
      assert.isFalse(series?.values.has(labels), line)
      assert.isTrue(Number.isFinite(Number(value)), line)
      series?.values.set(labels, Number(value))
    }
  }
  return found
}

describe("the ports of an operator", () => {
  it.scoped(
    "/healthz says why it is not well, /readyz is 200 also where another leads, and nothing else is answered",
    () =>
      Effect.gen(function* () {
        let [sickness, isLeader]: [string | undefined, boolean] = [undefined, false]
        const ports = yield* serveProbes(
          { health: 0, metrics: 0 },
          {
            sickness: Effect.sync(() => sickness),
            isLeader: () => isLeader,
            figures: Effect.sync(() => `leads ${isLeader}\n`)
          }
        )
        const well = yield* read(ports.health, "/healthz?verbose=1")
        assert.deepStrictEqual([well.status, JSON.parse(well.text)], [200, { ok: true }])
        const standby = yield* read(ports.health, "/readyz")
        assert.deepStrictEqual([standby.status, JSON.parse(standby.text)], [200, { ok: true, leader: false }])
        isLeader = true
        assert.deepStrictEqual(JSON.parse((yield* read(ports.health, "/readyz")).text), { ok: true, leader: true })
        sickness = "2 watches are silent"
        const sick = yield* read(ports.health, "/healthz")
        assert.deepStrictEqual([sick.status, JSON.parse(sick.text)], [503, { ok: false, reason: sickness }])
        const figures = yield* read(ports.metrics, "/metrics")
        assert.deepStrictEqual(figures, {
          status: 200,
          type: "text/plain; version=0.0.4; charset=utf-8",
          text: "leads true\n"
        })
        for (const [port, path, method] of [
          [ports.health, "/metrics", "GET"],
          [ports.metrics, "/healthz", "GET"],
          [ports.health, "/constructor", "GET"],
          [ports.health, "/healthz", "POST"]
        ] as const)
          assert.strictEqual((yield* read(port, path, method)).status, 404, `${method} ${path}`)
      })
  )

  it.scoped("a port that is taken is named", () =>
    Effect.gen(function* () {
      const probes = { sickness: Effect.succeed(undefined), isLeader: () => false, figures: Effect.succeed("") }
      const { health } = yield* serveProbes({ health: 0, metrics: 0 }, probes)
      const refused = yield* Effect.flip(serveProbes({ health: 0, metrics: health }, probes))
      assert.include(refused.message, String(health))
    })
  )

  it.effect(
    "a worker that has been at one key for ten minutes, or a watch that is silent for too long, makes it unwell",
    () =>
      Effect.gen(function* () {
        const watch = makeOperatorWatch()
        yield* TestClock.adjust("1 hour")
        let [at, heard] = [0, 3_600_000]
        const running: Watched = {
          queue: { longestAt: () => at, depth: () => 0, waiting: () => 0, retries: () => 0 },
          sight: { caches: () => [{ heardAt: () => heard, restarts: () => 0 }] },
          options: { resyncSeconds: 600 },
          memories: () => new Map()
        }
        assert.isUndefined(yield* watch.sickness)
        watch.began(running)
        assert.isUndefined(yield* watch.sickness)
        at = 600_001
        assert.include(yield* watch.sickness, "ten minutes")
        at = 0
        heard = 3_600_000 - (600_000 + 330_000 + 600_000) - 1
        assert.strictEqual(yield* watch.sickness, "1 watches are silent")
        watch.ended()
        assert.isUndefined(yield* watch.sickness)
      })
  )

  it.scoped("figures of an operator at work are read by Prometheus, those of one that waits as well", () =>
    Effect.gen(function* () {
      const operator = yield* operating()
      operator.cluster.addNamespace("team-a", { "evald.internal/tenant": "" })
      operator.addInstance()
      const { watch, stop } = yield* operator.start
      const { metrics } = yield* serveProbes(
        { health: 0, metrics: 0 },
        { sickness: watch.sickness, isLeader: () => true, figures: Effect.suspend(() => watch.figures(true)) }
      )
      yield* operator.until("a Deployment", () => operator.cluster.objects("deployments").length === 1)
      operator.rolledOut()
      yield* operator.until("a tenant", () => at(operator.resource(), "status.tenants.ready") === 1)
      const series = parsed((yield* read(metrics, "/metrics")).text)
      const value = (name: string, labels = "") => series.get(`evald_operator_${name}`)?.values.get(labels)
      assert.strictEqual(value("leader"), 1)
      assert.isAtLeast(value("reconcile_total", '{kind="instance"}') ?? 0, 1)
      assert.isAtLeast(value("reconcile_total", '{kind="tenant"}') ?? 0, 1)
      assert.strictEqual(value("writes_total", '{kind="deployments",result="applied"}'), 1)
      assert.deepStrictEqual([value("tenants", '{state="ready"}'), value("tenants", '{state="failed"}')], [1, 0])
      assert.strictEqual(series.get("evald_operator_writes_total")?.type, "counter")
      const ends = value("certificate_expiry_timestamp_seconds", '{namespace="team-services",name="evald"}')
      const told = Date.parse(String(at(operator.resource(), "status.tls.notAfter"))) / 1000
      assert.strictEqual(ends, told)
      assert.isTrue(yield* Effect.map(watch.sickness, (why) => why === undefined))
      yield* stop
      const waiting = parsed(yield* watch.figures(false))
      assert.strictEqual(waiting.get("evald_operator_leader")?.values.get(""), 0)
      assert.isUndefined(waiting.get("evald_operator_queue_depth"))
    }).pipe(Effect.provide(fake))
  )
})
