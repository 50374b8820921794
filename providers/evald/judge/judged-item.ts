/** An item whose reply is rated by the judge. The first of a set's cases also show whether the judge can be trusted. */
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import type { Item, ItemBenchmark } from "../benchmark.ts"
import { isSilent, unlessSilent } from "../no-answer.ts"
import type { JudgeEndpoint } from "../parameters.ts"
import { type AnchorQuestion, judgeAnchors } from "./anchors.ts"
import { judgeOf, judgeRecord, rate, ratingBasis, ratingShare } from "./judge.ts"

interface JudgedCase extends AnchorQuestion {
  readonly id: string
  readonly stratum: string
  readonly messages: ReadonlyArray<ChatMessage>
}

interface Judging {
  readonly messages: ReadonlyArray<ChatMessage>
  /** what the judge is asked about a reply */
  readonly prompt: (reply: string) => string
  /** name of the score */
  readonly metric: string
}

const MAX_TOKENS = 2048

/** cases that are shown to the judge with replies of known worth */
const ANCHORS = 5

/** asks the model, then the judge; 4 and 5 count as correct */
export const asked =
  ({ messages, prompt: promptOf, metric }: Judging, judge: JudgeEndpoint, job: JobSpec): NonNullable<Item["ask"]> =>
  ({ generate }) =>
    Effect.gen(function* () {
      const answer = yield* generate(messages)
      // there is nothing to rate, whatever a judge would say of it
      if (isSilent(answer))
        return { answer, verdict: unlessSilent(answer, { verdict: "invalid", scores: { [metric]: 0 } }) }
      const prompt = promptOf(answer.text)
      const rated = yield* rate(judge, job, prompt)
      return {
        answer,
        verdict: {
          verdict: rated.rating >= 4 ? "correct" : "incorrect",
          extracted: String(rated.rating),
          reason: "judged",
          basis: ratingBasis(judge, prompt, rated),
          scores: { [metric]: ratingShare(rated.rating) }
        }
      }
    })

const judgedItem = (metric: string, one: JudgedCase, judge: JudgeEndpoint, job: JobSpec): Item => ({
  id: one.id,
  stratum: one.stratum,
  messages: one.messages,
  maxTokens: MAX_TOKENS,
  reference: undefined,
  isJudged: true,
  score: () => ({ verdict: "invalid", scores: {} }),
  ask: asked({ messages: one.messages, prompt: one.prompt, metric }, judge, job)
})

export interface JudgedSet {
  readonly id: string
  readonly version: number
  readonly metric: string
  /** cases in their order */
  readonly cases: ReadonlyArray<Omit<JudgedCase, "id">>
  /** the judge's prompt around nothing, whose hash is recorded */
  readonly emptyPrompt: string
}

/** a benchmark whose items a judge rates; there is no chance level */
export const judgedBenchmark = ({ id, version, metric, cases, emptyPrompt }: JudgedSet): ItemBenchmark => ({
  kind: "items",
  id,
  needs: ["chat"],
  items: ({ job }) =>
    Effect.map(judgeOf(job), (judge) =>
      cases.map((one, index) =>
        judgedItem(metric, { ...one, id: `${id}:v${version}:${String(index).padStart(3, "0")}` }, judge, job)
      )
    ),
  metrics: [{ name: metric }],
  anchors: ({ job }, concurrency) =>
    Effect.flatMap(judgeOf(job), (judge) => judgeAnchors(cases.slice(0, ANCHORS), judge, job, concurrency)),
  scoring: ({ job }) => ({ origin: "authored", set_version: version, ...judgeRecord(job, emptyPrompt) })
})
