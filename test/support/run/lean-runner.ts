/** Runs a test file as vitest does, but for what it would tell about imports. */
import { VitestTestRunner } from "vitest/runners"

export default class LeanRunner extends VitestTestRunner {
  /** A shared worker would list all modules that it has ever imported after each file: over 400 files the lists of a thousand take seconds. */
  override getImportDurations(): Record<string, never> {
    return {}
  }
}
