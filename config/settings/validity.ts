/** From where on a result can not be believed. */
import { integer, share } from "./kinds.ts"

export const validity = {
  "validity.empty_responses": share(0.01, "share of questions with an empty answer beyond which a result is invalid"),
  "validity.truncated": share(0.05, "share of answers cut off at the limit of tokens beyond which a result is invalid"),
  "validity.content_filtered": share(
    0.05,
    "share of questions stopped by a filter of the endpoint beyond which a result is invalid"
  ),
  "validity.error_share": share(
    0.05,
    "share of answers that are errors with status 200, and of items that ended with an error, beyond which a result is invalid"
  ),
  "validity.response_echoes_prompt": share(
    0.2,
    "share of answers that repeat the whole question beyond which a result is invalid"
  ),
  "validity.identical_responses": share(
    0.2,
    "share of different questions with the same whole answer beyond which a result is invalid"
  ),
  "validity.constant_answer": share(
    0.95,
    "share of closed questions with the same choice beyond which a result is suspect"
  ),
  "validity.usage_impossible": share(
    0.01,
    "share of answers with an impossible number of tokens beyond which a measurement is invalid"
  ),
  "validity.cache_suspected": share(0.05, "share of answers that look replayed beyond which a result is suspect"),
  "validity.temperature_ignored": share(
    0.5,
    "share of repeats at a temperature of 0.5 or more with the same long answer beyond which a result is suspect"
  ),
  "validity.nondeterministic": share(0.02, "share of repeats at temperature 0 with another answer that is remarked on"),
  "validity.judge_unparsed": share(0.02, "share of unreadable replies of the judge beyond which a result is suspect"),
  "validity.refusal_rate": share(0.05, "share of needlessly declined questions beyond which a result is suspect"),
  "validity.reasoning_budget": share(
    0.05,
    "share of questions that took nearly all of the limit of tokens for thinking beyond which a result is suspect"
  ),
  "validity.template_suspected": share(
    0.05,
    "share of answers with marks of a chat template beyond which a result is suspect"
  ),
  "validity.few_items": integer(30, 0, 1_000_000, "fewer scored items are remarked on")
} as const
