/**
 * T2: an operator on a real control plane for ten minutes each (`EVALD_SOAK_OPERATOR_MINUTES` scales them): its memory with 500 tenants, and
 * a storm on its way to the cluster, after each step of which all that there is is what a model says. Figures: docs/figures.md, "The operator".
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Scope } from "effect"
import { describe } from "vitest"
import { configMaps } from "../../infrastructure/kubernetes/client/resources.ts"
import { apiFront } from "../cluster/support/api-front.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { setUp } from "../cluster/support/operator-process.ts"
import { storm } from "../cluster/support/operator-storm.ts"
import { at } from "../support/http-app.ts"
import { seedOf } from "../support/seed.ts"
import { seededDice } from "../support/seeded-dice.ts"
import { memoryOf } from "./memory.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const
const lane = "launch" as const
const soakMillis = Number(process.env["EVALD_SOAK_OPERATOR_MINUTES"] ?? "10") * 60_000
const mostMegabytes = 120
const tenantCount = 500

describe.skipIf(noControlPlane)("T2: an operator for a while", () => {
  layer(cluster, live)("on a real control plane", (it) => {
    it.scoped("500 tenants with 13 objects each: at most 120 MB after ten minutes", () =>
      Effect.gen(function* () {
        const operator = yield* setUp
        const { admin, addInstance, when, made, start } = operator
        const { addNamespace } = yield* Cluster
        const home = yield* addNamespace("services")
        yield* admin.create(
          { resource: configMaps, namespace: home, lane },
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "roots" }, data: { "ca-bundle.crt": "CERTIFICATE" } }
        )
        yield* addInstance(home, "evald", {
          providers: ["evald"],
          database: { type: "sqlite", persistence: { enabled: false } },
          tracker: { uri: "https://tracker.example", caBundle: { name: "roots" } }
        })
        const { pid, output } = yield* start
        // what it said last, when this ends badly
        yield* Effect.addFinalizer((exit) =>
          Effect.sync(() => Exit.isFailure(exit) && console.error(output().slice(-4000)))
        )
        yield* Effect.forEach(Array.from({ length: tenantCount }), () => addNamespace("team", operator.label), {
          concurrency: 8,
          discard: true
        })
        yield* Effect.eventually(
          when(home, "all of them", (found) => at(found, "status.tenants.ready") === tenantCount).pipe(
            Effect.catchAllDefect(() => Effect.fail("not yet"))
          )
        ).pipe(Effect.timeout("5 minutes"))
        const elsewhere = (yield* made(home)).filter((name) => name.includes(" team-"))
        assert.lengthOf(elsewhere, tenantCount * 13)
        console.info(`SETTLED: ${elsewhere.length} objects in ${tenantCount} tenants`)
        const memory = memoryOf(pid)
        const end = (yield* Clock.currentTimeMillis) + soakMillis
        while ((yield* Clock.currentTimeMillis) < end) {
          memory.sample()
          yield* Effect.sleep("2 seconds")
        }
        const { early, late, most } = memory.quarters()
        console.info(
          `resident memory with ${tenantCount} tenants: second quarter ${early.toFixed(0)} MB, last quarter ${late.toFixed(0)} MB, most ${most.toFixed(0)} MB`
        )
        assert.isAtMost(late, mostMegabytes)
      })
    )

    it.scoped.each([{ listed: true }, { listed: false }])(
      "a storm, with everything listed again each minute: $listed",
      ({ listed }) =>
        Effect.gen(function* () {
          const front = yield* apiFront
          const operator = yield* setUp
          const { admin, here, resources, startBy } = operator
          const { addNamespace } = yield* Cluster
          const seed = seedOf(process.env) + (listed ? 0 : 1)
          const homes = [yield* addNamespace("services"), yield* addNamespace("services")]
          const tenants = yield* Effect.forEach(Array.from({ length: 4 }), () => addNamespace("team"))
          const settings = { EVALD_OPERATOR_RESYNC_SECONDS: listed ? "60" : "86400" }
          const scope = yield* Effect.scope
          let running = yield* startBy(front, settings)
          /** so many of the next requests are answered so */
          const refuse = (status: number, times: number, retryAfterSeconds?: number) =>
            Effect.sync(() => {
              let left = times
              front.interfere((_, path) => {
                if (left === 0 || path.includes("/leases")) return undefined
                left -= 1
                return { status, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
              })
            })
          const { step, happened } = storm(
            {
              platform: here,
              resources,
              client: admin,
              until: (what, seconds, problem) =>
                Effect.gen(function* () {
                  const end = (yield* Clock.currentTimeMillis) + seconds * 1000
                  for (;;) {
                    const last = yield* problem
                    if (last === undefined) return
                    if ((yield* Clock.currentTimeMillis) > end)
                      return yield* Effect.dieMessage(`${what}, not within ${seconds} s: ${last}`)
                    yield* Effect.sleep("500 millis")
                  }
                }),
              troubles: {
                "watches cut": () => Effect.sync(front.cutWatches),
                "410 in a watch": () => Effect.sync(front.expireWatches),
                "410 to a request": (its) => refuse(410, its.between(1, 3)),
                "429 with a wait": (its) => refuse(429, its.between(1, 8), its.between(1, 5)),
                "500": (its) => refuse(500, its.between(1, 4)),
                "connections cut": (its) =>
                  Effect.sync(() => {
                    let left = its.between(1, 4)
                    front.interfere((_, path) => {
                      if (left === 0 || path.includes("/leases")) return undefined
                      left -= 1
                      return "cut"
                    })
                  }),
                "the operator dies": () =>
                  Effect.gen(function* () {
                    yield* Effect.promise(() => running.stop("SIGKILL"))
                    running = yield* Scope.extend(startBy(front, settings), scope)
                  })
              }
            },
            seededDice(seed),
            { homes, tenants }
          )
          const end = (yield* Clock.currentTimeMillis) + soakMillis / 2
          let steps = 0
          while ((yield* Clock.currentTimeMillis) < end) {
            yield* step
            steps += 1
          }
          console.info(`seed ${seed}: ${steps} steps, ${JSON.stringify(happened)}`)
          assert.isAtLeast(steps, 5)
        }).pipe(Effect.orDie)
    )
  })
})
