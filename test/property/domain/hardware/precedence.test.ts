import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { wireSentence } from "../../../../config/wire-names.ts"
import { checkHardware, type HardwareConfig } from "../../../../domain/hardware/hardware-config.ts"
import type { HardwareProfile } from "../../../../domain/hardware/hardware-profile.ts"
import { resolveQueue } from "../../../../domain/hardware/resolve-queue.ts"
import {
  builtInResources,
  type ResourceSource,
  resolveResources,
  type Sourced
} from "../../../../domain/hardware/resolve-resources.ts"
import type { KubernetesRuntime } from "../../../../domain/provider/runtime.ts"
import { compareQuantity, parseQuantity } from "../../../../domain/quantity.ts"

const cpu = fc.constantFrom("100m", "0.25", "1", "2", "4000m", "1e1")
const memory = fc.constantFrom("128Mi", "1Gi", "2G", "8Gi", "1e10")
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const compact = <A extends object>(value: A) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const config: fc.Arbitrary<HardwareConfig> = fc
  .record({
    cpu: maybe(fc.record({ request: maybe(cpu), limit: maybe(cpu) }).map(compact)),
    memory: maybe(fc.record({ request: maybe(memory), limit: maybe(memory) }).map(compact))
  })
  .map(compact)
const provider: fc.Arbitrary<KubernetesRuntime> = fc
  .record({ cpuRequest: maybe(cpu), cpuLimit: maybe(cpu), memoryRequest: maybe(memory), memoryLimit: maybe(memory) })
  .map(compact)
const range = (value: fc.Arbitrary<string>) => maybe(fc.record({ request: value, limit: maybe(value) }).map(compact))
const profile = fc
  .record({ cpu: range(cpu), memory: range(memory) })
  .map((ranges): HardwareProfile => ({ name: "p", accelerators: [], ...compact(ranges) }))
const input = fc.oneof(
  fc.record({ config, provider }).map((value) => ({ ...value, path: [] })),
  fc
    .record({ profile, config, provider })
    .map((value) => ({ ...value, config: { ...value.config, profileName: "p" }, path: [] }))
)

const nanos = (text: string) => Either.getOrThrow(parseQuantity(text))

describe("case 28: resolution laws", () => {
  it("every accepted answer has request ≤ limit; every refusal names a resource whose sides really clash", () => {
    fc.assert(
      fc.property(input, (given) => {
        const result = resolveResources(given)
        if (Either.isRight(result)) {
          const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = result.right
          assert.isAtMost(compareQuantity(nanos(cpuRequest.value), nanos(cpuLimit.value)), 0)
          assert.isAtMost(compareQuantity(nanos(memoryRequest.value), nanos(memoryLimit.value)), 0)
        } else for (const { message } of result.left) assert.match(wireSentence(message), /is larger than/)
      })
    )
  })
  it("each value comes from the first source that has it", () => {
    fc.assert(
      fc.property(input, (given) => {
        const result = resolveResources(given)
        if (Either.isLeft(result)) return
        const direct = given.config.profileName === undefined ? given.config : undefined
        const withProfile = "profile" in given ? given.profile : undefined
        const expected = (
          ...sources: ReadonlyArray<readonly [string | undefined, ResourceSource]>
        ): Sourced<string> => {
          const found = sources.find(([value]) => value !== undefined)
          return { value: found?.[0] ?? "", source: found?.[1] ?? "built_in" }
        }
        assert.deepStrictEqual(
          result.right.cpuRequest,
          expected(
            [withProfile?.cpu?.request, "profile"],
            [direct?.cpu?.request, "hardware_config"],
            [given.provider.cpuRequest, "provider"],
            [builtInResources.cpuRequest, "built_in"]
          )
        )
        assert.deepStrictEqual(
          result.right.memoryLimit,
          expected(
            [withProfile?.memory?.limit, "profile"],
            [direct?.memory?.limit, "hardware_config"],
            [given.provider.memoryLimit, "provider"],
            [builtInResources.memoryLimit, "built_in"]
          )
        )
      })
    )
  })
  it("in profile mode direct fields never change the answer", () => {
    fc.assert(
      fc.property(profile, config, provider, (chosen, ignored, runtime) => {
        const bare = { profile: chosen, config: { profileName: "p" }, provider: runtime, path: [] }
        assert.deepStrictEqual(
          resolveResources({ ...bare, config: { ...ignored, profileName: "p" } }),
          resolveResources(bare)
        )
      })
    )
  })
  it("a later queue source never wins over an earlier one", () => {
    const queue = maybe(fc.record({ name: fc.constantFrom("a", "b") }))
    fc.assert(
      fc.property(maybe(fc.constantFrom("p", "q")), queue, queue, (profileQueue, configQueue, jobQueue) => {
        const choice = resolveQueue({
          ...(profileQueue === undefined
            ? {}
            : { profile: { name: "p", accelerators: [], scheduling: { type: "Queue", queueName: profileQueue } } }),
          ...(configQueue === undefined ? {} : { config: { queue: configQueue } }),
          ...(jobQueue === undefined ? {} : { jobQueue })
        })
        assert.strictEqual(choice?.name, profileQueue ?? configQueue?.name ?? jobQueue?.name)
      })
    )
  })
  it("profile and any direct field exclude each other, whatever their content", () => {
    fc.assert(
      fc.property(config, fc.constantFrom("cpu", "memory", "gpu", "queue"), (given, member) => {
        const mixed: HardwareConfig = { [member]: {}, ...given, profileName: "p" }
        assert.isTrue(
          checkHardware(mixed, []).some(({ path, message }) => path[0] === "profileName" && message.includes(member))
        )
      })
    )
  })
})
