/**
 * The first cause in the words of an adapter or a framework. A failure that only says that something failed ends in a log whose lines say what;
 * the earliest line that names a cause counts, since what follows it are its symptoms. Reference: explain.md, "First causes".
 */
import type { adapterCodes, RuntimeCode } from "../job/message-codes.ts"

export interface FoundCause {
  readonly code: keyof typeof adapterCodes | RuntimeCode | "model_tls_untrusted" | "model_context_exceeded"
  /** the line that says so */
  readonly line: string
}

/** in one line the first pattern that matches counts: the narrower ones stand before the wider ones */
const patterns: ReadonlyArray<readonly [code: FoundCause["code"], pattern: RegExp]> = [
  ["machine_unavailable", /no space left on device|ENOSPC|disk quota exceeded/i],
  ["out_of_memory", /CUDA out of memory|\bMemoryError\b|cannot allocate memory|heap out of memory|\bOOMKilled\b/i],
  [
    "gated_dataset_auth_required",
    /gated (?:repo|dataset)|GatedRepoError|access to (?:dataset|model) .* is restricted|\b40[13]\b.*huggingface\.co/i
  ],
  ["model_tls_untrusted", /CERTIFICATE_VERIFY_FAILED|self[- ]signed certificate|unable to get local issuer/i],
  ["model_context_exceeded", /maximum context length|context_length_exceeded|exceeds the (?:model's )?context/i],
  [
    "model_authentication_failed",
    /(?:status|HTTP|code|error)\D{0,12}\b401\b|\b401 client error|\bunauthorized\b|invalid api key|incorrect api key|AuthenticationError/i
  ],
  [
    "model_rate_limited",
    /(?:status|HTTP|code|error)\D{0,12}\b429\b|\b429 client error|RateLimitError|too many requests|rate limit/i
  ],
  [
    "dataset_unavailable",
    /DatasetNotFoundError|couldn't (?:reach|find) (?:the |a )?(?:dataset|'?\S+'? on the hub)|OfflineModeIsEnabled|LocalEntryNotFoundError|huggingface\.co.*(?:max retries|connection|resolve)/i
  ],
  ["model_access_forbidden", /(?:status|HTTP|code|error)\D{0,12}\b403\b|\bforbidden\b|PermissionDeniedError/i],
  [
    "model_endpoint_not_found",
    /model ['"`]?\S+['"`]? (?:does not exist|not found)|model_not_found|(?:status|HTTP|code|error)\D{0,12}\b404\b/i
  ],
  [
    "model_endpoint_unreachable",
    /ECONNREFUSED|connection refused|ENOTFOUND|getaddrinfo|name or service not known|no route to host|EHOSTUNREACH|upstream_unreachable/i
  ],
  ["framework_missing", /ModuleNotFoundError|No module named|Cannot find (?:module|package)|command not found/i],
  ["model_request_timeout", /ReadTimeout|ETIMEDOUT|request timed out|timeout error|upstream_timeout/i],
  [
    "model_server_error",
    /(?:status|HTTP|code|error)\D{0,12}\b50[0234]\b|internal server error|service unavailable|bad gateway/i
  ]
]

/** what is tried again is no cause as long as something else is named */
const isTriedAgain = (line: string): boolean => /\bretry|\bretrying|\bbacking off|attempt \d+/i.test(line)

const causeIn = (line: string): FoundCause | undefined => {
  const found = patterns.find(([, pattern]) => pattern.test(line))
  return found === undefined ? undefined : { code: found[0], line: line.trim() }
}

/** undefined: no line names a cause */
export const firstCauseIn = (text: string): FoundCause | undefined => {
  const found = text.split("\n").flatMap((line) => causeIn(line) ?? [])
  return found.find(({ line }) => !isTriedAgain(line)) ?? found[0]
}
