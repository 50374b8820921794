/** Says before and after a run with which seed chance was drawn, and how to draw the same again. */
import type { Reporter } from "vitest/node"
import { seedVariable } from "./seed.ts"

export default class SeedReporter implements Reporter {
  private readonly say = (): void => {
    process.stderr.write(
      `seed of property and fuzz tests: ${process.env[seedVariable]} (again with ${seedVariable}=${process.env[seedVariable]})\n`
    )
  }

  onInit(): void {
    this.say()
  }

  onTestRunEnd(): void {
    this.say()
  }
}
