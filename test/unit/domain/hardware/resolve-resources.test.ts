import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { wireSentence } from "../../../../config/wire-names.ts"
import type { HardwareConfig } from "../../../../domain/hardware/hardware-config.ts"
import { type HardwareProfile, readHardwareProfile } from "../../../../domain/hardware/hardware-profile.ts"
import { resolveQueue } from "../../../../domain/hardware/resolve-queue.ts"
import { resolveResources } from "../../../../domain/hardware/resolve-resources.ts"
import { placePod, type Scheduling } from "../../../../domain/hardware/scheduling.ts"
import type { Path } from "../../../../domain/path.ts"
import type { KubernetesRuntime } from "../../../../domain/provider/runtime.ts"

const path: Path = ["benchmarks", 0, "hardware"]
const messageOf = (answer: ReturnType<typeof resolveResources>) =>
  Either.isLeft(answer) ? answer.left.map(({ message }) => wireSentence(message)).join() : ""
const small: KubernetesRuntime = { cpuRequest: "100m", memoryRequest: "128Mi", cpuLimit: "500m", memoryLimit: "4Gi" }
const large: KubernetesRuntime = { cpuRequest: "500m", memoryRequest: "1Gi", cpuLimit: "4000m", memoryLimit: "8Gi" }
const profile = (identifiers: ReadonlyArray<object>, scheduling?: object): HardwareProfile =>
  Either.getOrThrow(
    readHardwareProfile(
      { spec: { identifiers, scheduling } },
      { name: "p", platformDomain: "example.io", path: [...path, "profileName"] }
    )
  )

/** "request–limit source/source" per resource */
const shape = (input: { profile?: HardwareProfile; config?: HardwareConfig; provider?: KubernetesRuntime }) =>
  Either.map(
    resolveResources({ ...input, path }),
    ({ cpuRequest, cpuLimit, memoryRequest, memoryLimit, extended }) => ({
      cpu: `${cpuRequest.value}-${cpuLimit.value} ${cpuRequest.source}/${cpuLimit.source}`,
      memory: `${memoryRequest.value}-${memoryLimit.value} ${memoryRequest.source}/${memoryLimit.source}`,
      accelerators: (extended ?? []).map(({ name, request, limit, source }) => `${name} ${request}=${limit} ${source}`)
    })
  )

const cpuOnly = (defaultCount: number | string, maxCount?: number | string) =>
  profile([{ identifier: "cpu", resourceType: "CPU", defaultCount, ...(maxCount === undefined ? {} : { maxCount }) }])

describe("case 28: resource resolution", () => {
  it("A: provider sizes", () =>
    assert.deepStrictEqual(
      shape({ provider: small }),
      Either.right({ cpu: "100m-500m provider/provider", memory: "128Mi-4Gi provider/provider", accelerators: [] })
    ))
  it("B: built-in sizes", () =>
    assert.deepStrictEqual(
      shape({ provider: {} }),
      Either.right({ cpu: "250m-1 built_in/built_in", memory: "512Mi-2Gi built_in/built_in", accelerators: [] })
    ))
  it("C: a direct request above the provider's limit is refused, both sources named", () => {
    const refused = resolveResources({ config: { cpu: { request: "2" } }, provider: small, path })
    assert.deepStrictEqual(Either.isLeft(refused) ? refused.left.map(({ path, code }) => ({ path, code })) : [], [
      { path: [...path, "cpu", "request"], code: "invalid_value" }
    ])
    assert.match(messageOf(refused), /'2' \(hardware_config\).*'500m' \(provider\)/)
  })
  it("D: a whole profile", () => {
    const full = profile(
      [
        { identifier: "cpu", defaultCount: 4, maxCount: 8 },
        { identifier: "memory", defaultCount: "8Gi", maxCount: "16Gi" },
        { identifier: "example.com/gpu", defaultCount: 1 }
      ],
      { type: "Queue", queuesys: { localQueueName: "gpu-q", priorityClass: "high" } }
    )
    assert.deepStrictEqual(
      shape({ profile: full, config: { profileName: "p" }, provider: small }),
      Either.right({
        cpu: "4-8 profile/profile",
        memory: "8Gi-16Gi profile/profile",
        accelerators: ["example.com/gpu 1=1 profile"]
      })
    )
    assert.deepStrictEqual(resolveQueue({ profile: full, jobQueue: { name: "old" } }), {
      kind: "queuesys",
      name: "gpu-q",
      priorityClass: "high",
      source: "profile"
    })
  })
  it("E: a profile without maximum takes the provider's limit", () =>
    assert.deepStrictEqual(
      shape({ profile: cpuOnly(1), config: { profileName: "p" }, provider: large }),
      Either.right({ cpu: "1-4000m profile/provider", memory: "1Gi-8Gi provider/provider", accelerators: [] })
    ))
  it("F: counts as numbers and texts", () =>
    assert.strictEqual(
      Either.getOrThrow(shape({ profile: cpuOnly(0.5, "2"), config: { profileName: "p" }, provider: small })).cpu,
      "500m-2 profile/profile"
    ))
  it("G: a profile above the provider's limit is the profile's problem", () => {
    const refused = resolveResources({ profile: cpuOnly(8), config: { profileName: "p" }, provider: small, path })
    const [violation] = Either.isLeft(refused) ? refused.left : []
    assert.strictEqual(violation?.code, "hardware_profile_invalid")
    assert.deepStrictEqual(violation?.path, [...path, "profileName"])
    assert.match(messageOf(refused), /set maxCount/)
  })
  it("J: no accelerator for count 0", () =>
    assert.deepStrictEqual(
      Either.getOrThrow(shape({ config: { gpu: { name: "example.com/gpu", count: 0 } }, provider: small }))
        .accelerators,
      []
    ))
  it("a direct accelerator sets both sides", () =>
    assert.deepStrictEqual(
      Either.getOrThrow(shape({ config: { gpu: { name: "example.com/gpu", count: 2 } } })).accelerators,
      ["example.com/gpu 2=2 hardware_config"]
    ))
  it("direct fields are skipped in profile mode, and fields mix across sources otherwise", () => {
    assert.strictEqual(
      Either.getOrThrow(
        shape({ profile: cpuOnly(1), config: { profileName: "p", memory: { request: "3Gi" } }, provider: large })
      ).memory,
      "1Gi-8Gi provider/provider"
    )
    assert.strictEqual(
      Either.getOrThrow(shape({ config: { memory: { limit: "6Gi" } }, provider: small })).memory,
      "128Mi-6Gi provider/hardware_config"
    )
  })
  it("a provider request above the built-in limit is refused, not raised", () => {
    const refused = resolveResources({ provider: { cpuRequest: "2" }, path })
    assert.match(messageOf(refused), /'2' \(provider\).*'1' \(built-in default\).*hardware_config\.cpu/)
  })
  it("an unreadable provider quantity is named with its source", () => {
    const refused = resolveResources({ provider: { memoryLimit: "4GB" }, path })
    assert.match(messageOf(refused), /memory limit '4GB' \(provider\)/)
  })
  it("ephemeral storage comes from a profile only", () => {
    const withStorage = profile([{ identifier: "ephemeral-storage", defaultCount: "1Gi" }])
    assert.deepStrictEqual(
      Either.getOrThrow(resolveResources({ profile: withStorage, config: { profileName: "p" }, path }))
        .ephemeralStorage,
      {
        request: "1Gi",
        source: "profile"
      }
    )
    assert.isUndefined(Either.getOrThrow(resolveResources({ path })).ephemeralStorage)
  })
})

describe("case 31: queue and placement", () => {
  const node: Scheduling = { type: "Node", nodeSelector: { pool: "gpu" }, tolerations: [{ operator: "Exists" }] }
  const queue: Scheduling = { type: "Queue", queueName: "pq" }
  const provider = { nodeSelector: { pool: "cpu" } }
  const base: HardwareProfile = { name: "p", accelerators: [] }

  it.each<readonly [string, Parameters<typeof resolveQueue>[0], string | undefined]>([
    ["nothing", {}, undefined],
    [
      "profile queue first",
      {
        profile: { ...base, scheduling: queue },
        config: { profileName: "p", queue: { name: "c" } },
        jobQueue: { name: "j" }
      },
      "pq profile"
    ],
    [
      "then hardware_config",
      { profile: base, config: { queue: { name: "c" } }, jobQueue: { name: "j" } },
      "c hardware_config"
    ],
    ["then the job", { config: {}, jobQueue: { kind: "kueue", name: "j" } }, "j job_queue"],
    [
      "node profile and job queue",
      { profile: { ...base, scheduling: node }, config: { profileName: "p" }, jobQueue: { name: "j" } },
      "j job_queue"
    ],
    [
      "profile mode skips the direct queue",
      { profile: base, config: { profileName: "p", queue: { name: "c" } } },
      undefined
    ]
  ])("%s", (_, input, expected) => {
    const choice = resolveQueue(input)
    assert.strictEqual(choice === undefined ? undefined : `${choice.name} ${choice.source}`, expected)
  })
  it("kind is echoed, the default is queuesys", () => {
    assert.strictEqual(resolveQueue({ jobQueue: { kind: "kueue", name: "j" } })?.kind, "kueue")
    assert.strictEqual(resolveQueue({ config: { queue: { name: "j" } } })?.kind, "queuesys")
  })
  it.each<readonly [string, Parameters<typeof placePod>[0], object]>([
    ["the provider's without profile and queue", { queued: false, provider }, provider],
    [
      "a Node profile replaces",
      { scheduling: node, queued: false, provider },
      { nodeSelector: { pool: "gpu" }, tolerations: [{ operator: "Exists" }] }
    ],
    ["a Queue profile clears", { scheduling: queue, queued: true, provider }, {}],
    ["any queue clears the provider's", { queued: true, provider }, {}],
    [
      "a Node profile stays beside a job queue",
      { scheduling: { type: "Node", nodeSelector: { a: "b" } }, queued: true, provider },
      { nodeSelector: { a: "b" } }
    ]
  ])("placement: %s", (_, input, expected) => assert.deepStrictEqual(placePod(input), expected))

  it("resolved resources carry the placement", () => {
    const resolved = resolveResources({
      profile: { ...base, scheduling: node },
      config: { profileName: "p" },
      path,
      providerPlacement: provider
    })
    assert.deepStrictEqual(Either.getOrThrow(resolved).nodeSelector, { pool: "gpu" })
    const queued = resolveResources({
      queue: { kind: "queuesys", name: "q", source: "job_queue" },
      path,
      providerPlacement: provider
    })
    assert.isUndefined(Either.getOrThrow(queued).nodeSelector)
  })
})
