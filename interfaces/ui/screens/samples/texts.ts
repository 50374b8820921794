/** The texts of a record, which adapters of every kind write: whatever they hold becomes text, and nothing else. */

/** JSON for what is no text */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "")

export interface Message {
  /** who speaks; undefined for a prompt that is one text */
  readonly role: string | undefined
  readonly text: string
}

const partText = (part: unknown): string => {
  const { type, text } = Object(part)
  return type === "text" && typeof text === "string" ? text : textOf(part)
}

const messageOf = (one: unknown): Message => {
  const { role, content, ...rest } = Object(one)
  if (typeof role !== "string") return { role: undefined, text: textOf(one) }
  const said = [content ?? []].flat().map(partText)
  // such as calls of tools
  const more = Object.keys(rest).length === 0 ? [] : [textOf(rest)]
  return { role, text: [...said, ...more].join("\n") }
}

/** of a prompt or of turns */
export const messagesOf = (value: unknown): ReadonlyArray<Message> =>
  value === undefined ? [] : Array.isArray(value) ? value.map(messageOf) : [{ role: undefined, text: textOf(value) }]

/** the answer that was taken out of a response, where it last stands there; undefined: it does not stand there as it was read */
export const markedIn = (
  response: string,
  extracted: string | undefined
): readonly [before: string, marked: string, behind: string] | undefined => {
  if (extracted === undefined || extracted === "") return undefined
  const at = response.lastIndexOf(extracted)
  return at < 0 ? undefined : [response.slice(0, at), extracted, response.slice(at + extracted.length)]
}

export interface Likelihood {
  readonly name: string
  readonly value: number
}

export interface Likelihoods {
  readonly title: string
  readonly unit: string
  /** the likeliest first, but tokens of a text in its order */
  readonly rows: ReadonlyArray<Likelihood>
}

const isNumber = (value: unknown): value is number => typeof value === "number"

/** a number, or a record that has one; log-probabilities of several tokens are told as either */
const numberIn = (one: unknown): unknown => (isNumber(one) ? one : Object(one).logprob)

const numbersOf = (value: unknown): ReadonlyArray<readonly [at: number, value: number]> =>
  Array.isArray(value)
    ? value.flatMap((one, at) => {
        const found = numberIn(one)
        return isNumber(found) ? [[at, found] as const] : []
      })
    : []

const likeliestFirst = (rows: ReadonlyArray<Likelihood>): ReadonlyArray<Likelihood> =>
  [...rows].sort((a, b) => b.value - a.value)

const letterOf = (at: number): string => (at < 26 ? String.fromCharCode(65 + at) : String(at + 1))

/** what a verdict by likelihood rests on. `choices`: texts of the options; `text`: the measured one */
export const likelihoodsOf = (
  logprobs: unknown,
  choices: ReadonlyArray<string> = [],
  text = ""
): ReadonlyArray<Likelihoods> => {
  const { continuations, probabilities, first_token, tokens, offsets } = Object(logprobs)
  const option = (at: number) => [letterOf(at), choices[at]].filter((part) => part !== undefined).join(": ")
  const options = (value: unknown) =>
    likeliestFirst(numbersOf(value).map(([at, one]) => ({ name: option(at), value: one })))
  const starts = Array.isArray(offsets) ? offsets : []
  const piece = (at: number) =>
    isNumber(starts[at]) ? text.slice(starts[at], isNumber(starts[at + 1]) ? starts[at + 1] : undefined) : ""
  return [
    { title: "Options", unit: "log-probability", rows: options(continuations) },
    { title: "Letters", unit: "probability", rows: options(probabilities) },
    {
      title: "First token",
      unit: "log-probability",
      rows: likeliestFirst(
        Object.entries(Object(first_token)).flatMap(([name, value]) => (isNumber(value) ? [{ name, value }] : []))
      )
    },
    {
      title: "Tokens of the text",
      unit: "log-probability",
      rows: numbersOf(tokens).map(([at, value]) => ({ name: piece(at) || `token ${at + 1}`, value }))
    }
  ].filter(({ rows }) => rows.length > 0)
}
