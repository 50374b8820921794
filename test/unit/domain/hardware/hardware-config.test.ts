import { assert, describe, it } from "@effect/vitest"
import { wirePointer, wireSentence } from "../../../../config/wire-names.ts"
import { checkHardware, type HardwareConfig } from "../../../../domain/hardware/hardware-config.ts"
import { checkQueue } from "../../../../domain/hardware/queue.ts"

const paths = (config: HardwareConfig) => checkHardware(config, ["hardware"]).map(({ path }) => wirePointer(path))

describe("hardware configuration", () => {
  it.each<HardwareConfig>([
    {},
    { profileName: "large-gpu" },
    {
      cpu: { request: "500m", limit: "2" },
      memory: { request: "4Gi", limit: "4Gi" },
      gpu: { name: "example.com/gpu", count: 2 },
      queue: { name: "team.q" }
    },
    { cpu: { limit: "+2" }, memory: { request: "1e9" } },
    { gpu: { count: 0 } },
    { gpu: { name: "example.com/gpu", count: 0 } },
    { queue: { kind: "kueue", name: "q" } }
  ])("accepts %j", (config) => assert.deepStrictEqual(paths(config), []))

  it.each<readonly [HardwareConfig, ReadonlyArray<string>]>([
    [{ profileName: "Large" }, ["/hardware_config/hardware_profile_name"]],
    [{ profileName: "a.b" }, ["/hardware_config/hardware_profile_name"]],
    [{ profileName: "p", cpu: {} }, ["/hardware_config/hardware_profile_name"]],
    [{ profileName: "p", queue: { name: "q" } }, ["/hardware_config/hardware_profile_name"]],
    [{ cpu: { request: "0.0005" } }, ["/hardware_config/cpu/request"]],
    [{ cpu: { request: "-1" } }, ["/hardware_config/cpu/request"]],
    [{ cpu: { request: "1Q", limit: "" } }, ["/hardware_config/cpu/request", "/hardware_config/cpu/limit"]],
    [{ memory: { limit: "5Mi" } }, ["/hardware_config/memory/limit"]],
    [{ memory: { request: "2Gi", limit: "1Gi" } }, ["/hardware_config/memory/request"]],
    [{ gpu: { count: 1 } }, ["/hardware_config/gpu/name"]],
    [{ gpu: { name: "nvidia", count: 1 } }, ["/hardware_config/gpu/name"]],
    [{ gpu: { name: "kubernetes.io/gpu", count: 1 } }, ["/hardware_config/gpu/name"]],
    [{ gpu: { name: "example.com/gpu" } }, ["/hardware_config/gpu/count"]],
    [{ gpu: { name: "example.com/gpu", count: 1.5 } }, ["/hardware_config/gpu/count"]],
    [{ gpu: { name: "example.com/gpu", count: -1 } }, ["/hardware_config/gpu/count"]],
    [{ queue: { kind: "slurm", name: "q" } }, ["/hardware_config/queue/kind"]],
    [{ queue: {} }, ["/hardware_config/queue/name"]],
    [{ queue: { name: "Q" } }, ["/hardware_config/queue/name"]],
    [{ queue: { name: "q".repeat(64) } }, ["/hardware_config/queue/name"]]
  ])("refuses %j", (config, expected) => {
    assert.deepStrictEqual(paths(config), expected)
    for (const { code } of checkHardware(config, ["hardware"])) assert.strictEqual(code, "invalid_value")
  })

  it("names the fields that exclude a profile", () => {
    assert.match(
      checkHardware({ profileName: "p", cpu: { limit: "1" }, gpu: { count: 0 } }, [])
        .map(({ message }) => wireSentence(message))
        .join(),
      /'cpu', 'gpu'/
    )
  })
  it("checks the deprecated queue the same way", () => {
    assert.deepStrictEqual(
      checkQueue({ kind: "x" }, ["queue"]).map(({ path }) => wirePointer(path)),
      ["/queue/kind", "/queue/name"]
    )
  })
})
