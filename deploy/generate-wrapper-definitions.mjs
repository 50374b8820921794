// Writes what a wrapper must know of its shipped provider file as a TypeScript table: job.json carries neither the task's name nor the
// requirements, and an adapter does not read the server's files. A test keeps both equal. Usage: node deploy/generate-wrapper-definitions.mjs
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { parse } from "yaml"

const wrappers = ["lm_evaluation_harness", "lighteval", "guidellm", "garak", "inspect"]

const given = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

for (const id of wrappers) {
  const folder = `providers/${id.replaceAll("_", "-")}`
  if (!existsSync(folder)) continue
  const { parameters, benchmarks } = parse(readFileSync(`config/providers/${id}.yaml`, "utf8"))
  const rows = benchmarks.map(
    ({
      id,
      num_few_shot: fewShot,
      primary_score: primary,
      requirements: { endpoint, framework_task: task, flags, percent_metrics }
    }) => given({ id, endpoint, task, flags, percentMetrics: percent_metrics, fewShot, primary: primary?.metric })
  )
  const declared = parameters.map(({ description: _, ...rest }) => given(rest))
  const lines = (list) => list.map((one) => JSON.stringify(one)).join(",\n")
  writeFileSync(
    `${folder}/definition.ts`,
    `/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {parameters: [${lines(declared)}], rows: [${lines(rows)}]}
`
  )
  spawnSync("npx", ["biome", "check", "--write", `${folder}/definition.ts`], { stdio: "inherit" })
}
