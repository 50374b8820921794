import { defineConfig } from "vitest/config"

/** tests against real peers (PostgreSQL from npm), apart from `npm test` because they start servers */
export default defineConfig({
  test: {
    name: "peers",
    include: ["test/peers/**/*.test.ts"],
    environment: "node",
    globalSetup: ["test/support/postgres.setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
