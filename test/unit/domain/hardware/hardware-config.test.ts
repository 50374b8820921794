import { assert, describe, it } from "@effect/vitest"
import { checkHardware, type HardwareConfig } from "../../../../domain/hardware/hardware-config.ts"
import { checkQueue } from "../../../../domain/hardware/queue.ts"

const paths = (config: HardwareConfig) => checkHardware(config, "/hc").map(({ path }) => path)

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
    [{ profileName: "Large" }, ["/hc/hardware_profile_name"]],
    [{ profileName: "a.b" }, ["/hc/hardware_profile_name"]],
    [{ profileName: "p", cpu: {} }, ["/hc/hardware_profile_name"]],
    [{ profileName: "p", queue: { name: "q" } }, ["/hc/hardware_profile_name"]],
    [{ cpu: { request: "0.0005" } }, ["/hc/cpu/request"]],
    [{ cpu: { request: "-1" } }, ["/hc/cpu/request"]],
    [{ cpu: { request: "1Q", limit: "" } }, ["/hc/cpu/request", "/hc/cpu/limit"]],
    [{ memory: { limit: "5Mi" } }, ["/hc/memory/limit"]],
    [{ memory: { request: "2Gi", limit: "1Gi" } }, ["/hc/memory/request"]],
    [{ gpu: { count: 1 } }, ["/hc/gpu/name"]],
    [{ gpu: { name: "nvidia", count: 1 } }, ["/hc/gpu/name"]],
    [{ gpu: { name: "kubernetes.io/gpu", count: 1 } }, ["/hc/gpu/name"]],
    [{ gpu: { name: "example.com/gpu" } }, ["/hc/gpu/count"]],
    [{ gpu: { name: "example.com/gpu", count: 1.5 } }, ["/hc/gpu/count"]],
    [{ gpu: { name: "example.com/gpu", count: -1 } }, ["/hc/gpu/count"]],
    [{ queue: { kind: "slurm", name: "q" } }, ["/hc/queue/kind"]],
    [{ queue: {} }, ["/hc/queue/name"]],
    [{ queue: { name: "Q" } }, ["/hc/queue/name"]],
    [{ queue: { name: "q".repeat(64) } }, ["/hc/queue/name"]]
  ])("refuses %j", (config, expected) => {
    assert.deepStrictEqual(paths(config), expected)
    for (const { code } of checkHardware(config, "/hc")) assert.strictEqual(code, "invalid_value")
  })

  it("names the fields that exclude a profile", () => {
    assert.match(
      checkHardware({ profileName: "p", cpu: { limit: "1" }, gpu: { count: 0 } }, "")[0]?.message ?? "",
      /'cpu', 'gpu'/
    )
  })
  it("checks the deprecated queue the same way", () => {
    assert.deepStrictEqual(
      checkQueue({ kind: "x" }, "/queue").map(({ path }) => path),
      ["/queue/kind", "/queue/name"]
    )
  })
})
