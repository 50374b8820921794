/**
 * T1: the server as a process, on a fake Kubernetes API that misbehaves: what callers get while the cluster is slow, refuses, or is away.
 * Reference: cluster-objects.md, "Removing", "Resources"; cases 14, 17, 30.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { listen, until } from "../support/evald-process.ts"
import { Fake } from "../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, verbIs } from "../support/fake-kubernetes/faults.ts"
import { kindOf } from "../support/fake-kubernetes/job-controller.ts"
import { profileObject } from "../support/hardware-profile-object.ts"
import { at } from "../support/http-app.ts"

const image = "registry.example/evald:1"
const config = {
  service: { host: "127.0.0.1" },
  providers: { images: { evald: image } },
  runtime: { k8s: { image, callback_url: "https://evald.evald-system.svc:8443", namespace: "evald-system" } }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-fake-cluster-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const setUp = Effect.gen(function* () {
  const fake = yield* Fake
  fake.faults.clear()
  fake.reviews.token = () => ({ authenticated: true, user: { username: "alice", groups: [] } })
  fake.reviews.access = () => ({ allowed: true })
  for (const name of ["team-a", "profiles"])
    if (!fake.objects("namespaces").some(({ metadata }) => metadata.name === name)) fake.addNamespace(name)
  const path = yield* folder
  cpSync("config", join(path, "config"), { recursive: true })
  writeFileSync(join(path, "config", "config.yaml"), JSON.stringify(config))
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: fake.url } }],
    users: [{ name: "c", user: { token: "t" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }]
  }
  writeFileSync(join(path, "kubeconfig"), JSON.stringify(kubeconfig))
  const env = { PORT: "0", KUBECONFIG: join(path, "kubeconfig"), SERVICE_HARDWARE_PROFILES_NAMESPACE: "profiles" }
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => listen(["server", "-configdir", join(path, "config")], env)),
    ({ stop }) => Effect.promise(() => stop("SIGKILL"))
  )
  const call = (method: string, route: string, body?: unknown) =>
    Effect.promise(async () => {
      const began = performance.now()
      const response = await fetch(`${server.url}/api/v1/evaluations/${route}`, {
        method,
        headers: {
          authorization: "Bearer t",
          "x-tenant": "team-a",
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      const json: unknown = text === "" ? undefined : JSON.parse(text)
      return {
        status: response.status,
        json,
        code: at(json, "message_code"),
        retryAfter: response.headers.get("retry-after"),
        millis: performance.now() - began
      }
    })
  const benchmark = { id: "arith_basic", provider_id: "evald" }
  const submit = (more: object = {}) =>
    call("POST", "jobs", {
      name: "t1",
      model: { url: "https://m.example/v1", name: "m" },
      benchmarks: [benchmark],
      ...more
    })
  const eventually = (what: string, holds: () => boolean | Promise<boolean>) =>
    Effect.promise(() =>
      until(
        async () => ({ what, holds: await holds() }),
        (found) => found.holds
      )
    )
  const gauge = async (name: string) =>
    new RegExp(`^${name} (\\S+)$`, "m").exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]
  const jobOf = (id: unknown) => fake.objects("jobs").find(({ metadata }) => metadata.name.includes(String(id)))
  return { fake, call, submit, eventually, gauge, jobOf }
})

layer(Fake.Default, { excludeTestServices: true, timeout: "60 seconds" })(
  "T1: a server process on a fake cluster",
  (it) => {
    it.scoped(
      "case 14: while every call about objects hangs, jobs are accepted as fast as ever; they are launched when it answers again",
      () =>
        Effect.gen(function* () {
          const { fake, submit, eventually, jobOf } = yield* setUp
          let away = true
          fake.faults.add({
            when: ({ plural }) => away && ["jobs", "configmaps", "secrets"].includes(plural),
            times: 1_000,
            fault: { type: "hang" }
          })
          for (let round = 0; round < 5; round += 1) {
            const { status, millis } = yield* submit()
            assert.strictEqual(status, 202)
            // one call to the cluster is given up after 10 s
            assert.isBelow(millis, 5_000)
          }
          assert.lengthOf(fake.objects("jobs"), 0)
          away = false
          const { json } = yield* submit()
          yield* eventually("all launched", () => fake.objects("configmaps").length === 6)
          assert.isDefined(jobOf(at(json, "resource.id")))
        })
    )

    it.scoped(
      "case 17: while DELETE fails a cancel is done at once; the gauge shows what is left to do, and 0 once it is done",
      () =>
        Effect.gen(function* () {
          const { fake, call, submit, eventually, gauge, jobOf } = yield* setUp
          const id = String(at((yield* submit()).json, "resource.id"))
          yield* eventually("launched", () =>
            fake.objects("configmaps").some(({ metadata }) => metadata.name.includes(id))
          )
          let failing = true
          fake.faults.add({ when: ({ verb }) => failing && verb === "delete", times: 100_000, fault: answers(500) })
          const cancelled = yield* call("DELETE", `jobs/${id}`)
          assert.strictEqual(cancelled.status, 204)
          yield* eventually("the gauge", async () => (await gauge("evald_cleanup_pending")) === "1")
          assert.isDefined(jobOf(id))
          failing = false
          yield* eventually("gone", () => jobOf(id) === undefined)
          yield* eventually("the gauge", async () => (await gauge("evald_cleanup_pending")) === "0")
        })
    )

    it.scoped("case 30: profiles that can not be used, or read, store nothing", () =>
      Effect.gen(function* () {
        const { fake, call, submit } = yield* setUp
        const stored = Effect.map(call("GET", "jobs"), ({ json }) => at(json, "total_count"))
        const before = yield* stored
        const withProfile = (name: string) => submit({ hardware_config: { hardware_profile_name: name } })
        const profiles = kindOf("hardwareprofiles")
        fake.store.create(
          profiles,
          "profiles",
          profileObject("disabled", { annotations: { "opendatahub.io/disabled": "true" } })
        )
        fake.store.create(profiles, "profiles", profileObject("malformed", { spec: null }))
        for (const [name, code] of [
          ["absent", "hardware_profile_not_found"],
          ["disabled", "hardware_profile_disabled"],
          ["malformed", "hardware_profile_invalid"]
        ] as const) {
          const { status, code: told } = yield* withProfile(name)
          assert.deepStrictEqual([status, told], [400, code], name)
        }
        for (const status of [403, 500]) {
          fake.faults.add({ when: verbIs("get", "hardwareprofiles"), times: 2, fault: answers(status) })
          const answer = yield* withProfile("any")
          fake.faults.clear()
          assert.deepStrictEqual(
            [answer.status, answer.code, answer.retryAfter !== null],
            [503, "cluster_unavailable", true],
            String(status)
          )
        }
        const at_ = fake.kinds.findIndex(({ plural }) => plural === "hardwareprofiles")
        const kind = fake.kinds.splice(at_, 1)
        assert.deepStrictEqual((yield* withProfile("any")).code, "hardware_profile_not_found")
        fake.kinds.splice(at_, 0, ...kind)
        assert.strictEqual(yield* stored, before)
      })
    )

    it.scoped("case 30: a profile that changes after the job was accepted: the job keeps what it was given", () =>
      Effect.gen(function* () {
        const { fake, submit, eventually, jobOf } = yield* setUp
        const sized = (cpu: number) => ({
          spec: { identifiers: [{ identifier: "cpu", resourceType: "CPU", defaultCount: cpu, maxCount: cpu }] }
        })
        const profiles = kindOf("hardwareprofiles")
        fake.store.create(profiles, "profiles", profileObject("changing", sized(3)))
        let go: () => void = () => {}
        const opened = new Promise<void>((resolve) => {
          go = resolve
        })
        fake.faults.add({ when: verbIs("create", "jobs"), fault: { type: "wait", until: opened } })
        const { status, json } = yield* submit({ hardware_config: { hardware_profile_name: "changing" } })
        assert.strictEqual(status, 202, JSON.stringify(json))
        fake.store.update(profiles, "profiles", "changing", (object) => ({ ...object, ...sized(7) }))
        go()
        yield* eventually("launched", () => jobOf(at(json, "resource.id")) !== undefined)
        const containers = at(jobOf(at(json, "resource.id")), "spec.template.spec.containers") as ReadonlyArray<{
          readonly name: string
        }>
        assert.deepInclude(
          at(
            containers.find(({ name }) => name === "adapter"),
            "resources.limits"
          ),
          { cpu: "3" }
        )
      })
    )
  }
)
