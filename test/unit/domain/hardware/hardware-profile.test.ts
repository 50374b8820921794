import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { wireSentence } from "../../../../config/wire-names.ts"
import { profileNotFound, readHardwareProfile } from "../../../../domain/hardware/hardware-profile.ts"
import type { Path } from "../../../../domain/path.ts"

const path: Path = ["hardware", "profileName"]
const options = { name: "large", platformDomain: "example.io", path }
const read = (spec: unknown, annotations: unknown = undefined) =>
  readHardwareProfile({ metadata: { name: "large", annotations }, spec }, options)
const problems = (spec: unknown): ReadonlyArray<string> => {
  const result = read(spec)
  if (Either.isRight(result)) return []
  for (const { code, path } of result.left) {
    assert.strictEqual(code, "hardware_profile_invalid")
    assert.strictEqual(path, options.path)
  }
  return result.left.map(({ message }) => wireSentence(message))
}

describe("hardware profiles", () => {
  it("reads ranges, accelerators and scheduling", () => {
    const profile = read({
      identifiers: [
        { identifier: "cpu", resourceType: "CPU", defaultCount: 0.5, maxCount: "2", minCount: 0, displayName: "CPU" },
        { identifier: "memory", defaultCount: "8Gi" },
        { identifier: "ephemeral-storage", defaultCount: "10Gi", maxCount: "20Gi" },
        { identifier: "example.com/gpu", resourceType: "Accelerator", defaultCount: 2, maxCount: 4 },
        { identifier: "example.com/fpga", defaultCount: "0" }
      ],
      scheduling: { type: "Queue", kueue: { localQueueName: "gpu-q", priorityClass: "high" } }
    })
    assert.deepStrictEqual(
      profile,
      Either.right({
        name: "large",
        cpu: { request: "500m", limit: "2" },
        memory: { request: "8Gi" },
        ephemeralStorage: { request: "10Gi", limit: "20Gi" },
        accelerators: [
          { name: "example.com/gpu", count: "2" },
          { name: "example.com/fpga", count: "0" }
        ],
        scheduling: { type: "Queue", queueName: "gpu-q", priorityClass: "high" }
      })
    )
  })
  it("reads node scheduling", () => {
    const profile = read({
      identifiers: [],
      scheduling: {
        type: "Node",
        node: {
          nodeSelector: { "example.com/pool": "gpu" },
          tolerations: [
            { key: "gpu", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
            { operator: "Exists", value: "" }
          ]
        }
      }
    })
    assert.deepStrictEqual(Either.getOrThrow(profile).scheduling, {
      type: "Node",
      nodeSelector: { "example.com/pool": "gpu" },
      tolerations: [
        { key: "gpu", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
        { operator: "Exists" }
      ]
    })
  })
  it.each(["", "None", "none", null])("priority class %j means none", (priorityClass) => {
    const profile = read({ scheduling: { type: "Queue", queuesys: { localQueueName: "q", priorityClass } } })
    assert.deepStrictEqual(Either.getOrThrow(profile).scheduling, { type: "Queue", queueName: "q" })
  })
  it("is disabled by exactly 'true'", () => {
    const disabled = read({}, { "example.io/disabled": "true" })
    assert.strictEqual(Either.isLeft(disabled) ? disabled.left[0]?.code : "", "hardware_profile_disabled")
    for (const value of ["True", "false", true, ""])
      assert.isTrue(Either.isRight(read({}, { "example.io/disabled": value })))
    assert.isTrue(Either.isRight(read({}, { "other.io/disabled": "true" })))
  })
  it.each<readonly [unknown, RegExp]>([
    [undefined, /no spec/],
    [{ identifiers: {} }, /must be a list/],
    [{ identifiers: [7] }, /\[0\] must be an object/],
    [{ identifiers: [{ defaultCount: 1 }] }, /identifier must be a text/],
    [{ identifiers: [{ identifier: "cpu" }] }, /defaultCount must be a number/],
    [{ identifiers: [{ identifier: "cpu", resourceType: "Disk", defaultCount: 1 }] }, /resourceType 'Disk'/],
    [{ identifiers: [{ identifier: "cpu", resourceType: "constructor", defaultCount: 1 }] }, /resourceType/],
    [{ identifiers: [{ identifier: "cpu", defaultCount: "1Q" }] }, /suffix/],
    [{ identifiers: [{ identifier: "cpu", defaultCount: -1 }] }, /negative/],
    [{ identifiers: [{ identifier: "cpu", defaultCount: 4, maxCount: 2 }] }, /smaller than defaultCount/],
    [{ identifiers: [{ identifier: "memory", defaultCount: 1.5 }] }, /whole number/],
    [{ identifiers: [{ identifier: "memory", defaultCount: "1Mi", maxCount: "2Mi" }] }, /at least 6Mi/],
    [{ identifiers: [{ identifier: "example.com/gpu", defaultCount: "0.5" }] }, /whole number of devices/],
    [{ identifiers: [{ identifier: "gpu", defaultCount: 1 }] }, /extended resource/],
    [
      {
        identifiers: [
          { identifier: "cpu", defaultCount: 1 },
          { identifier: "c", resourceType: "CPU", defaultCount: 1 }
        ]
      },
      /cpu is given twice/
    ],
    [
      {
        identifiers: [
          { identifier: "e.x/g", defaultCount: 1 },
          { identifier: "e.x/g", defaultCount: 1 }
        ]
      },
      /given twice/
    ],
    [{ scheduling: { type: "Pool" } }, /type 'Pool'/],
    [{ scheduling: { type: "Queue" } }, /localQueueName is required/],
    [{ scheduling: { type: "Queue", queuesys: { localQueueName: "Q" } } }, /RFC 1123/],
    [{ scheduling: { type: "Node", node: { nodeSelector: { a: 1 } } } }, /no legal label/],
    [{ scheduling: { type: "Node", node: { tolerations: [{ operator: "Equal" }] } } }, /needs a key/],
    [{ scheduling: { type: "Node", node: { tolerations: [{ key: "a", effect: "Never" }] } } }, /unknown effect/]
  ])("refuses %j", (spec, why) => {
    assert.match(problems(spec).join("\n"), why)
  })
  it("tells all problems at once", () => {
    assert.lengthOf(
      problems({
        identifiers: [
          { identifier: "cpu", defaultCount: "x" },
          { identifier: "gpu", defaultCount: 1 }
        ],
        scheduling: { type: "x" }
      }),
      3
    )
  })
  it("is total over any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (resource, identifier, scheduling) => {
        readHardwareProfile(resource, options)
        const result = read({ identifiers: [identifier], scheduling })
        if (Either.isLeft(result)) assert.isAbove(result.left.length, 0)
      })
    )
  })
  it("a missing namespace variable is said so", () => {
    assert.match(wireSentence(profileNotFound("p", undefined, []).message), /SERVICE_HARDWARE_PROFILES_NAMESPACE/)
    assert.match(wireSentence(profileNotFound("p", "ns", []).message), /namespace 'ns'/)
    assert.strictEqual(profileNotFound("p", "ns", []).code, "hardware_profile_not_found")
  })
})
