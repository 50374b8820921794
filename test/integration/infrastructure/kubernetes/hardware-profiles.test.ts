/** Profiles read from a fake API: what is found, what is refused and why, and when the cluster is to blame. Reference: cluster-objects.md, "Hardware profiles", "Resources"; case 30. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { wireSentence } from "../../../../config/wire-names.ts"
import { KubeClient, make as makeClient } from "../../../../infrastructure/kubernetes/client/client.ts"
import { make } from "../../../../infrastructure/kubernetes/hardware-profiles.ts"
import { fakeKubernetes } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropBefore, verbIs } from "../../../support/fake-kubernetes/faults.ts"
import { kindOf } from "../../../support/fake-kubernetes/job-controller.ts"
import { bigProfile, profileObject } from "../../../support/hardware-profile-object.ts"

const setUp = (namespace: string | undefined = "profiles") =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    fake.addNamespace("profiles")
    const client = yield* makeClient({ connection: fake.connection, qps: 1, burst: 1 })
    const profiles = yield* make({
      namespace,
      group: "infrastructure.opendatahub.io",
      platformDomain: "opendatahub.io"
    }).pipe(Effect.provideService(KubeClient, client))
    const add = (object: ReturnType<typeof profileObject>) =>
      fake.store.create(kindOf("hardwareprofiles"), "profiles", object)
    const codeOf = (name: string) =>
      Effect.map(profiles.find(name), (found) =>
        found === undefined || Either.isRight(found) ? "usable" : found.left.map(({ code }) => code).join()
      )
    return { fake, profiles, add, codeOf }
  })

describe("case 30: hardware profiles", () => {
  it.scoped("as they are now, each time they are asked for", () =>
    Effect.gen(function* () {
      const { fake, profiles, add, codeOf } = yield* setUp()
      add(profileObject("big"))
      assert.deepStrictEqual(yield* profiles.find("big"), Either.right(bigProfile))
      fake.store.update(kindOf("hardwareprofiles"), "profiles", "big", (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { "opendatahub.io/disabled": "true" } }
      }))
      assert.strictEqual(yield* codeOf("big"), "hardware_profile_disabled")
    })
  )

  it.scoped("absent, malformed, disabled by exactly 'true'", () =>
    Effect.gen(function* () {
      const { profiles, add, codeOf } = yield* setUp()
      add(profileObject("almost", { annotations: { "opendatahub.io/disabled": "True" } }))
      add(
        profileObject("half", {
          spec: { identifiers: [{ identifier: "example.com/gpu", resourceType: "Accelerator", defaultCount: "0.5" }] }
        })
      )
      add(profileObject("empty", { spec: null }))
      assert.deepStrictEqual(
        [yield* codeOf("almost"), yield* codeOf("half"), yield* codeOf("empty")],
        ["usable", "hardware_profile_invalid", "hardware_profile_invalid"]
      )
      const absent = yield* profiles.find("absent")
      if (absent === undefined || Either.isRight(absent)) return assert.fail("found")
      assert.deepStrictEqual(
        absent.left.map(({ code, message }) => [code, message]),
        [["hardware_profile_not_found", "hardware profile 'absent' does not exist in namespace 'profiles'"]]
      )
    })
  )

  it.scoped("the kind is not installed", () =>
    Effect.gen(function* () {
      const { fake, codeOf } = yield* setUp()
      fake.kinds.splice(
        fake.kinds.findIndex(({ plural }) => plural === "hardwareprofiles"),
        1
      )
      assert.strictEqual(yield* codeOf("big"), "hardware_profile_not_found")
    })
  )

  it.scoped.each([undefined, ""])("no namespace (%s): said so, and the cluster is not asked", (namespace) =>
    Effect.gen(function* () {
      const fake = yield* fakeKubernetes
      const client = yield* makeClient({ connection: fake.connection, qps: 1, burst: 1 })
      const profiles = yield* make({ namespace, group: "g.example", platformDomain: "d.example" }).pipe(
        Effect.provideService(KubeClient, client)
      )
      const found = yield* profiles.find("big")
      if (found === undefined || Either.isRight(found)) return assert.fail("found")
      assert.strictEqual(found.left[0]?.code, "hardware_profile_not_found")
      assert.match(wireSentence(found.left[0]?.message ?? ""), /SERVICE_HARDWARE_PROFILES_NAMESPACE/)
      assert.lengthOf(fake.requests, 0)
    })
  )

  it.scoped.each([401, 403, 429, 500, 503])("the cluster answers %s: not the caller's fault", (status) =>
    Effect.gen(function* () {
      const { fake, profiles, add } = yield* setUp()
      add(profileObject("big"))
      fake.faults.add({ when: verbIs("get", "hardwareprofiles"), times: 2, fault: answers(status) })
      const error = yield* Effect.flip(profiles.find("big"))
      assert.deepStrictEqual([error._tag, error.peer], ["Unavailable", "cluster"])
    })
  )

  it.scoped("the connection breaks: not the caller's fault", () =>
    Effect.gen(function* () {
      const { fake, profiles, add } = yield* setUp()
      add(profileObject("big"))
      fake.faults.add({ when: verbIs("get", "hardwareprofiles"), fault: dropBefore })
      assert.strictEqual((yield* Effect.flip(profiles.find("big"))).peer, "cluster")
      assert.deepStrictEqual(yield* profiles.find("big"), Either.right(bigProfile))
    })
  )
})
