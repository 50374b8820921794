/** What an http address that a caller gives may look like, and what it tells by itself of where it leads. Reference: gateway.md, "Outbound policy". */
import { type EgressPolicy, mayAsk, mayReach, parseAddress } from "./egress.ts"
import { type Sentence, say } from "./sentence.ts"
import { shown } from "./violation.ts"

const maxLength = 2048

/** why the text is no address; completes the sentence "<member> <value> …". `wanted`: what it must be; `credentials`: where they belong */
export const addressProblem = (
  url: string,
  { wanted, credentials }: { readonly wanted: string; readonly credentials: Sentence }
): Sentence | undefined => {
  if (url.length > maxLength) return `has ${url.length} characters; at most ${maxLength} are allowed`
  // the URL parser drops or repairs these silently, so that it would judge another address than the one that is stored
  if (/[\s\p{Cc}\\]/u.test(url)) return "must not contain blanks, control characters or backslashes"
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return `must be ${wanted}`
  const { username, password } = new URL(url)
  if (username !== "" || password !== "") return say`must not contain credentials; ${credentials}`
  return url.includes("#") ? "must not have a fragment ('#')" : undefined
}

/** in a message: whatever stands where credentials stand is left out */
export const shownAddress = (url: string): string => {
  const [start, end] = [url.indexOf("//"), url.lastIndexOf("@")]
  return shown(start < 0 || end < start ? url : `${url.slice(0, start)}//***@${url.slice(end + 1)}`)
}

/** why a well-formed address may not be asked; names are judged when they are connected to */
export const reachProblem = (url: string, policy: EgressPolicy): Sentence | undefined => {
  const { hostname } = new URL(url)
  if (!mayAsk(policy, hostname)) return "names a host that is not among those that may be asked (egress.allow_hosts)"
  const literal = hostname.replace(/^\[(.*)\]$/, "$1")
  return parseAddress(literal) === undefined || mayReach(policy, literal)
    ? undefined
    : "is an address that may not be reached from here (loopback, link-local, metadata or egress.deny_cidrs)"
}
