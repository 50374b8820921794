/**
 * What a framework's output says about its failure. The last line that any rule knows decides: a traceback ends with its reason, and
 * what comes before may be a warning that harmed nobody. Reference: providers-and-collections.md, "Framework wrappers".
 */
import { AdapterError } from "../adapter.ts"
import { frameworkFailed, outputUnreadable } from "../failures.ts"
import { withoutGatewaySecret } from "../gateway-secret.ts"
import type { FrameworkExit } from "./process.ts"

export interface ErrorRule {
  readonly code: string
  readonly pattern: RegExp
  readonly retryable?: boolean
  /** what to do about it */
  readonly advice?: string
}

const hub = "huggingface\\.co|hf\\.co|the (hugging face )?hub|hub\\b.*\\bdataset"

/** in this order for one line */
const COMMON_RULES: ReadonlyArray<ErrorRule> = [
  {
    code: "gated_dataset_auth_required",
    pattern: new RegExp(
      `GatedRepoError|gated (dataset|repo)|is a gated|(\\b401\\b|Unauthorized).*(${hub})|(${hub}).*(\\b401\\b|Unauthorized)`,
      "i"
    ),
    advice: "Accept the terms of the data set and put a token with access to it into the model secret as hf-token."
  },
  {
    code: "dataset_unavailable",
    pattern: new RegExp(
      `OfflineModeIsEnabled|Couldn't (reach|find) .*(${hub}|cache)|DatasetNotFoundError|LocalEntryNotFoundError|RepositoryNotFoundError|can ?not (reach|connect to) .*(${hub})|(Connection|Name|resolve|Max retries).*(${hub})|couldn't connect to '?https://(${hub})|FileNotFoundError: (Unable to find|Couldn't find)`,
      "i"
    ),
    advice: "Give the unit access to the data hub, or fill its cache (HF_HOME) beforehand."
  },
  {
    code: "benchmark_not_supported",
    pattern:
      /tasks? (was|were|is|are)? ?not found|unknown task|NotImplementedError.*log.?likelihood|log.?likelihood.*(not (supported|implemented)|unsupported)/i,
    advice: "Choose another benchmark, or an endpoint and a version of the framework that have it."
  },
  {
    code: "framework_missing",
    pattern: /ModuleNotFoundError|\bImportError\b|No module named/,
    advice: "Install what is missing beside the framework."
  },
  {
    code: "model_authentication_failed",
    pattern: /AuthenticationError|\bUnauthorized\b|(status|code|error|HTTP\S*)[^0-9]{0,12}\b401\b/i,
    advice: "Check the key in the secret that model.auth.secret_ref names."
  },
  {
    code: "model_access_forbidden",
    pattern: /PermissionDenied|\bForbidden\b|(status|code|error|HTTP\S*)[^0-9]{0,12}\b403\b/i
  },
  {
    code: "model_endpoint_not_found",
    pattern: /(status|code|error|HTTP\S*)[^0-9]{0,12}\b404\b|model\b.{0,80}\b(not found|does not exist)|NotFoundError/i,
    advice: "Check model.url and model.name."
  },
  {
    code: "model_endpoint_unreachable",
    pattern:
      /connection (was )?refused|ECONNREFUSED|Cannot connect to host|Name or service not known|getaddrinfo|name resolution|No route to host|ConnectError|APIConnectionError|NewConnectionError|ClientConnectorError/i,
    retryable: true
  },
  {
    code: "model_rate_limited",
    pattern: /RateLimitError|Too Many Requests|(status|code|error|HTTP\S*)[^0-9]{0,12}\b429\b/i,
    retryable: true
  },
  {
    code: "model_request_timeout",
    pattern: /\b(Read|Connect|API|Server|Asyncio)?Time-?outs?(Error|Exception)?\b|timed out/i,
    retryable: true,
    advice: "Raise timeout_seconds or lower num_concurrent."
  },
  {
    code: "model_server_error",
    pattern:
      /InternalServerError|Bad Gateway|Service Unavailable|Gateway Time-?out|(status|code|error|HTTP\S*)[^0-9]{0,12}\b5\d\d\b|Server Error/i,
    retryable: true
  }
]

/** a line without the progress bar that it was written behind */
const withoutBar = (line: string) => line.replace(/^.*\d%\|[^|]*\|[^[]*\[[^\]]*\]/, "")

/** log lines that only report what happens, and where a traceback has been */
const isNoise = (line: string) =>
  /^\S*\s*\b(INFO|DEBUG)\b/.test(line) || /^\s+(File ".*", line \d+|\S+ = |raise |return |await )/.test(line)

const maxLine = 500
const shownLines = 20

/** values that must not leave the unit, replaced; gateway addresses without their secret */
export const hide = (text: string, secrets: ReadonlyArray<string>): string =>
  withoutGatewaySecret(
    secrets.filter((secret) => secret.length >= 4).reduce((shown, secret) => shown.replaceAll(secret, "***"), text)
  )

/** without colours and trailing blanks */
export const plain = (line: string) =>
  // biome's own rule wants no control characters in a pattern; ESC is written as a code point
  line.replaceAll(new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*[A-Za-z]`, "g"), "").trimEnd()

/** rule and line that explain the failure; `rules` of the wrapper go before the common ones */
export const explain = (
  lines: ReadonlyArray<string>,
  rules: ReadonlyArray<ErrorRule> = []
): { readonly rule: ErrorRule; readonly line: string } | undefined => {
  const all = [...rules, ...COMMON_RULES]
  for (const raw of lines.toReversed()) {
    const line = withoutBar(plain(raw))
    if (isNoise(line)) continue
    const rule = all.find(({ pattern }) => pattern.test(line))
    if (rule !== undefined) return { rule, line }
  }
  return undefined
}

export interface FailureContext {
  /** name of the framework for messages */
  readonly framework: string
  readonly rules?: ReadonlyArray<ErrorRule>
  readonly secrets: ReadonlyArray<string>
}

const endingOf = ({ code, signal }: FrameworkExit) =>
  code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit status ${code}`

/** the error of a run that gave no result: the table's code, else `framework_failed` with the last 20 lines */
export const failureOf = (exit: FrameworkExit, context: FailureContext): AdapterError => {
  const found = explain(exit.lines, context.rules)
  const ending = `${context.framework} ${endingOf(exit)}`
  if (found !== undefined) {
    const { rule, line } = found
    const text = `${ending}: ${line.trim().slice(0, maxLine)}${rule.advice === undefined ? "" : ` ${rule.advice}`}`
    return new AdapterError({
      code: rule.code,
      message: hide(text, context.secrets),
      retryable: rule.retryable ?? false
    })
  }
  const last = exit.lines.map(plain).filter((line) => line.trim() !== "")
  if (exit.code === 0) return unreadableOutput(context.framework, "wrote no complete result file")
  const text = `${ending}. Its last lines:\n${last.slice(-shownLines).join("\n")}`
  return frameworkFailed(hide(text, context.secrets))
}

/** the error of a run whose own report says that it failed; `told`: the lines of that report, its last word at the end */
export const reportedFailure = (told: ReadonlyArray<string>, context: FailureContext): AdapterError => {
  const found = explain(told, context.rules)
  const last = told.map(plain).findLast((line) => line.trim() !== "") ?? "no reason is given"
  const advice = found?.rule.advice === undefined ? "" : ` ${found.rule.advice}`
  const text = `${context.framework} reports a failure: ${(found?.line ?? last).trim().slice(0, maxLine)}${advice}`
  return new AdapterError({
    code: found?.rule.code ?? "framework_failed",
    message: hide(text, context.secrets),
    retryable: found?.rule.retryable ?? false
  })
}

/** exit status 0, and nothing to read: `why` completes "<framework> …" */
export const unreadableOutput = (framework: string, why: string): AdapterError =>
  outputUnreadable(`${framework} ended, but ${why}. Its log and the folder framework of the results have the details.`)
