/** Can this row run with these parameters at this endpoint? Reference: providers-and-collections.md, "Framework wrappers". */

import { Effect } from "effect"
import type { EndpointKind } from "../../../values/benchmark/endpoint-kinds.ts"
import { judgeParameters } from "../../../values/benchmark/judge-parameters.ts"
import type { AdapterError } from "../adapter.ts"
import { notSupported } from "../failures.ts"
import type { EndpointCapabilities } from "../model/model-exchange.ts"
import type { FrameworkRow } from "./definition.ts"
import type { FrameworkParameters } from "./parameters.ts"

const rowProblem = ({ endpoint, flags = [] }: FrameworkRow, parameters: FrameworkParameters): string | undefined => {
  const given = (name: string) => parameters.given(name) || Object.hasOwn(parameters.unknown, name)
  if (flags.includes("unavailable")) return "is not available in any version of its framework; choose another benchmark"
  if (endpoint === "none") return "can not be run through a model endpoint; choose another benchmark"
  if (flags.includes("needs_judge") && !judgeParameters.some(given))
    return `needs a model that judges the answers and there is no default; name it with one of the parameters ${judgeParameters.join(", ")}`
  if (flags.includes("code_execution") && !parameters.flag("allow_code_execution"))
    return "runs code that the model writes; permit it with the parameter allow_code_execution: true"
  return undefined
}

/** fails with `benchmark_not_supported` and the way out */
export const requireRow = (row: FrameworkRow, parameters: FrameworkParameters): Effect.Effect<void, AdapterError> => {
  const problem = rowProblem(row, parameters)
  return problem === undefined ? Effect.void : notSupported(`benchmark ${row.id} ${problem}`)
}

const needs: {
  readonly [N in EndpointKind]: { readonly met: (able: EndpointCapabilities) => boolean; readonly text: string }
} = {
  generate: { met: ({ chat, completions }) => chat || completions, text: "a chat or completions route" },
  chat: { met: ({ chat }) => chat, text: "a chat route" },
  chat_stream: { met: ({ chat, stream }) => chat && stream, text: "streamed chat answers" },
  chat_tools: { met: ({ tools }) => tools, text: "tool calls in chat answers" },
  chat_logprobs: { met: ({ logprobs }) => logprobs, text: "log-probabilities in chat answers" },
  completions_echo: {
    met: ({ echo }) => echo,
    text: "log-probabilities of the prompt (a completions route with echo and logprobs)"
  },
  none: { met: () => false, text: "something that no endpoint offers" }
}

/** fails with `benchmark_not_supported` when the endpoint lacks what the row needs, instead of a traceback later */
export const requireEndpoint = (
  row: FrameworkRow,
  able: EndpointCapabilities,
  url: string
): Effect.Effect<void, AdapterError> => {
  const { met, text } = needs[row.endpoint]
  return met(able)
    ? Effect.void
    : notSupported(
        `benchmark ${row.id} needs ${text}, which the endpoint ${url} does not offer; choose another benchmark or endpoint`
      )
}
