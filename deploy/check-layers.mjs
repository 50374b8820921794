// The import rules of ARCHITECTURE.md, the sizes of folders and functions, and what stands twice. dependency-cruiser reports success when it read nothing, so the modules it saw are counted
// against the files that exist.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { definitionProblems, duplicateProblems } from "./duplicates.mjs"
import { sizeProblems } from "./sizes.mjs"

const folders = ["domain", "application", "infrastructure", "interfaces", "config", "providers", "values", "test"]
const sources = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.includes("/fixtures/"))
)
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [
    "node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
    ...folders,
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "json"
  ],
  { encoding: "utf8", maxBuffer: 2e8 }
)
if (!stdout.startsWith("{")) {
  console.error(stderr || stdout)
  process.exit(status || 1)
}
const { summary, modules } = JSON.parse(stdout)
const seen = new Set(modules.map(({ source }) => source))
const missed = sources.filter((path) => !seen.has(path))
for (const { rule, from, to } of summary.violations) console.error(`${rule.severity} ${rule.name}: ${from} -> ${to}`)
if (missed.length > 0)
  console.error(
    `dependency-cruiser did not read ${missed.length} of ${sources.length} modules, among them ${missed.slice(0, 3).join(", ")}`
  )
const others = [
  ...sizeProblems(sources),
  ...duplicateProblems(sources),
  // tests set up alike
  ...definitionProblems(sources.filter((path) => !path.startsWith("test/")))
]
for (const problem of others) console.error(problem)
const failed = summary.violations.length > 0 || others.length > 0 || missed.length > 0 || sources.length < 50
console.log(
  `layers: ${sources.length} modules, ${summary.totalDependenciesCruised} imports, ${summary.violations.length} violations`
)
process.exit(failed ? 1 : 0)
