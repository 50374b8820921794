import { defineConfig } from "vitest/config"
import { quickSuites } from "./deploy/budgets.mjs"
import LongestFirst from "./test/support/run/longest-first.ts"
import { seedOf, seedVariable } from "./test/support/seed.ts"

// the workers inherit it
process.env[seedVariable] = String(seedOf(process.env))

/** a suite is a folder of test/; suites run in the order of their ranks, which are compared as texts */
const suite = (name: string, rank: number, extra: Record<string, unknown> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: "node" as const,
    setupFiles: ["test/support/every-file.setup.ts"],
    runner: "test/support/run/lean-runner.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { groupOrder: rank },
    ...extra
  }
})
/**
 * What `npm test` asks for: its suites as one project. Between two projects a worker is replaced, so that each suite would import everything
 * anew and end with workers that wait for its last file. It is there when it is asked for by name: without one a file belongs to its suite.
 */
const together = process.argv.some((argument) => /^(--project=)?quick$/.test(argument))
  ? [suite("quick", 9, { include: quickSuites.map((name) => `test/${name}/**/*.test.ts`), testTimeout: 120_000 })]
  : []
/** one file at a time, for what measures */
const oneByOne = { poolOptions: { forks: { singleFork: true } } }

// many suites wait for processes and timers: more workers than the two cores of a small machine
const named = process.argv.filter((argument) => argument.endsWith(".test.ts")).length
const workers = named === 0 ? 3 : Math.min(3, named)

export default defineConfig({
  test: {
    // a worker keeps what it has imported for all files it runs: importing for every file anew is most of the time of a run
    pool: "forks",
    // tests make and drop much: the memory for what is new is cleared less often when it is larger than the usual 16 MB
    poolOptions: { forks: { isolate: false, execArgv: ["--max-semi-space-size=64"] } },
    maxWorkers: workers,
    // the pool ends idle workers beyond the minimum, and ending one while it is recycled fails the run
    minWorkers: workers,
    silent: "passed-only",
    reporters: ["default", "./test/support/seed-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...together,
      suite("unit", 10),
      suite("property", 11, { testTimeout: 60_000 }),
      suite("contract", 12),
      suite("integration", 13),
      suite("e2e", 14, { testTimeout: 120_000 }),
      // whether results can be believed: simulations of what is promised about intervals and verdicts, and planted faults
      suite("trust", 15, { testTimeout: 120_000 }),
      // what a person does at the command line, with servers, databases, keys and benchmarks of their own
      suite("faces", 16, { testTimeout: 120_000 }),
      // every screen of the pages in a real browser
      suite("browser", 17, {
        testTimeout: 60_000,
        hookTimeout: 120_000,
        globalSetup: "test/browser/support/shared.setup.ts"
      }),
      // the same pages over as much as they have to bear: what they take is measured, and nothing else may run meanwhile
      suite("volume", 171, {
        testTimeout: 90_000,
        hookTimeout: 120_000,
        globalSetup: "test/browser/support/shared.setup.ts",
        ...oneByOne
      }),
      // people at work with commands and pages; when their page is written, one after the other
      suite("stories", 18, { testTimeout: 60_000, ...(process.env["EVALD_STORIES"] === "write" ? oneByOne : {}) }),
      // what measures time: nothing else may run meanwhile
      suite("timed", 20, { testTimeout: 90_000, ...oneByOne }),
      suite("peers", 30, { testTimeout: 600_000, hookTimeout: 600_000, globalSetup: "test/support/postgres.setup.ts" }),
      suite("cluster", 31, {
        testTimeout: 300_000,
        hookTimeout: 600_000,
        // pods run from the made image; where it cannot be made, from the checkout
        globalSetup: [
          "test/cluster/control-plane.setup.ts",
          "test/support/postgres.setup.ts",
          "test/image/image.setup.ts"
        ]
      }),
      // operators on a control plane of their own, one at a time: what they wait for is theirs and not another one's
      suite("operator", 34, {
        testTimeout: 300_000,
        hookTimeout: 600_000,
        globalSetup: ["test/cluster/control-plane.setup.ts"],
        ...oneByOne
      }),
      // every way to install makes the same objects: one at a time on the one control plane
      suite("install", 33, {
        hookTimeout: 1_800_000,
        globalSetup: ["test/install/control-plane.setup.ts", "test/image/image.setup.ts"],
        ...oneByOne
      }),
      suite("image", 32, {
        testTimeout: 180_000,
        hookTimeout: 1_800_000,
        globalSetup: ["test/image/image.setup.ts", "test/support/postgres.setup.ts"]
      }),
      // outside CI: frameworks of several gigabytes, and hours of load
      suite("heavy", 40, { testTimeout: 3_600_000, hookTimeout: 3_600_000 }),
      suite("soak", 41, {
        testTimeout: 5_400_000,
        hookTimeout: 600_000,
        globalSetup: ["test/cluster/control-plane.setup.ts"],
        ...oneByOne
      })
    ]
  }
})
