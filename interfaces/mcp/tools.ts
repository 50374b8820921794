/** The tools in the order in which agents see them. */
import { findBenchmarks, getBenchmark } from "./catalogue-tools.ts"
import { decidingTools } from "./deciding-tools.ts"
import { jobTools } from "./job-tools.ts"
import { planJob } from "./planning.ts"
import type { Tool } from "./tool.ts"

export const readingTools: ReadonlyArray<Tool> = [findBenchmarks, getBenchmark, ...jobTools, ...decidingTools, planJob]
