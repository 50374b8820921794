/**
 * Facts told in one turn and asked for some turns later, with other facts in between, and sometimes changed on the way. The replies in between
 * are the model's own. Guessing scores about 0.
 */
import { Effect } from "effect"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { answerInstruction } from "../answers/answer-kind.ts"
import { numberKind } from "../answers/number-kind.ts"
import { wordKind } from "../answers/word-kinds.ts"
import type { Item, ItemBenchmark } from "../benchmark.ts"
import { EXACT_METRICS, EXACT_READINGS, scoreExact } from "../exact-answer.ts"
import { seededRandom } from "../random.ts"
import { type MemoryTheme, REMARKS, THEMES } from "./memory-themes.ts"

const ID = "multi_turn_memory"
const VERSION = 1

/** turns with other facts and remarks between fact and question, and whether the fact changes */
const PLANS = [
  { name: "recall/1", facts: 1, remarks: 0, changes: 0 },
  { name: "recall/4", facts: 3, remarks: 1, changes: 0 },
  { name: "recall/7", facts: 5, remarks: 2, changes: 0 },
  { name: "update/4", facts: 2, remarks: 1, changes: 1 },
  { name: "update/7", facts: 4, remarks: 1, changes: 2 }
] as const

const TAIL = 'Reply only with "OK".'

const turn = (text: string): ChatMessage => ({ role: "user", content: `${text} ${TAIL}` })

const makeItem = (theme: MemoryTheme, plan: (typeof PLANS)[number], number: number): Item => {
  // the set is authored: the same for every seed of a job
  const random = seededRandom(ID, VERSION, number)
  const [first = "", ...changed] = random.sample(theme.values, 1 + plan.changes)
  const others = random.sample(
    THEMES.filter((other) => other !== theme),
    plan.facts
  )
  const between = random.shuffle([
    ...others.map((other) => other.statement(random.pick(other.values))),
    ...random.sample(REMARKS, plan.remarks)
  ])
  // changes keep their order among the other turns
  const slots = [...random.sample([...between.keys()], plan.changes)].sort((a, b) => a - b)
  const turns = between.flatMap((text, index) => [
    text,
    ...(slots.includes(index) ? [theme.change(changed[slots.indexOf(index)] as string)] : [])
  ])
  const kind = theme.wanted === undefined ? numberKind : wordKind(theme.values, theme.wanted)
  const answer = changed.at(-1) ?? first
  const last: ChatMessage = { role: "user", content: `${theme.question}\n\n${answerInstruction(kind)}` }
  return {
    id: `${ID}:v${VERSION}:${String(number).padStart(3, "0")}`,
    stratum: plan.name,
    messages: [turn(`Please remember what I tell you. ${theme.statement(first)}`)],
    followUps: [...turns.map(turn), last],
    maxTokens: 1024,
    reference: answer,
    chance: kind.size === undefined ? 0 : 1 / kind.size,
    score: scoreExact(kind, answer)
  }
}

const items = PLANS.flatMap((plan, block) =>
  THEMES.map((theme, index) => makeItem(theme, plan, block * THEMES.length + index))
)

export const multiTurnMemory: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["chat"],
  items: () => Effect.succeed(items),
  metrics: EXACT_METRICS,
  readings: EXACT_READINGS,
  scoring: () => ({ origin: "authored", set_version: VERSION })
}
