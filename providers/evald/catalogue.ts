/** Every embedded benchmark, one line per family. The ids are those of the shipped provider file; a test compares both. */
import { arithBasic } from "./arithmetic/arith-basic.ts"
import { arithMultistep } from "./arithmetic/arith-multistep.ts"
import type { EmbeddedBenchmark } from "./benchmark.ts"
import { mcqGeneral, mcqSafetyKnowledge, mcqScience } from "./knowledge/mcq.ts"
import { logicDeduction } from "./logic/logic-deduction.ts"

const BENCHMARKS: ReadonlyArray<EmbeddedBenchmark> = [...[arithBasic, arithMultistep], ...[logicDeduction], ...[mcqGeneral, mcqScience, mcqSafetyKnowledge]]

export const benchmarkIds: ReadonlyArray<string> = BENCHMARKS.map(({ id }) => id)

export const benchmarkById = (id: string): EmbeddedBenchmark | undefined => BENCHMARKS.find((benchmark) => benchmark.id === id)
