/** Names of profiles and queues from a fake API: which are told, and what is left open. Reference: cluster-objects.md, "Hardware profiles", "Queue". */
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { KubeClient, make as makeClient } from "../../../../infrastructure/kubernetes/client/client.ts"
import { make } from "../../../../infrastructure/kubernetes/placements.ts"
import { fakeKubernetes } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, verbIs } from "../../../support/fake-kubernetes/faults.ts"
import { kindOf } from "../../../support/fake-kubernetes/job-controller.ts"
import { profileObject } from "../../../support/hardware-profile-object.ts"

const setUp = Effect.gen(function* () {
  const fake = yield* fakeKubernetes
  for (const name of ["profiles", "team-a", "team-b"]) fake.addNamespace(name)
  const client = yield* makeClient({ connection: fake.connection, qps: 100, burst: 100 })
  const options = {
    namespace: "profiles",
    group: "infrastructure.opendatahub.io",
    platformDomain: "opendatahub.io",
    queueDomain: "kueue.x-k8s.io"
  }
  const { offered } = yield* Effect.provideService(make(options), KubeClient, client)
  const addProfile = (...given: Parameters<typeof profileObject>) =>
    fake.store.create(kindOf("hardwareprofiles"), "profiles", profileObject(...given))
  const addQueue = (namespace: string, name: string) =>
    fake.store.create(kindOf("localqueues"), namespace, {
      apiVersion: "kueue.x-k8s.io/v1beta1",
      kind: "LocalQueue",
      metadata: { name }
    })
  const withoutKinds = (group: string) => {
    for (const one of fake.kinds.filter((kind) => kind.group === group)) fake.kinds.splice(fake.kinds.indexOf(one), 1)
  }
  return { fake, offered, addProfile, addQueue, withoutKinds }
})

describe("what jobs may name to be placed by", () => {
  it.scoped("profiles that can be used, and the queues of the tenant alone, by name", () =>
    Effect.gen(function* () {
      const { offered, addProfile, addQueue } = yield* setUp
      addProfile("small")
      addProfile("big")
      addProfile("off", { annotations: { "opendatahub.io/disabled": "true" } })
      addProfile("broken", { spec: null })
      addQueue("team-a", "night")
      addQueue("team-a", "day")
      addQueue("team-b", "other")
      assert.deepStrictEqual(yield* offered("team-a"), { hardwareProfiles: ["big", "small"], queues: ["day", "night"] })
      assert.deepStrictEqual((yield* offered("team-b")).queues, ["other"])
    })
  )

  it.scoped("none where the cluster does not know the kinds; open where they may not be read", () =>
    Effect.gen(function* () {
      const { fake, offered, withoutKinds } = yield* setUp
      fake.faults.add({ when: verbIs("list", "hardwareprofiles"), times: 1, fault: answers(403) })
      fake.faults.add({ when: verbIs("list", "localqueues"), times: 1, fault: answers(403) })
      assert.deepStrictEqual(yield* offered("team-a"), {})
      withoutKinds("kueue.x-k8s.io")
      withoutKinds("infrastructure.opendatahub.io")
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* offered("team-a"), { hardwareProfiles: [], queues: [] })
    })
  )

  it.scoped("many callers cost one look in half a minute", () =>
    Effect.gen(function* () {
      const { fake, offered, addProfile } = yield* setUp
      const looks = () =>
        fake.requests.flatMap(({ verb, plural }) => (verb === "list" && plural !== "" ? [plural] : []))
      yield* Effect.replicateEffect(offered("team-a"), 20, { concurrency: 20 })
      assert.deepStrictEqual([...looks()].sort(), ["hardwareprofiles", "localqueues"])
      addProfile("new")
      assert.deepStrictEqual((yield* offered("team-a")).hardwareProfiles, [])
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual((yield* offered("team-a")).hardwareProfiles, ["new"])
      assert.lengthOf(looks(), 4)
    })
  )
})
