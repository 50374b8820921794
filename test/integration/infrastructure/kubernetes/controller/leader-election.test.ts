/** Of several controllers one works; whoever is asleep, cut off or wrong about the time never works beside another. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber } from "effect"
import { KubeClient } from "../../../../../infrastructure/kubernetes/client/client.ts"
import {
  fenced,
  type Leadership,
  LeadershipLost,
  type LeaseOptions,
  makeLeadership
} from "../../../../../infrastructure/kubernetes/controller/leader-election.ts"
import { Fake, layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { pass, passUntil } from "../../../../support/fake-kubernetes/passing.ts"
import { at } from "../../../../support/http-app.ts"

const namespace = "evald-system"
const optionsOf = (client: KubeClient["Type"], holder: string): LeaseOptions => ({
  client,
  namespace,
  name: "evald-operator",
  holder,
  durationSeconds: 15,
  renewSeconds: 10,
  retrySeconds: 2
})

const setUp = Effect.gen(function* () {
  const cluster = yield* Fake
  cluster.addNamespace(namespace)
  const client = yield* KubeClient
  const lease = () => cluster.objects("leases", namespace)[0]
  return {
    cluster,
    client,
    holder: () => at(lease(), "spec.holderIdentity"),
    lease,
    /** a process that leads for as long as it is let */
    process: (holder: string, of: KubeClient["Type"] = client) =>
      Effect.gen(function* () {
        const leadership = yield* makeLeadership(optionsOf(of, holder))
        const fiber = yield* Effect.fork(leadership.lead(Effect.never))
        return { leadership, fiber }
      })
  }
})

const leading = ({ leadership }: { readonly leadership: Leadership }) => leadership.isLeader()
const lostOf = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && exit.cause._tag === "Fail" && exit.cause.error instanceof LeadershipLost
/** ends without a word, as a process that is killed */
const killed = (cluster: typeof Fake.Service, fiber: Fiber.RuntimeFiber<never, LeadershipLost>) =>
  Effect.gen(function* () {
    cluster.faults.add({ when: ({ plural }) => plural === "leases", times: 1000, fault: answers(500) })
    yield* Fiber.interrupt(fiber)
    cluster.faults.clear()
  })

/** a clock whose wall time is set, and after which a process can have slept */
const skewed = (clock: Clock.Clock, millis: () => number, slept: () => number = () => 0): Clock.Clock => ({
  ...clock,
  [Clock.ClockTypeId]: clock[Clock.ClockTypeId],
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis() + slept()),
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis() + slept(),
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + BigInt(slept()) * 1_000_000n),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + BigInt(slept()) * 1_000_000n,
  sleep: (duration) => clock.sleep(duration)
})

describe("case 23: leading by a Lease", () => {
  it.scoped("of two processes one leads; when it goes in good order the other follows at its next look", () =>
    Effect.gen(function* () {
      const { cluster, process, holder, lease } = yield* setUp
      const first = yield* process("first")
      yield* passUntil(cluster, "the first leads", () => leading(first))
      const second = yield* process("second")
      yield* pass(cluster, 60)
      assert.deepStrictEqual([leading(first), leading(second), holder()], [true, false, "first"])
      assert.match(String(at(lease(), "spec.renewTime")), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      yield* Fiber.interrupt(first.fiber)
      yield* pass(cluster, 3)
      assert.deepStrictEqual([leading(second), holder()], [true, "second"])
      assert.strictEqual(at(lease(), "spec.leaseTransitions"), 1)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("takeover within 20 s of a holder that is gone without a word", () =>
    Effect.gen(function* () {
      const { cluster, process } = yield* setUp
      const first = yield* process("first")
      yield* passUntil(cluster, "the first leads", () => leading(first))
      const second = yield* process("second")
      yield* pass(cluster, 4)
      yield* killed(cluster, first.fiber)
      yield* pass(cluster, 12)
      assert.isFalse(leading(second))
      yield* pass(cluster, 8)
      assert.isTrue(leading(second))
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a leader that can not renew for 10 s stops before another begins, and is told so", () =>
    Effect.gen(function* () {
      const { cluster, process, client } = yield* setUp
      const cut = { by: false }
      const cutOff: KubeClient["Type"] = {
        ...client,
        get: (target) => (cut.by ? Effect.never : client.get(target)),
        send: (exchange, lane) => (cut.by ? Effect.never : client.send(exchange, lane))
      }
      const first = yield* process("first", cutOff)
      yield* passUntil(cluster, "the first leads", () => leading(first))
      const second = yield* process("second")
      yield* pass(cluster, 3)
      cut.by = true
      let both = false
      for (let second_ = 0; second_ < 30; second_ += 1) {
        yield* pass(cluster, 1)
        both ||= leading(first) && leading(second)
      }
      assert.deepStrictEqual([both, leading(first), leading(second)], [false, false, true])
      assert.isTrue(lostOf(yield* Fiber.await(first.fiber)))
      assert.lengthOf(cluster.objects("leases"), 1)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a leader that was paused for 60 s writes nothing when it goes on, and ends", () =>
    Effect.gen(function* () {
      const { cluster, client, process } = yield* setUp
      const clock = yield* Effect.clock
      let slept = 0
      const first = yield* Effect.withClock(
        process("first"),
        skewed(
          clock,
          () => 0,
          () => slept
        )
      )
      yield* passUntil(cluster, "the first leads", () => leading(first))
      yield* pass(cluster, 3)
      slept = 60_000
      const written = () => cluster.requests.filter(({ method }) => method !== "GET").length
      const before = written()
      const guarded = fenced(client, first.leadership.isLeader)
      const writing = yield* Effect.fork(
        guarded.create(
          {
            resource: { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" },
            namespace,
            lane: "launch"
          },
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "late" }
          }
        )
      )
      yield* pass(cluster, 3)
      assert.isTrue(lostOf(yield* Fiber.await(first.fiber)))
      assert.strictEqual(written(), before)
      assert.lengthOf(cluster.objects("configmaps"), 0)
      yield* Fiber.interrupt(writing)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a wall clock that is set by an hour, either way, moves nobody", () =>
    Effect.gen(function* () {
      const { cluster, client } = yield* setUp
      const clock = yield* Effect.clock
      const skew = { first: 0, second: 0 }
      const start = (holder: "first" | "second") =>
        Effect.gen(function* () {
          const leadership = yield* makeLeadership(optionsOf(client, holder))
          return { leadership, fiber: yield* Effect.fork(leadership.lead(Effect.never)) }
        }).pipe(Effect.withClock(skewed(clock, () => skew[holder])))
      const first = yield* start("first")
      yield* passUntil(cluster, "the first leads", () => leading(first))
      const second = yield* start("second")
      for (const [one, other] of [
        [3_600_000, -3_600_000],
        [-3_600_000, 3_600_000]
      ] as const) {
        skew.first = one
        skew.second = other
        yield* pass(cluster, 40)
        assert.deepStrictEqual([leading(first), leading(second)], [true, false])
      }
      assert.strictEqual(at(cluster.objects("leases")[0], "spec.leaseTransitions"), 0)
    }).pipe(Effect.provide(fake))
  )
})
