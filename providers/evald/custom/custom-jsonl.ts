/** Own questions and answers from JSON Lines or CSV files, scored by one or more named scorers. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Effect, Either } from "effect"
import { defined } from "../../../values/defined.ts"
import type { AdapterError, Metric } from "../../sdk/adapter.ts"
import { datasetInvalid, invalidParameter } from "../../sdk/failures.ts"
import type { Answer, ChatMessage } from "../../sdk/model/model-exchange.ts"
import type { Asking, Item, ItemBenchmark, ItemContext, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { EXACT_READINGS } from "../exact-answer.ts"
import { judgeOf } from "../judge/judge.ts"
import type { PosedQuestion } from "../knowledge/choice-question.ts"
import { CHOICE_METRICS, choiceParts, methodNeeds, methodOf } from "../knowledge/multiple-choice.ts"
import { seededRandom } from "../random.ts"
import { GRADER, GRADER_METRICS, GRADER_PASS, gradeCustom, graderRecord } from "./custom-grader.ts"
import { customAnchors, customJudgeRecord, judgeCustom } from "./custom-judge.ts"
import { CUSTOM_SCORERS, type CustomScorer, compileRegex, type ScorerSettings } from "./custom-scorers.ts"
import { readDataFiles, testDataFolder } from "./data-files.ts"
import { originOf } from "./data-origin.ts"
import { readRecords } from "./records.ts"
import { COLUMNS, type ColumnNames, type CustomRow, readRow } from "./rows.ts"

const ID = "custom_jsonl"
const VERSION = 1
const SCORE = "score"
const MAX_TOKENS = 4096

/** the question as it stands in the file */
const UNINSTRUCTED = {}

interface PlacedRow {
  readonly file: string
  readonly line: number
  readonly row: CustomRow
}

interface Settings extends ScorerSettings {
  readonly columns: ColumnNames
  /** undefined: by the data, `acc` when every row has choices, else `exact_match_flexible` */
  readonly scorer: string | undefined
}

const readSettings = ({ parameters }: ItemContext): Effect.Effect<Settings, AdapterError> => {
  const columns = (parameters["columns"] ?? {}) as { readonly [column: string]: unknown }
  const bad = Object.entries(columns).find(
    ([column, name]) => !(COLUMNS as ReadonlyArray<string>).includes(column) || typeof name !== "string"
  )
  if (bad !== undefined)
    return invalidParameter(`columns.${bad[0]}: columns maps ${COLUMNS.join(", ")} to column names of the file`)
  const scorer = parameters["scorer"] as string | undefined
  if (
    scorer !== undefined &&
    scorer !== "acc" &&
    scorer !== "judge" &&
    scorer !== GRADER &&
    CUSTOM_SCORERS[scorer] === undefined
  ) {
    return invalidParameter(
      `scorer ${JSON.stringify(scorer)} is not known; known are ${[...Object.keys(CUSTOM_SCORERS), "acc", "judge", GRADER].join(", ")}`
    )
  }
  const regex = parameters["regex"] === undefined ? undefined : compileRegex(parameters["regex"] as string)
  if (regex !== undefined && Either.isLeft(regex)) return invalidParameter(`regex does not compile: ${regex.left}`)
  return Effect.succeed({ columns, scorer, tolerance: (parameters["tolerance"] ?? 0) as number, regex: regex?.right })
}

const filesOf = ({ parameters, job }: ItemContext) =>
  readDataFiles(testDataFolder(job), parameters["data_path"] as string | undefined, parameters["data_format"])

const readRows = (context: ItemContext, columns: ColumnNames): Effect.Effect<ReadonlyArray<PlacedRow>, AdapterError> =>
  Effect.gen(function* () {
    const files = yield* filesOf(context)
    const placed: Array<PlacedRow> = []
    const ids = new Map<string, string>()
    for (const file of files) {
      const bad = (line: number, problem: string) => datasetInvalid(`${file.name} line ${line} ${problem}`)
      const records = readRecords(file)
      if (Either.isLeft(records)) return yield* bad(records.left.line, records.left.problem)
      for (const record of records.right) {
        const row = readRow(record, columns)
        if (Either.isLeft(row)) return yield* bad(record.line, row.left)
        const id = row.right.id
        const earlier = id === undefined ? undefined : ids.get(id)
        if (earlier !== undefined) return yield* bad(record.line, `repeats the id ${JSON.stringify(id)} of ${earlier}`)
        if (id !== undefined) ids.set(id, `${file.name} line ${record.line}`)
        placed.push({ file: file.name, line: record.line, row: row.right })
      }
    }
    return placed.length === 0
      ? yield* datasetInvalid(`${files.map(({ name }) => name).join(", ")}: there is no record`)
      : placed
  })

const withContext = ({ context }: CustomRow, text: string) => (context === undefined ? text : `${context}\n\n${text}`)

const posed = (row: CustomRow): PosedQuestion | undefined =>
  row.choices === undefined || row.asked._tag === "Messages"
    ? undefined
    : { text: withContext(row, row.asked.text), ...row.choices }

const conversation = (
  row: CustomRow,
  { instruction }: Pick<CustomScorer, "instruction">
): ReadonlyArray<ChatMessage> => {
  if (row.asked._tag === "Messages") return row.asked.messages
  const text = withContext(row, row.asked.text)
  return [
    {
      role: "user",
      content: row.asked._tag === "Question" && instruction !== undefined ? `${text}\n\n${instruction}` : text
    }
  ]
}

/** an example in the same words as the question, answered as the scorer reads it */
const exampleTurns = (
  rows: ReadonlyArray<PlacedRow>,
  scorer: Pick<CustomScorer, "instruction">
): ReadonlyArray<ChatMessage> =>
  rows.flatMap(({ row }) => {
    const reply =
      row.asked._tag === "Question" && scorer.instruction !== undefined
        ? `Answer: ${row.references[0]}`
        : (row.references[0] as string)
    return [
      ...conversation(row, scorer).filter(({ role }) => role !== "system"),
      { role: "assistant", content: reply } as const
    ]
  })

const badPattern = ({ row }: PlacedRow): string | undefined =>
  row.references.flatMap((reference) =>
    Either.match(compileRegex(reference), { onLeft: (why) => [why], onRight: () => [] })
  )[0]

/** what only the whole set shows: every row must fit the scorer */
const checkRows = (
  rows: ReadonlyArray<PlacedRow>,
  name: string,
  settings: Settings
): Effect.Effect<void, AdapterError> => {
  for (const placed of rows) {
    const problem =
      name === "acc" && posed(placed.row) === undefined
        ? "has no choices with a question or prompt, which the scorer acc needs"
        : name === "regex_match" && settings.regex === undefined && badPattern(placed) !== undefined
          ? `has a reference that is no regular expression: ${badPattern(placed)}`
          : name === GRADER && placed.row.grader === undefined
            ? 'has no column "grader", which the scorer grader needs'
            : name !== GRADER && placed.row.references.length === 0
              ? "has no answer, which every scorer but grader needs"
              : name === "numeric_match" &&
                  placed.row.references.some((reference) => Number.isNaN(Number(reference.replaceAll(",", ""))))
                ? "has a reference that is not a number, which the scorer numeric_match needs"
                : undefined
    if (problem !== undefined) return datasetInvalid(`${placed.file} line ${placed.line} ${problem}`)
  }
  return Effect.void
}

const scorerName = (rows: ReadonlyArray<PlacedRow>, { scorer }: Settings): string =>
  scorer ?? (rows.every(({ row }) => posed(row) !== undefined) ? "acc" : "exact_match_flexible")

/** the metric that is also reported as `score`, so that a job has a primary metric whatever its scorer */
const primaryOf = (name: string): string =>
  name === "judge" ? "judge_score" : name === GRADER ? GRADER_PASS : (CUSTOM_SCORERS[name]?.primary ?? name)

const withScore = (name: string, verdict: ItemVerdict): ItemVerdict => {
  const value = verdict.scores[primaryOf(name)]
  return value === undefined ? verdict : { ...verdict, scores: { ...verdict.scores, [SCORE]: value } }
}

/** the same item, whose verdicts have `score` among their scores */
const scoring = (name: string, item: Item): Item => {
  const { ask } = item
  return {
    ...item,
    score: (answer) => withScore(name, item.score(answer)),
    ...(ask === undefined
      ? {}
      : {
          ask: (asking: Asking) =>
            Effect.map(ask(asking), ({ answer, verdict }) => ({ answer, verdict: withScore(name, verdict) }))
        })
  }
}

const makeItem = ({ file, line, row }: PlacedRow, parts: Pick<Item, "messages" | "maxTokens" | "score">): Item => ({
  id: `${ID}:v${VERSION}:${row.id ?? `${file}:${line}`}`,
  stratum: file,
  reference: row.references.length === 1 ? row.references[0] : row.references.length === 0 ? undefined : row.references,
  ...defined({ choices: row.choices?.options, cluster: row.cluster }),
  ...parts
})

const items = (context: ItemContext): Effect.Effect<ReadonlyArray<Item>, AdapterError> =>
  Effect.gen(function* () {
    const settings = yield* readSettings(context)
    const all = yield* readRows(context, settings.columns)
    const name = scorerName(all, settings)
    yield* checkRows(all, name, settings)
    return (yield* scoredBy(name, all, settings, context)).map((item) => scoring(name, item))
  })

const scoredBy = (
  name: string,
  all: ReadonlyArray<PlacedRow>,
  settings: Settings,
  context: ItemContext
): Effect.Effect<ReadonlyArray<Item>, AdapterError> =>
  Effect.gen(function* () {
    if (context.fewShot >= all.length)
      return yield* datasetInvalid(
        `num_few_shot ${context.fewShot} leaves none of the ${all.length} records to be asked`
      )
    const pool = seededRandom(ID, "few-shot", context.seed).sample(all, context.fewShot)
    const asked = all.filter((placed) => !pool.includes(placed))
    if (name === "acc") {
      const examples = pool.flatMap(({ row }) => posed(row) ?? [])
      return asked.flatMap((placed) => {
        const question = posed(placed.row)
        return question === undefined ? [] : [makeItem(placed, choiceParts(question, examples, methodOf(context)))]
      })
    }
    if (name === "judge") {
      const judge = yield* judgeOf(context.job)
      const turns = exampleTurns(pool, UNINSTRUCTED)
      return asked.map((placed) => {
        const messages = [...turns, ...conversation(placed.row, UNINSTRUCTED)]
        return {
          ...makeItem(placed, { messages, maxTokens: MAX_TOKENS, score: () => ({ verdict: "invalid", scores: {} }) }),
          isJudged: true,
          ask: judgeCustom(messages, placed.row.references, judge, context.job)
        }
      })
    }
    if (name === GRADER) {
      if (context.fewShot > 0) return yield* invalidParameter("num_few_shot: the scorer grader has no answers to show")
      const judge = yield* judgeOf(context.job)
      return asked.flatMap((placed) => {
        const { grader } = placed.row
        if (grader === undefined) return []
        const messages = conversation(placed.row, UNINSTRUCTED)
        return [
          {
            ...makeItem(placed, { messages, maxTokens: MAX_TOKENS, score: () => ({ verdict: "invalid", scores: {} }) }),
            isJudged: true,
            ask: gradeCustom(messages, grader, judge, context.job)
          }
        ]
      })
    }
    const scorer = CUSTOM_SCORERS[name] as CustomScorer
    const turns = exampleTurns(pool, scorer)
    return asked.map((placed) =>
      makeItem(placed, {
        messages: [...turns, ...conversation(placed.row, scorer)],
        maxTokens: MAX_TOKENS,
        score: (answer: Answer) => scorer.score(answer.text, placed.row.references, settings)
      })
    )
  })

/** scores of the whole set, the primary one under both its names */
const setMetrics = (scored: ReadonlyArray<ScoredItem>, context: ItemContext): ReadonlyArray<Metric> =>
  (CUSTOM_SCORERS[String(context.parameters["scorer"])]?.derive?.(scored, context) ?? []).flatMap((metric) => [
    { ...metric, name: SCORE },
    metric
  ])

export const customJsonl: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["generate"],
  needsFor: methodNeeds,
  items,
  metrics: [SCORE, ...new Set(Object.values(CUSTOM_SCORERS).flatMap(({ metrics }) => metrics))]
    .map((name) => ({ name }))
    .concat(
      { name: "judge_score" },
      ...GRADER_METRICS.map((name) => ({ name })),
      ...CHOICE_METRICS.map((one) => ({ ...one }))
    ),
  readings: EXACT_READINGS,
  derive: setMetrics,
  anchors: ({ job, parameters }, concurrency) =>
    parameters["scorer"] === "judge" ? customAnchors(job, concurrency) : undefined,
  origin: (context) => Effect.map(filesOf(context), originOf),
  scoring: ({ job, parameters }) => ({
    origin: "user",
    scorer: parameters["scorer"] ?? "by the data: acc with choices, else exact_match_flexible",
    ...(parameters["scorer"] === "judge" ? customJudgeRecord(job) : {}),
    ...(parameters["scorer"] === GRADER ? graderRecord(job) : {})
  })
}
