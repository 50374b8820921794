/**
 * `npm run bench [-- --only P1,P3] [--seconds N] [--queued N]`: figures of this machine against the targets. Machines are noisy: compare
 * within one run. Exit code 0 whatever the figures say; it measures, it does not judge a change.
 */
import { cpus, totalmem } from "node:os"
import { localUnits } from "./local-units.ts"
import { head, type Measure, meets, row } from "./measure.ts"
import { readsAndWrites } from "./reads-and-writes.ts"
import { sidecar } from "./sidecar.ts"
import { startAndMemory } from "./start-and-memory.ts"

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}
const seconds = Number(value("seconds") ?? 4)
const queued = Number(value("queued") ?? 10_000)
const only = value("only")?.split(",")

const groups: ReadonlyArray<readonly [ids: ReadonlyArray<string>, run: () => Promise<ReadonlyArray<Measure>>]> = [
  [["P1", "P2"], startAndMemory],
  [["P3", "P4", "P6"], () => readsAndWrites(seconds)],
  [["P8", "P9"], () => localUnits(queued)],
  [["P10", "P12"], () => sidecar(seconds)]
]

const measures: Array<Measure> = []
for (const [ids, run] of groups) {
  if (only !== undefined && !ids.some((id) => only.includes(id))) continue
  process.stderr.write(`measuring ${ids.join(", ")} …\n`)
  for (const measure of await run()) {
    measures.push(measure)
    process.stderr.write(`${row(measure)}\n`)
  }
}
const [cpu] = cpus()
console.log(`\n${cpus().length} × ${cpu?.model ?? "unknown processor"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node.js ${process.versions.node}\n`)
console.log([...head, ...measures.map(row)].join("\n"))
console.log(`\n${measures.filter(meets).length} of ${measures.length} targets met`)
