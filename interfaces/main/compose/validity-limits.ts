/** Settings `validity.*` as the limits of the domain. Reference: validity.md, "Limits". */
import type { Settings } from "../../../config/settings.ts"
import type { ValidityLimits } from "../../../domain/validity/limits.ts"

export const validityLimits = (settings: Settings): ValidityLimits => ({
  empty_responses: settings["validity.empty_responses"],
  truncated: settings["validity.truncated"],
  content_filtered: settings["validity.content_filtered"],
  error_share: settings["validity.error_share"],
  response_echoes_prompt: settings["validity.response_echoes_prompt"],
  identical_responses: settings["validity.identical_responses"],
  constant_answer: settings["validity.constant_answer"],
  usage_impossible: settings["validity.usage_impossible"],
  cache_suspected: settings["validity.cache_suspected"],
  temperature_ignored: settings["validity.temperature_ignored"],
  nondeterministic: settings["validity.nondeterministic"],
  judge_unparsed: settings["validity.judge_unparsed"],
  refusal_rate: settings["validity.refusal_rate"],
  reasoning_budget: settings["validity.reasoning_budget"],
  template_suspected: settings["validity.template_suspected"],
  few_items: settings["validity.few_items"]
})
