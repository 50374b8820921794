/** Every embedded benchmark, one line per family. The ids are those of the shipped provider file; a test compares both. */
import { arithBasic } from "./arithmetic/arith-basic.ts"
import { arithMultistep } from "./arithmetic/arith-multistep.ts"
import type { EmbeddedBenchmark } from "./benchmark.ts"
import { codeJsSmall } from "./code/code-js-small.ts"
import { customJsonl } from "./custom/custom-jsonl.ts"
import { dateUnderstanding } from "./dates/date-understanding.ts"
import { multiTurnMemory } from "./dialogue/multi-turn-memory.ts"
import { ifevalLite } from "./instructions/ifeval-lite.ts"
import { judgeFaithfulness } from "./judge/judge-faithfulness.ts"
import { judgeRelevancy } from "./judge/judge-relevancy.ts"
import { mcqGeneral, mcqSafetyKnowledge, mcqScience } from "./knowledge/mcq.ts"
import { multilingualNumbers } from "./languages/multilingual-numbers.ts"
import { booleanExpressions } from "./logic/boolean-expressions.ts"
import { dyckCompletion } from "./logic/dyck-completion.ts"
import { logicDeduction } from "./logic/logic-deduction.ts"
import { objectTracking } from "./logic/object-tracking.ts"
import { commonWords } from "./long-context/common-words.ts"
import { needleMultikey, needleSingle } from "./long-context/needles.ts"
import { variableTracking } from "./long-context/variable-tracking.ts"
import {
  perfConcurrent,
  perfConstant,
  perfPoisson,
  perfQuick,
  perfSynchronous,
  perfThroughput
} from "./performance/profiles.ts"
import { perfSweep } from "./performance/sweep.ts"
import { calibrationMcq } from "./robustness/calibration-mcq.ts"
import { robustnessShuffle } from "./robustness/robustness-shuffle.ts"
import { safetyEncoding } from "./safety/encoding.ts"
import { safetyExfil } from "./safety/exfil.ts"
import { safetyInjection } from "./safety/injection.ts"
import { safetyJailbreak } from "./safety/jailbreak.ts"
import { safetyOverrefusal } from "./safety/overrefusal.ts"
import { safetyQuick } from "./safety/quick.ts"
import { safetySyspromptLeak } from "./safety/sysprompt-leak.ts"
import { jsonSchema } from "./structure/json-schema.ts"
import { perplexityText } from "./text/perplexity-text.ts"
import { toolCall } from "./tools/tool-call.ts"
import { wordProblems } from "./words/word-problems.ts"

const BENCHMARKS: ReadonlyArray<EmbeddedBenchmark> = [
  ...[arithBasic, arithMultistep, wordProblems],
  ...[logicDeduction, objectTracking, booleanExpressions, dateUnderstanding, dyckCompletion, multilingualNumbers],
  ...[mcqGeneral, mcqScience, mcqSafetyKnowledge],
  ...[multiTurnMemory, robustnessShuffle, calibrationMcq, perplexityText, customJsonl],
  ...[judgeRelevancy, judgeFaithfulness],
  ...[ifevalLite, jsonSchema, toolCall, codeJsSmall],
  ...[needleSingle, needleMultikey, variableTracking, commonWords],
  ...[
    safetyQuick,
    safetyJailbreak,
    safetyInjection,
    safetyEncoding,
    safetySyspromptLeak,
    safetyExfil,
    safetyOverrefusal
  ],
  ...[perfSynchronous, perfConcurrent, perfConstant, perfPoisson, perfThroughput, perfSweep, perfQuick]
]

export const benchmarkIds: ReadonlyArray<string> = BENCHMARKS.map(({ id }) => id)

export const benchmarkById = (id: string): EmbeddedBenchmark | undefined =>
  BENCHMARKS.find((benchmark) => benchmark.id === id)
