/** T1, case 28: an operator that dies at a write, each write in turn, leaves what the next one brings to its end, in an order that is safe at every moment. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer as fake } from "../support/fake-kubernetes/fake-kubernetes.ts"
import { dropBefore } from "../support/fake-kubernetes/faults.ts"
import { kindOf } from "../support/fake-kubernetes/job-controller.ts"
import { ephemeral, instances, operating, tenantLabel } from "../support/fake-kubernetes/operating.ts"
import { at } from "../support/http-app.ts"

/** an operator of which each life ends with the first thing that it changes in the cluster, be it an object or a status */
const mortal = Effect.gen(function* () {
  const operator = yield* operating()
  const { cluster, start, pass } = operator
  let [isMortal, isDead] = [false, false]
  cluster.store.onChange(({ kind }) => {
    isDead ||= isMortal && kind.plural !== "events"
  })
  // what a dead process had under way does not come
  cluster.faults.add({ when: ({ method }) => isDead && method !== "GET", times: 1_000_000, fault: dropBefore })
  /** lives until one comes to its end without having changed anything; answers how many there were */
  const lives = (isDone: () => boolean, safe: (life: number) => void) =>
    Effect.gen(function* () {
      for (let life = 1; ; life++) {
        operator.rolledOut()
        isMortal = true
        const { stop } = yield* start
        for (let seconds = 0; seconds < 120 && !isDead && !isDone(); seconds++) yield* pass(1)
        if (!isDead) yield* pass(2)
        isMortal = false
        const died = isDead
        yield* stop
        isDead = false
        safe(life)
        if (died) continue
        assert.isTrue(isDone(), `life ${life} changed nothing and did not come to its end`)
        return life
      }
    })
  return { ...operator, lives }
})

const settle = ({ start, until, pass, rolledOut, cluster, resource }: Effect.Effect.Success<typeof mortal>) =>
  Effect.gen(function* () {
    const running = yield* start
    yield* until("a Deployment", () => cluster.objects("deployments").length === 1)
    rolledOut()
    yield* until("a tenant", () => at(resource(), "status.tenants.ready") === 1)
    yield* pass(3)
    return running
  })

const jobIn = (operator: Effect.Effect.Success<typeof mortal>, name: string) =>
  operator.cluster.store.create(kindOf("jobs"), "team-a", {
    metadata: {
      name,
      labels: { "evald.internal/instance-name": "evald", "evald.internal/instance-namespace": "team-services" }
    },
    spec: { suspend: true, template: { spec: { restartPolicy: "Never" } } }
  })

/** nobody may start what nobody could stop: rights of jobs go after those of the API, and both after the Jobs */
const inOrder = ({ made, cluster }: Effect.Effect.Success<typeof mortal>) => {
  const there = made("team-a")
  const has = (end: string) => there.some((name) => name.endsWith(end))
  const api = ["jobs-writer", "job-config", "job-runtime", "model-secret", "tracker-access"].filter((role) =>
    has(`.${role}`)
  )
  if (!has("RoleBinding team-a/evald.team-services.job-access") || !has("-job")) {
    assert.deepStrictEqual(api, [], there.join(", "))
  }
  if (api.length < 5) assert.lengthOf(cluster.objects("jobs", "team-a"), 0, there.join(", "))
}

describe("case 28: an operator that is killed at each write", () => {
  it.scoped("of making an instance with a tenant: the next one goes on, and all is there", () =>
    Effect.gen(function* () {
      const operator = yield* mortal
      const { cluster, addInstance, made, lives, resource, condition, start, pass } = operator
      cluster.addNamespace("team-a", tenantLabel)
      addInstance()
      // as it is without a death
      const undisturbed = yield* settle(operator)
      const wanted = made()
      cluster.store.remove(instances, "team-services", "evald")
      yield* operator.until("gone", () => resource() === undefined && made().length === 0)
      yield* undisturbed.stop
      addInstance()
      const count = yield* lives(
        () => condition("Ready").status === "True" && at(resource(), "status.tenants.ready") === 1,
        () => {
          // what is outside of the namespace is never there without the mark by which it is removed
          const outside = made().filter((name) => !name.includes(" team-services/"))
          if (outside.length > 0) assert.deepStrictEqual(resource()?.metadata.finalizers, ["evald.internal/cleanup"])
        }
      )
      assert.isAtLeast(count, wanted.length)
      assert.deepStrictEqual(made(), wanted)
      yield* start
      yield* pass(10)
      assert.deepStrictEqual(made(), wanted)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("of leaving a namespace that is no tenant any more: nothing is left, in the safe order", () =>
    Effect.gen(function* () {
      const operator = yield* mortal
      const { cluster, addInstance, made, lives, setLabels, condition, resource } = operator
      cluster.addNamespace("team-a", tenantLabel)
      addInstance(ephemeral)
      const first = yield* settle(operator)
      yield* first.stop
      jobIn(operator, "one")
      jobIn(operator, "two")
      const ownOnes = made("team-services")
      setLabels("team-a", {})
      const count = yield* lives(
        () => made("team-a").length === 0 && at(resource(), "status.tenants.total") === 0,
        () => inOrder(operator)
      )
      assert.isAtLeast(count, 12)
      assert.deepStrictEqual([made("team-services"), condition("Ready").status], [ownOnes, "True"])
      assert.deepStrictEqual(cluster.objects("jobs", "team-a"), [])
    }).pipe(Effect.provide(fake))
  )

  it.scoped("of removing an instance: nothing is left, and the finalizer goes last", () =>
    Effect.gen(function* () {
      const operator = yield* mortal
      const { cluster, addInstance, made, lives, resource } = operator
      cluster.addNamespace("team-a", tenantLabel)
      addInstance(ephemeral)
      const first = yield* settle(operator)
      yield* first.stop
      jobIn(operator, "one")
      cluster.store.remove(instances, "team-services", "evald")
      const count = yield* lives(
        () => resource() === undefined,
        () => {
          inOrder(operator)
          if (made().some((name) => !name.includes(" team-services/"))) assert.isDefined(resource())
        }
      )
      assert.isAtLeast(count, 12)
      assert.deepStrictEqual(made(), [])
      assert.deepStrictEqual(cluster.objects("jobs", "team-a"), [])
    }).pipe(Effect.provide(fake))
  )
})
