import { defineConfig } from "vitest/config"

const project = (name: string, extra: Record<string, unknown> = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], environment: "node" as const, testTimeout: 30_000, hookTimeout: 60_000, ...extra }
})

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
      project("integration"),
      project("e2e", { testTimeout: 120_000 }),
      project("peers", { testTimeout: 600_000, hookTimeout: 600_000 }),
      project("cluster", { testTimeout: 300_000, hookTimeout: 600_000, globalSetup: "test/cluster/control-plane.setup.ts" })
    ]
  }
})
