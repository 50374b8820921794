/**
 * `npm run bench [-- --only P1,P3] [--db sqlite|postgres] [--seconds N] [--queued N] [--samples N | --million] [--new-postgres] [--markdown FILE]`: figures of this machine against
 * the targets; `--markdown docs/figures.md` puts the table there. Machines are noisy: compare within one run. Exit code 0 whatever the figures say; it measures, it does not judge a change.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { afterMixedLoad, asAdaptersSend } from "./as-adapters-send.ts"
import { type Kind, kinds, newPostgres, stopDatabases } from "./databases.ts"
import { audit } from "./decisions/audit.ts"
import { comparison } from "./decisions/comparison.ts"
import { explanation } from "./decisions/explanation.ts"
import { metering } from "./decisions/metering.ts"
import { rerun } from "./decisions/rerun.ts"
import { definitions } from "./definitions.ts"
import { largeBodies } from "./large-bodies.ts"
import { inManyJobs } from "./lists.ts"
import { localUnits } from "./local-units.ts"
import { head, type Measure, meets, row } from "./measure.ts"
import { readsAndWrites } from "./reads-and-writes.ts"
import { restart } from "./restart.ts"
import { samples } from "./samples/storing-and-reading.ts"
import { sidecar } from "./sidecar.ts"
import { startAndMemory } from "./start-and-memory.ts"
import { watchers } from "./watchers.ts"

/** strict: a word that it does not know would start all of it, for an hour */
const { values: given } = parseArgs({
  options: {
    ...{ only: { type: "string" }, db: { type: "string" }, seconds: { type: "string", default: "3" } },
    ...{ queued: { type: "string", default: "10000" }, samples: { type: "string", default: "100000" } },
    ...{ million: { type: "boolean" }, "new-postgres": { type: "boolean" }, markdown: { type: "string" } }
  }
})
const seconds = Number(given.seconds)
const queued = Number(given.queued)
/** the full million takes minutes on each database, and is asked for */
const stored = given.million === true ? 1_000_000 : Number(given.samples)
const only = given.only?.split(",")
const chosen = given.db
const databases = kinds.filter((kind) => chosen === undefined || kind === chosen)
const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
if (databases.length === 0) refuse(`--db ${chosen}: the bench knows ${kinds.join(", ")}`)
if (given["new-postgres"] === true) newPostgres()
const wanted = (id: string): boolean => only === undefined || only.includes(id)

interface Group {
  readonly ids: ReadonlyArray<string>
  readonly on?: Kind
  readonly run: () => Promise<ReadonlyArray<Measure>>
}

const onEach = (
  ids: ReadonlyArray<string>,
  run: (kind: Kind) => Promise<ReadonlyArray<Measure>>
): ReadonlyArray<Group> => databases.map((kind) => ({ ids, on: kind, run: () => run(kind) }))

const groups: ReadonlyArray<Group> = [
  { ids: ["P1", "P2"], run: startAndMemory },
  ...onEach(["P3", "P4", "P6"], (kind) => readsAndWrites(kind, seconds, wanted)),
  ...onEach(["P2", "P5", "P6", "P15"], (kind) => inManyJobs(kind, seconds, wanted)),
  ...onEach(["P7"], watchers),
  ...onEach(["B8"], largeBodies),
  { ids: ["P8", "P9"], run: () => localUnits(queued) },
  { ids: ["P10", "P12"], run: () => sidecar(seconds) },
  ...onEach(["P11"], restart),
  ...onEach(["P13"], (kind) => definitions(kind, seconds)),
  { ids: ["P14"], run: () => asAdaptersSend(seconds) },
  { ids: ["P15"], run: () => afterMixedLoad(seconds) },
  ...onEach(["P16"], (kind) => samples(kind, stored)),
  ...onEach(["P17"], comparison),
  ...onEach(["P18"], explanation),
  ...onEach(["P17"], rerun),
  { ids: ["P19"], run: metering },
  ...onEach(["P20"], audit)
]

const known = new Set(groups.flatMap(({ ids }) => ids))
const strange = only?.filter((id) => !known.has(id)) ?? []
if (strange.length > 0) refuse(`--only ${strange.join(",")}: the bench knows ${[...known].join(", ")}`)

const numberOf = ({ id }: Measure): number => Number(id.slice(1))

const begin = performance.now()
const measures: Array<Measure> = []
for (const { ids, on, run } of groups) {
  if (!ids.some(wanted)) continue
  const elapsed = Math.round((performance.now() - begin) / 1000)
  process.stderr.write(
    `${String(elapsed).padStart(4)} s  ${ids.filter(wanted).join(", ")}${on === undefined ? "" : ` on ${on}`} …\n`
  )
  for (const measure of await run()) {
    measures.push(measure)
    process.stderr.write(`${row(measure)}\n`)
  }
}
await stopDatabases()

const table = [...head, ...measures.toSorted((a, b) => numberOf(a) - numberOf(b)).map(row)].join("\n")
const met = `${measures.filter(meets).length} of ${measures.length} targets met`
const date = new Date(performance.timeOrigin).toISOString().slice(0, 10)
const where = `Measured on ${date} on ${cpus().length} shared virtual cores with the load generator and PostgreSQL on the same ones, Node.js ${process.versions.node}`
const result = `${where}; ${met}.\n\n${table}`
console.log(`\n${result}\n\nin ${Math.round((performance.now() - begin) / 1000)} s`)

const [opening, closing] = ["<!-- bench:begin -->", "<!-- bench:end -->"]

/** between its marks when the file has them, as docs/figures.md does; else the file is the result */
const placed = (before: string): string => {
  const [from, to] = [before.indexOf(opening), before.indexOf(closing)]
  return from < 0 || to < from ? `${result}\n` : `${before.slice(0, from)}${opening}\n${result}\n${before.slice(to)}`
}
const file = given.markdown
if (file !== undefined) writeFileSync(file, placed(existsSync(file) ? readFileSync(file, "utf8") : ""))
process.exit(0)
