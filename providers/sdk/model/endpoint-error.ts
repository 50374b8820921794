/** What went wrong at a model endpoint, as an `AdapterError` with a code of the catalogue and a text that says what to do. Codes: Reference: api.md, "Submitting a job"; providers-and-collections.md, "Framework wrappers". */

import { isWebPage, titleOfPage } from "../../../values/http/web-page.ts"
import { member, parseJson } from "../../../values/json.ts"
import { AdapterError } from "../adapter.ts"
import type { TransportError } from "../http/http-exchange.ts"
import { isRetryableStatus } from "../http/retry.ts"

const maxExcerpt = 300

/** the endpoint's own words on one line, cut */
const excerptOf = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)}…` : line
}

/** error text within the usual bodies: `{error: {message}}`, `{error}`, `{message}`, `{detail}`; else the body itself */
export const errorTextOf = (body: string): { readonly text: string; readonly code: string } => {
  const parsed = parseJson(body)
  if (parsed === undefined)
    return {
      text: body.trimStart().startsWith("<")
        ? excerptOf(body.replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, " "))
        : excerptOf(body),
      code: ""
    }
  const error = member(parsed, "error")
  const found = [member(error, "message"), error, member(parsed, "message"), member(parsed, "detail")].find(
    (one) => typeof one === "string" && one !== ""
  )
  const code = [member(parsed, "message_code"), member(error, "code"), member(error, "type")].find(
    (one) => typeof one === "string"
  )
  return { text: excerptOf(typeof found === "string" ? found : body), code: typeof code === "string" ? code : "" }
}

export const fromTransport = (error: TransportError, address: string): AdapterError => {
  if (error.reason === "timeout")
    return new AdapterError({
      code: "model_request_timeout",
      message: `The model endpoint ${address} did not answer: ${error.message}.`,
      retryable: true
    })
  if (error.reason === "too_large")
    return new AdapterError({
      code: "model_server_error",
      message: `The model endpoint ${address} cannot be read: ${error.message}.`,
      retryable: false
    })
  const code = error.reason === "unreachable" ? "model_endpoint_unreachable" : "model_server_error"
  const what = error.reason === "unreachable" ? "cannot be reached" : "broke the connection"
  return new AdapterError({
    code,
    message: `The model endpoint ${address} ${what}: ${error.message}.`,
    retryable: true
  })
}

/** answers of the gateway between adapter and model */
const gatewayCodes: { readonly [code: string]: string } = {
  upstream_unreachable: "model_endpoint_unreachable",
  upstream_timeout: "model_request_timeout",
  upstream_invalid: "model_endpoint_unreachable",
  credential_empty: "model_authentication_failed",
  credential_invalid: "model_authentication_failed",
  credential_ref_unknown: "model_authentication_failed",
  credential_ref_not_allowed: "model_authentication_failed",
  authorization_ambiguous: "model_authentication_failed"
}

/** how servers say that their filter stopped a prompt or an answer */
const FILTER =
  /content[_ -]?(?:filter|management|moderation|policy|exists risk)|ResponsibleAIPolicy|data_inspection_failed|inappropriate content|(?:prompt|request|input|output) (?:was |is )?(?:blocked|flagged)|safety (?:filter|system|setting|polic)|moderation/i

const FILTERED_STATUS = new Set([400, 403, 422, 451])

/** the code of one item that a filter stopped */
export const CONTENT_FILTERED = "model_content_filtered"

export const saysFiltered = (body: string): boolean => FILTER.test(body)

const codeOf = (status: number, code: string, text: string, body: string): string => {
  const gateway = gatewayCodes[code]
  if (gateway !== undefined) return gateway
  if (FILTERED_STATUS.has(status) && saysFiltered(body)) return CONTENT_FILTERED
  if (status === 401) return "model_authentication_failed"
  if (status === 403) return "model_access_forbidden"
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return "model_endpoint_not_found"
  if (status === 408) return "model_request_timeout"
  if (status === 429) return "model_rate_limited"
  if (status >= 500 || status === 425) return "model_server_error"
  return code === "model_not_found" || /model .*(does not exist|not found)/i.test(text)
    ? "model_endpoint_not_found"
    : "invalid_parameter"
}

const advice: { readonly [code: string]: string } = {
  model_authentication_failed: "Check the key in the secret that model.auth.secret_ref names.",
  model_access_forbidden: "The key is known, but may not use this model.",
  model_content_filtered: "A filter of the endpoint stopped this prompt or its answer.",
  model_endpoint_not_found: "Check model.url and model.name.",
  invalid_parameter: "The endpoint refused the request: check the parameters and the length of the prompt."
}

/** for every status but 2xx */
export const fromStatus = (status: number, body: string, address: string): AdapterError => {
  const { text, code: given } = errorTextOf(body)
  const code = codeOf(status, given, text, body)
  const said = text === "" ? "." : `: ${text.replace(/[.\s]+$/, "")}.`
  const hint = advice[code]
  return new AdapterError({
    code,
    message: `The model endpoint ${address} answered ${status}${said}${hint === undefined ? "" : ` ${hint}`}`,
    retryable: isRetryableStatus(status)
  })
}

/** who answers in the model's place */
const pageOf = (body: string): string => {
  const title = titleOfPage(body)
  return `with a web page${title === "" ? "" : ` ("${title}")`} in place of an answer. A proxy or a log-in stands before the model, or model.url is not the address of its API.`
}

/** an answer with status 200 that is no answer; a page of the web is told by its title, whatever `why` says */
export const unreadable = (why: string, body: string, address: string): AdapterError =>
  new AdapterError({
    code: "model_server_error",
    message: `The model endpoint ${address} answered, but ${isWebPage(body) ? pageOf(body) : `${why}${body.trim() === "" ? "" : `: ${excerptOf(body)}`}`}`,
    retryable: false
  })

/** true when the endpoint refused a prompt because it is longer than the model's context */
export const exceedsContext = (error: AdapterError): boolean =>
  /context[ _](length|window|size)|maximum (context|prompt|sequence)|too many tokens|prompt is too long|exceeds? .*(token|context)/i.test(
    error.message
  )

/** true when the endpoint refused to answer at all because the limit was reached before the answer began */
export const exceedsLimit = (error: AdapterError): boolean =>
  /could not finish the message because max_tokens|(?:max_tokens|model output|output token) limit was reached|ran out of (?:output )?tokens/i.test(
    error.message
  )
