import { defineConfig } from "vitest/config"

/** suites that measure time: they run after the others, one file at a time, so that nothing else disturbs what they measure */
const timed = [
  "test/integration/providers/demo-model/server.test.ts",
  "test/integration/providers/evald/demo-load.test.ts",
  "test/integration/interfaces/http/gateway/model-gateway.test.ts",
  "test/integration/interfaces/sidecar/streams.test.ts",
  "test/integration/infrastructure/kubernetes/removal.test.ts"
]

const project = (name: string, extra: Record<string, unknown> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: "node" as const,
    setupFiles: ["test/support/seeded.setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...extra
  }
})
const alone = (groupOrder: number) => ({ fileParallelism: false, sequence: { groupOrder } })

export default defineConfig({
  test: {
    // many suites wait for processes and timers: more workers than the two cores of a small machine
    maxWorkers: 3,
    minWorkers: 1,
    silent: "passed-only",
    projects: [
      project("unit"),
      project("property", { testTimeout: 60_000 }),
      project("contract"),
      project("integration", { exclude: timed }),
      project("timed", { include: timed, testTimeout: 90_000, ...alone(1) }),
      project("e2e", { testTimeout: 120_000, ...alone(2) }),
      project("peers", { testTimeout: 600_000, hookTimeout: 600_000, globalSetup: "test/support/postgres.setup.ts", ...alone(3) }),
      project("cluster", {
        testTimeout: 300_000,
        hookTimeout: 600_000,
        globalSetup: ["test/cluster/control-plane.setup.ts", "test/support/postgres.setup.ts"],
        ...alone(4)
      }),
      // outside CI: frameworks of several gigabytes, and an hour of load
      project("heavy", { testTimeout: 3_600_000, hookTimeout: 3_600_000, ...alone(5) }),
      project("soak", { testTimeout: 5_400_000, hookTimeout: 600_000, ...alone(6) })
    ]
  }
})
