/** Explanations on the wire. Reference: explain.md, "Findings". */
import { Schema } from "effect"
import type { Explained } from "../../../../application/jobs/explain-job.ts"
import { wireSentence } from "../../../../config/wire-names.ts"
import { evidenceKinds } from "../../../../domain/explain/finding.ts"
import { jobStates } from "../../../../domain/job/job.ts"
import { dateTime, given, text } from "../shapes.ts"

const Evidence = Schema.Struct({
  kind: Schema.Literal(...evidenceKinds),
  ref: text(
    "`job`, `benchmarks/<index>`, an address below the job (`benchmarks/<index>/logs`, `gates/<id>`), or another job: `jobs/<id>`"
  ),
  text: Schema.String
}).annotations({ identifier: "FindingEvidence" })

const Finding = Schema.Struct({
  code: text("the cause: a message code, a flag of validity, or a code of its own"),
  says: text("the cause in a sentence"),
  evidence: Schema.Array(Evidence),
  remedy: text("what to do"),
  since: dateTime("since when it is so"),
  eta: given(dateTime("when what it is about may end, if it goes on as it did"))
}).annotations({ identifier: "Finding" })

export const Explanation = Schema.Struct({
  job: text("identifier of the job"),
  state: Schema.Literal(...jobStates),
  findings: Schema.Array(Finding).annotations({
    description: "at least one; the first is the cause that the others follow from"
  })
}).annotations({ identifier: "Explanation", description: "Why a job is where it is, and what to do." })

export const explanationWire = ({ job, findings }: Explained): typeof Explanation.Encoded => ({
  job: job.id,
  state: job.state,
  findings: findings.map((finding) => ({ ...finding, remedy: wireSentence(finding.remedy) }))
})
