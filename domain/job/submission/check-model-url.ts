/** Rules of `model.url`: an absolute http(s) address without credentials, and where a policy says so, one that may be reached. Reference: api.md, "Submitting a job"; gateway.md, "Outbound policy". */

import type { EgressPolicy } from "../../egress.ts"
import { addressProblem, reachProblem, shownAddress } from "../../http-address.ts"
import type { Path } from "../../path.ts"
import { member, type Sentence, say, unquoted } from "../../sentence.ts"
import { checkStrings } from "../../text.ts"
import { type Violation, violation } from "../../violation.ts"

const path: Path = ["model", "url"]

/** why the text is no model address; completes the sentence "<member> <value> …" */
const modelUrlProblem = (url: string): Sentence | undefined =>
  addressProblem(url, {
    wanted: "an absolute http or https URL, such as http://model.example.com/v1",
    credentials: say`put them into a secret and name it in ${unquoted(["model", "auth", "secretRef"])}`
  })

export const checkModelUrl = (url: string): ReadonlyArray<Violation> => {
  if (url.trim() === "")
    return [
      violation(
        path,
        say`${member(path)} is required: give the base URL of the model's OpenAI-compatible endpoint`,
        "model_url_required"
      )
    ]
  const problem = modelUrlProblem(url)
  return problem === undefined
    ? checkStrings(url, path)
    : [violation(path, say`${member(path)} ${shownAddress(url)} ${problem}`)]
}

/** what the address itself tells: names are judged when they are connected to. `url` may be malformed: then nothing more is said. */
export const checkReachable = (url: string, policy: EgressPolicy | undefined): ReadonlyArray<Violation> => {
  if (policy === undefined || modelUrlProblem(url) !== undefined) return []
  const problem = reachProblem(url, policy)
  return problem === undefined ? [] : [violation(path, say`${member(path)} ${shownAddress(url)} ${problem}`)]
}
