/**
 * What the gateway or the sidecar saw of a benchmark's model traffic: counts alone, no text of a question or an answer. A question is one
 * distinct body of messages or prompt, tools and answer format; its last answer counts, so that a retry mends what it repeats.
 * Reference: validity.md, "What the gateway sees".
 */
import { isObject } from "../../values/json.ts"

/** every member counts questions unless its comment says otherwise */
export interface WireCounts {
  /** asked for a generated text: no log-likelihoods, echoes, probes, and no answers of one token */
  readonly questions: number
  /** requests for them, retries included */
  readonly requests: number
  /** complete 2xx answers to them */
  readonly answers: number
  /** complete 2xx answers to log-likelihoods, echoes and answers of one token; a list of prompts counts each. Also further choices of one answer, answers to questions too long to be read, and to requests of other kinds, such as embeddings */
  readonly others: number
  /** requests of a load generator, of which only the usage is looked at */
  readonly loads: number
  /** the last answer was too long or too strange to be read */
  readonly unread: number
  /** the last answer had no text, reasoning, tool call or refusal */
  readonly empty: number
  /** it ended at the limit of tokens without any text of an answer */
  readonly cut: number
  /** a filter of the endpoint stood in its way */
  readonly filtered: number
  /** a 2xx answer whose body is an error or no answer at all */
  readonly errorBodies: number
  /** of these, a page of the web */
  readonly pages: number
  /** the last request failed: an error status, a broken or unfinished answer */
  readonly failed: number
  /** a 401 or 403 after a 2xx; requests */
  readonly revoked: number
  /** the answer holds the whole last message; answers */
  readonly echoed: number
  /** with at least 4 KiB of text and a reported number of prompt tokens */
  readonly long: number
  /** of these, with fewer tokens than a sixteenth of the bytes */
  readonly shortened: number
  /** answers with a reported number of generated tokens */
  readonly reported: number
  /** of these, more than was allowed or than the text can hold, fewer than it needs, or a negative number; also all, where questions of very different lengths took the same number of tokens */
  readonly impossible: number
  /** thinking took at least four fifths of the limit of tokens */
  readonly spent: number
  /** marks of a chat template stand in the answer; answers */
  readonly templated: number
  /** ids of answers that were seen before; answers */
  readonly reusedIds: number
  /** asked again after an answer, at a temperature above 0; requests */
  readonly repeated: number
  /** of these, with the same text as before and a first byte in less than a tenth of the usual time */
  readonly replayed: number
  /** asked again after an answer, at a temperature of at least 0.5, not with the same seed, and answered at length; requests */
  readonly repeatedWarm: number
  /** of these, with the same text as before and not at once: from no cache */
  readonly unchangedWarm: number
  /** asked again after an answer, at temperature 0; requests */
  readonly repeatedCold: number
  /** of these, with another text than before */
  readonly changedCold: number
  /** requests of every kind beside those of a load generator, ended well or not; of probes those that were shut out (401, 403, 429, no answer) */
  readonly exchanges: number
  /** of these: 429, the rate of requests is limited */
  readonly limited: number
  /** of these: 401 and 403 */
  readonly refused: number
  /** of these: a status from 500 on, no answer, or one that broke off */
  readonly broken: number
  /** milliseconds from their first byte to the end of their answer, added up */
  readonly busyMillis: number
  /** requests that left for the model, of any kind */
  readonly sent: number
  /** of these, a question again whose last request failed */
  readonly retries: number
  /** answers out of the log of an earlier run, for which nothing left */
  readonly fromLog: number
  /** tokens of what was asked */
  readonly inputTokens: number
  /** tokens that were generated */
  readonly outputTokens: number
  /** of these, spent on thinking as reported */
  readonly reasoningTokens: number
  /** of all tokens, those that no answer reported */
  readonly estimatedTokens: number
  /** requests that were refused because a budget was used up */
  readonly overBudget: number
  /** requested model → named in the answer → answers; at most eight of each */
  readonly models: { readonly [requested: string]: { readonly [served: string]: number } }
  /** system fingerprint → answers; at most eight */
  readonly fingerprints: { readonly [fingerprint: string]: number }
}

export const noCounts: WireCounts = {
  questions: 0,
  requests: 0,
  answers: 0,
  others: 0,
  loads: 0,
  unread: 0,
  empty: 0,
  cut: 0,
  filtered: 0,
  errorBodies: 0,
  pages: 0,
  failed: 0,
  revoked: 0,
  echoed: 0,
  long: 0,
  shortened: 0,
  reported: 0,
  impossible: 0,
  spent: 0,
  templated: 0,
  reusedIds: 0,
  repeated: 0,
  replayed: 0,
  repeatedWarm: 0,
  unchangedWarm: 0,
  repeatedCold: 0,
  changedCold: 0,
  sent: 0,
  retries: 0,
  fromLog: 0,
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimatedTokens: 0,
  overBudget: 0,
  exchanges: 0,
  limited: 0,
  refused: 0,
  broken: 0,
  busyMillis: 0,
  models: {},
  fingerprints: {}
}

/** counts that earlier sidecars do not know */
const later: ReadonlySet<string> = new Set([
  "pages",
  "spent",
  "templated",
  "repeatedWarm",
  "unchangedWarm",
  "exchanges",
  "limited",
  "refused",
  "broken",
  "busyMillis",
  "sent",
  "retries",
  "fromLog",
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "estimatedTokens",
  "overBudget"
])

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
export const maxNames = 8
export const maxNameLength = 256

const namedCounts = (value: unknown): { readonly [name: string]: number } | undefined => {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  const fits =
    entries.length <= maxNames && entries.every(([name, count]) => name.length <= maxNameLength && isCount(count))
  return fits ? (value as { readonly [name: string]: number }) : undefined
}

/** counts as a sidecar wrote them; undefined for anything else, so that nothing is believed by half */
export const readWireCounts = (value: unknown): WireCounts | undefined => {
  if (!isObject(value)) return undefined
  const { models, fingerprints, ...counts } = noCounts
  const countOf = (name: string) => value[name] ?? (later.has(name) ? 0 : undefined)
  for (const name of Object.keys(counts)) if (!isCount(countOf(name))) return undefined
  const prints = namedCounts(value["fingerprints"])
  const asked = value["models"]
  if (prints === undefined || !isObject(asked) || Object.keys(asked).length > maxNames) return undefined
  if (Object.entries(asked).some(([name, served]) => name.length > maxNameLength || namedCounts(served) === undefined))
    return undefined
  const read = Object.fromEntries(Object.keys(counts).map((name) => [name, countOf(name)]))
  return { ...(read as unknown as typeof counts), models: asked as WireCounts["models"], fingerprints: prints }
}
