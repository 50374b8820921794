/** Rules of `model.url`: an absolute http(s) address without credentials, and where a policy says so, one that may be reached. Reference: api.md, "Submitting a job"; gateway.md, "Outbound policy". */

import { type EgressPolicy, mayAsk, mayReach, parseAddress } from "../../egress.ts"
import type { Path } from "../../path.ts"
import { member, type Sentence, say, unquoted } from "../../sentence.ts"
import { checkStrings } from "../../text.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import { maxUrl } from "./submission-limits.ts"

const path: Path = ["model", "url"]

/** why the text is no model address; completes the sentence "<member> <value> …" */
const modelUrlProblem = (url: string): Sentence | undefined => {
  if (url.length > maxUrl) return `has ${url.length} characters; at most ${maxUrl} are allowed`
  // the URL parser drops or repairs these silently, so that it would judge another address than the one that is stored
  if (/[\s\p{Cc}\\]/u.test(url)) return "must not contain blanks, control characters or backslashes"
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    return "must be an absolute http or https URL, such as http://model.example.com/v1"
  const { username, password } = new URL(url)
  if (username !== "" || password !== "")
    return say`must not contain credentials; put them into a secret and name it in ${unquoted(["model", "auth", "secretRef"])}`
  return url.includes("#") ? "must not have a fragment ('#')" : undefined
}

/** in a message: whatever stands where credentials stand is left out */
const safely = (url: string): string => {
  const [start, end] = [url.indexOf("//"), url.lastIndexOf("@")]
  return shown(start < 0 || end < start ? url : `${url.slice(0, start)}//***@${url.slice(end + 1)}`)
}

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
    : [violation(path, say`${member(path)} ${safely(url)} ${problem}`)]
}

/** what the address itself tells: names are judged when they are connected to. `url` may be malformed: then nothing more is said. */
export const checkReachable = (url: string, policy: EgressPolicy | undefined): ReadonlyArray<Violation> => {
  if (policy === undefined || modelUrlProblem(url) !== undefined) return []
  const { hostname } = new URL(url)
  const literal = hostname.replace(/^\[(.*)\]$/, "$1")
  if (!mayAsk(policy, hostname))
    return [
      violation(
        path,
        say`${member(path)} ${safely(url)} names a host that is not among those that may be asked (egress.allow_hosts)`
      )
    ]
  return parseAddress(literal) === undefined || mayReach(policy, literal)
    ? []
    : [
        violation(
          path,
          say`${member(path)} ${safely(url)} is an address that may not be reached from here (loopback, link-local, metadata or egress.deny_cidrs)`
        )
      ]
}
