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
/** the groups run one after the other */
const group = (groupOrder: number) => ({ sequence: { groupOrder } })
/** one file at a time */
const oneByOne = { poolOptions: { forks: { singleFork: true } } }

export default defineConfig({
  test: {
    // a worker keeps what it has imported for all files it runs: importing for every file anew is most of the time of a run
    pool: "forks",
    poolOptions: { forks: { isolate: false } },
    // many suites wait for processes and timers: more workers than the two cores of a small machine
    maxWorkers: 3,
    // the pool ends idle workers beyond the minimum, and ending one while it is recycled fails the run
    minWorkers: 3,
    silent: "passed-only",
    projects: [
      project("unit"),
      project("property", { testTimeout: 60_000 }),
      project("contract"),
      project("integration", { exclude: timed }),
      project("timed", { include: timed, testTimeout: 90_000, ...group(1), ...oneByOne }),
      project("e2e", { testTimeout: 120_000, ...group(2) }),
      project("peers", { testTimeout: 600_000, hookTimeout: 600_000, globalSetup: "test/support/postgres.setup.ts", ...group(3) }),
      project("cluster", {
        testTimeout: 300_000,
        hookTimeout: 600_000,
        globalSetup: ["test/cluster/control-plane.setup.ts", "test/support/postgres.setup.ts"],
        ...group(4)
      }),
      // outside CI: frameworks of several gigabytes, and an hour of load
      project("heavy", { testTimeout: 3_600_000, hookTimeout: 3_600_000, ...group(5) }),
      project("soak", { testTimeout: 5_400_000, hookTimeout: 600_000, ...group(6) })
    ]
  }
})
