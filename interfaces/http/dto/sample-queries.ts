/** Query parameters of the samples of a job. Reference: samples.md, "Lists", "Search". */

import { Either } from "effect"
import { decodeCursor, encodeCursor } from "../../../domain/paging.ts"
import {
  type SampleFilter,
  type SamplePosition,
  type SampleSort,
  sortMembers
} from "../../../domain/sample/sample-query.ts"
import { sampleVerdicts } from "../../../values/benchmark/sample-verdicts.ts"
import { defined } from "../../../values/defined.ts"
import {
  choiceParameter,
  flagParameter,
  integerParameter,
  parsedParameter,
  textParameter,
  type Values
} from "./query.ts"

const sort = parsedParameter<SampleSort>(
  `order: ${sortMembers.join(", ")}, with a leading \`-\` downwards; default index`,
  (text) => {
    const descending = text.startsWith("-")
    const by = sortMembers.find((member) => member === (descending ? text.slice(1) : text))
    return by === undefined
      ? Either.left(`but must be one of ${sortMembers.join(", ")}, or the same with a leading '-'`)
      : Either.right({ by, descending })
  },
  { enum: sortMembers.flatMap((member) => [member, `-${member}`]) },
  "query_parameter_value_invalid"
)

/** benchmark, value of the sort member and row of the last item */
export const cursorOf = ({ benchmark, value, row }: SamplePosition): string =>
  encodeCursor([String(benchmark), String(value), String(row)])

const cursor = parsedParameter<SamplePosition>(
  "opaque position from `next.href`; with the filters and the order it was given for",
  (text) =>
    Either.flatMap(
      Either.mapLeft(decodeCursor(text, 3), () => "which is no position of this list; take it from next.href"),
      (keys) => {
        const [benchmark = Number.NaN, value = Number.NaN, row = Number.NaN] = keys.map(Number)
        const isOurs = Number.isSafeInteger(benchmark) && Number.isFinite(value) && Number.isSafeInteger(row)
        return isOurs
          ? Either.right({ benchmark, value, row })
          : Either.left("which is no position of this list; take it from next.href")
      }
    )
)

const jobWide = {
  limit: integerParameter("largest number of items in the answer", { minimum: 1, maximum: 100, default: 50 }),
  cursor,
  sort,
  verdict: choiceParameter("only samples with this verdict", sampleVerdicts),
  flag: textParameter("only samples with this flag"),
  finish_reason: textParameter("only samples that ended with this finish reason"),
  content: flagParameter("answer the whole records as well", false),
  q: textParameter("only samples in whose texts this occurs; at most 50,000 candidates and two seconds")
}

export const jobSamplesQuery = jobWide
export const benchmarkSamplesQuery = {
  ...jobWide,
  digest: flagParameter("answer the digest over all samples of the benchmark as well", false)
}
export const sampleQuery = {
  task: textParameter("task of the sample, where several have its id"),
  repeat: integerParameter("number of the repeat", { minimum: 0, maximum: 2_147_483_647, default: 0 })
}

export const filterOf = ({ verdict, flag, finish_reason }: Values<typeof jobSamplesQuery>): SampleFilter => ({
  ...defined({ verdict, flag, finishReason: finish_reason })
})
