/** RFC 1123 names as Kubernetes checks them: labels (tenants, hardware profiles) and subdomains (secrets, queues). */

const labelPattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

const maxLabelLength = 63
const maxSubdomainLength = 253

/** why `text` is no RFC 1123 label; undefined when it is one. Completes the sentence "<member> '<text>' …". */
export const dnsLabelProblem = (text: string): string | undefined => {
  if (text.length === 0) return "must not be empty"
  if (text.length > maxLabelLength) return `must have at most ${maxLabelLength} characters, has ${text.length}`
  if (labelPattern.test(text)) return undefined
  return "must be an RFC 1123 label: lower-case letters, digits and '-', beginning and ending with a letter or digit"
}

/** why `text` is no RFC 1123 subdomain; undefined when it is one. `max`: characters, at most 253 */
export const dnsSubdomainProblem = (text: string, max = maxSubdomainLength): string | undefined => {
  if (text.length === 0) return "must not be empty"
  if (text.length > max) return `must have at most ${max} characters, has ${text.length}`
  if (text.split(".").every((part) => labelPattern.test(part))) return undefined
  return "must be an RFC 1123 subdomain: labels of lower-case letters, digits and '-' joined by '.', each beginning and ending with a letter or digit"
}

export const isDnsLabel = (text: string): boolean => dnsLabelProblem(text) === undefined
export const isDnsSubdomain = (text: string): boolean => dnsSubdomainProblem(text) === undefined
