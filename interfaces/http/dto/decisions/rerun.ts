/** Body of POST rerun. Reference: reruns.md, "Asking for a rerun". */

import { Either, Schema } from "effect"
import { FreeForm } from "../../../../config/free-form.ts"
import { rerunChoices } from "../../../../domain/job/job.ts"
import type { RerunRequest as Domain } from "../../../../domain/job/submission/rerun.ts"
import { type BodyReader, decoder } from "../decode.ts"
import { jobRequestFields } from "../job-request.ts"
import { maybe, named, withoutEmptyCriteria } from "../shapes.ts"
import { jobGateOf } from "./gate-policy.ts"

const { description, tags, model, threshold, hardware, validityLimits, custom, budget, resume, gate, earlyStop } =
  jobRequestFields

const Overrides = Schema.Struct({
  name: maybe(named("name of the new job")),
  ...{ description, tags, model: maybe(model), threshold, hardware, validityLimits, custom, budget, resume, gate },
  earlyStop,
  parameters: maybe(FreeForm.annotations({ description: "laid over the parameters of each benchmark that runs again" }))
}).annotations({
  identifier: "RerunOverrides",
  description: "members of the new job that stand in for those of the old one"
})

export const RerunRequest = Schema.Struct({
  which: Schema.Literal(...rerunChoices).annotations({
    description: "`failed`: failed and cancelled benchmarks; `invalid`: those whose result is invalid; `all`: every one"
  }),
  reuse: maybe(
    Schema.Boolean.annotations({
      description: "take over the results of the benchmarks that do not run again; default false, which leaves them out"
    })
  ),
  overrides: maybe(Overrides)
}).annotations({ identifier: "RerunRequest" })

const overridesOf = ({ gate: judge, ...members }: typeof Overrides.Type): Domain["overrides"] => ({
  ...withoutEmptyCriteria(members),
  ...(judge === undefined ? {} : { gate: jobGateOf(judge) })
})

const decode = decoder(RerunRequest)

export const decodeRerun: BodyReader<Domain> = (document, options) =>
  Either.map(decode(document, options), ({ value: { which, reuse = false, overrides = {} }, ignored }) => ({
    value: { which, reuse, overrides: overridesOf(overrides) },
    ignored
  }))
