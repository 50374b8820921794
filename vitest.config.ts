import { defineConfig } from "vitest/config"

const project = (name: string, extra: Record<string, unknown> = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], environment: "node" as const, testTimeout: 30_000, hookTimeout: 60_000, ...extra }
})

export default defineConfig({
  test: {
    projects: [
      project("unit"),
      project("property", { testTimeout: 60_000 }),
      project("contract"),
      project("integration"),
      project("e2e", { testTimeout: 120_000 })
    ]
  }
})
