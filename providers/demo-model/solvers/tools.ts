/** Picks the offered tool that a request is about and reads its arguments from the words. */
import type { DemoReply, DemoTool, Solver } from "../solver.ts"

type Arguments = { readonly [name: string]: unknown }

const first = (text: string, pattern: RegExp): string | undefined =>
  pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
const quoted = (text: string) => first(text, /"([^"]+)"/)
const clock = (text: string) => first(text, /\b(\d{2}:\d{2})\b/)
const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = first(text, pattern)
  return found === undefined ? undefined : Number(found)
}
const room = (text: string) => first(text, /\b(kitchen|bedroom|bathroom|office)\b/)

const money = (text: string): Arguments => {
  const from = first(text, /\d ([A-Z]{3})\b/)
  return {
    amount: numberIn(text, /(\d+(?:\.\d+)?) [A-Z]{3}\b/),
    from,
    to: (text.match(/\b[A-Z]{3}\b/g) ?? []).find((code) => code !== from)
  }
}

/** how a request for each tool sounds, and where its arguments stand */
const readers: { readonly [tool: string]: readonly [cue: RegExp, read: (text: string) => Arguments] } = {
  get_weather: [
    /weather|umbrella|forecast|warm today/,
    (text) => ({ town: first(text, /\b(?:in|for) ([A-Z]\w+)/), day: first(text, /(today|tomorrow)/) })
  ],
  set_timer: [
    /timer/,
    (text) => ({ minutes: numberIn(text, /(\d+)[ -]minute/), label: first(text, /(?:called|label|named) (\w+)/) })
  ],
  convert_currency: [/\d [A-Z]{3}\b/, money],
  translate_text: [
    /French|Spanish|Italian|Polish/,
    (text) => ({ text: quoted(text), language: first(text, /(French|Spanish|Italian|Polish)/) })
  ],
  send_message: [
    /message|Write to/,
    (text) => ({ recipient: first(text, /(?:Send|Tell|Write to|let) ([A-Z]\w+)/), text: quoted(text) })
  ],
  book_table: [/table|reserve/i, (text) => ({ guests: numberIn(text, /(\d+) (?:guests|people)/), time: clock(text) })],
  find_route: [
    /from [A-Z]\w+ to [A-Z]/,
    (text) => ({
      from: first(text, /from ([A-Z]\w+)/),
      to: first(text, / to ([A-Z]\w+)/),
      mode: first(text, /\b(walk|bicycle|car|train)\b/)
    })
  ],
  play_music: [/volume/, (text) => ({ title: quoted(text), volume: numberIn(text, /volume(?: of| to)? (\d+)/) })],
  add_to_list: [/list/, (text) => ({ list: first(text, /(shopping|packing|reading) list/), entry: quoted(text) })],
  loan_rate: [
    /loan/,
    (text) => ({
      amount: numberIn(text, /(?:of|borrow) (\d+)/),
      percent: numberIn(text, /(\d+(?:\.\d+)?) percent/),
      years: numberIn(text, /(\d+) years/)
    })
  ],
  track_parcel: [/[A-Z]{2}-\d{4}/, (text) => ({ code: first(text, /([A-Z]{2}-\d{4})/) })],
  create_event: [
    /calendar/,
    (text) => ({ title: quoted(text), date: first(text, /(\d{4}-\d{2}-\d{2})/), time: clock(text) })
  ],
  set_temperature: [/degrees/, (text) => ({ room: room(text), degrees: numberIn(text, /(\d+(?:\.\d+)?) degrees/) })],
  switch_lights: [
    /lights/i,
    (text) => ({ room: room(text), state: first(text, /\b(?:Turn |lights )(on|off)\b/i) ?? first(text, /\b(off)\b/) })
  ],
  search_books: [
    /books|author/,
    (text) => ({ author: first(text, /(?:by|did|author) ([A-Z]\w+ [A-Z]\w+)/), limit: numberIn(text, /(\d+)/) })
  ]
}

const parameterNames = (tool: DemoTool): ReadonlyArray<string> => {
  const properties = tool.parameters["properties"]
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : []
}

const calling = (tool: DemoTool, values: Arguments): DemoReply => ({
  text: "",
  toolCalls: [
    { name: tool.name, arguments: Object.fromEntries(parameterNames(tool).map((name) => [name, values[name]])) }
  ]
})

/** a plausible slip: numbers off by one, texts cut short */
const slipped = (values: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "number" ? value + 1 : String(value).slice(0, -1)
    ])
  )

const solve: Solver["solve"] = ({ messages, tools }) => {
  const request = messages.findLast(({ role }) => role === "user")?.content ?? ""
  for (const tool of tools) {
    const [cue, read] = readers[tool.name] ?? []
    if (cue === undefined || read === undefined || !cue.test(request)) continue
    const values = read(request)
    if (Object.values(values).some((value) => value === undefined)) continue
    return { right: calling(tool, values), wrong: calling(tool, slipped(values)) }
  }
  return undefined
}

export const toolsSolver: Solver = { family: "tools", solve }
