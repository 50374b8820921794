/**
 * After a run: how long each suite took and might take. One beyond its budget, or without one, fails the run. A suite that runs alone takes
 * from its first file to its last one. Of suites that share the workers, as in `npm test`, each takes its share of them: the seconds of its
 * files over the workers, and never less than its longest file, for which it would have to wait if it ran alone.
 */
import { relative, sep } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import { budgetOf, excessOf, sums } from "../../deploy/budgets.mjs"
import { type FileTimes, secondsOfSuites } from "./run/suite-seconds.ts"

export default class BudgetReporter implements Reporter {
  private readonly files = new Map<string, FileTimes & { to: number }>()
  private root = ""
  private workers = 1

  onInit({ config }: Vitest): void {
    this.root = config.root
    this.workers = Number(config.maxWorkers)
  }

  onTestModuleQueued({ moduleId, project }: TestModule): void {
    const now = performance.now()
    const [, suite = ""] = relative(this.root, moduleId).split(sep)
    if (!this.files.has(moduleId))
      this.files.set(moduleId, { suite, shared: project.name !== suite, from: now, to: now })
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    const file = this.files.get(moduleId)
    if (file !== undefined) file.to = performance.now()
  }

  onTestRunEnd(): void {
    const took = secondsOfSuites([...this.files.values()], this.workers)
    for (const [name, parts] of Object.entries(sums))
      if (parts.every((part) => took.has(part)))
        took.set(
          name,
          parts.reduce((sum, part) => sum + (took.get(part) ?? 0), 0)
        )
    for (const [name, seconds] of took) {
      const excess = excessOf(name, seconds)
      process.stderr.write(
        excess === undefined
          ? `${name}: ${seconds.toFixed(1)} s of ${budgetOf(name)} s\n`
          : `BEYOND ITS BUDGET: ${excess}\n`
      )
      if (excess !== undefined) process.exitCode = 1
    }
  }
}
