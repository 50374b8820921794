/** After a run: how long each suite took and might take. One beyond its budget, or without one, fails the run. */
import type { Reporter, TestModule } from "vitest/node"
import { budgetOf, excessOf, sums } from "../../deploy/budgets.mjs"

export default class BudgetReporter implements Reporter {
  /** suites run one after the other: from the first file that begins to the last one that ends */
  private readonly spans = new Map<string, { readonly from: number; to: number }>()

  onTestModuleQueued({ project }: TestModule): void {
    const now = performance.now()
    if (!this.spans.has(project.name)) this.spans.set(project.name, { from: now, to: now })
  }

  onTestModuleEnd({ project }: TestModule): void {
    const span = this.spans.get(project.name)
    if (span !== undefined) span.to = performance.now()
  }

  onTestRunEnd(): void {
    const took = new Map([...this.spans].map(([name, { from, to }]) => [name, (to - from) / 1000]))
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
