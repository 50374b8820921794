/**
 * Calls of tools: in the member of the wire format, or written into the text as model families do when their server does not read it. A call
 * in the text counts as the model's answer, but not as the form asked for.
 */

import { isObject, parseJson } from "../../../values/json.ts"
import type { Answer, ToolCall } from "../../sdk/model/model-exchange.ts"

type Arguments = { readonly [name: string]: unknown }

export interface ReadCall {
  readonly name: string
  /** undefined when they are no object */
  readonly arguments: Arguments | undefined
}

export interface ReadCalls {
  readonly calls: ReadonlyArray<ReadCall>
  /** the calls came as calls, with arguments that are JSON */
  readonly strict: boolean
}

/** an object, or the text of one, which some servers encode twice */
const argumentsOf = (given: unknown): Arguments | undefined => {
  const once = typeof given === "string" ? parseJson(given) : given
  const value = typeof once === "string" ? parseJson(once) : once
  return isObject(value) ? value : undefined
}

const plainName = (name: string) => name.trim().replace(/^(?:functions?|tools?|default_api)[.:]/, "")

/** `{"name": …, "arguments": …}` in its spellings, also around it `{"function": …}` or `{"tool_calls": […]}` */
const callsOf = (value: unknown): ReadonlyArray<ReadCall> => {
  if (Array.isArray(value)) return value.flatMap(callsOf)
  if (!isObject(value)) return []
  if (Array.isArray(value["tool_calls"])) return callsOf(value["tool_calls"])
  for (const inner of ["function", "function_call", "tool_call"])
    if (isObject(value[inner])) return callsOf(value[inner])
  const name = [value["name"], value["tool"], value["tool_name"], value["function"], value["action"]].find(
    (one) => typeof one === "string"
  )
  const given =
    value["arguments"] ??
    value["parameters"] ??
    value["args"] ??
    value["input"] ??
    value["action_input"] ??
    value["tool_input"]
  return typeof name === "string" && given !== undefined
    ? [{ name: plainName(name), arguments: argumentsOf(given) }]
    : []
}

/** one value of `key=value`: JSON, or Python's spelling of it, or a bare text */
const literal = (text: string): unknown => {
  const bare = text.trim()
  const quoted = /^'((?:[^'\\]|\\.)*)'$/.exec(bare)?.[1]
  if (quoted !== undefined) return quoted.replace(/\\'/g, "'")
  if (/^(?:True|False|None)$/.test(bare)) return { True: true, False: false, None: null }[bare]
  const value = parseJson(bare)
  return value === undefined ? bare : value
}

const PYTHON_VALUE = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|[^,()"']+`
const PYTHON_CALL = new RegExp(
  `([A-Za-z_][\\w.]*)\\(((?:\\s*[A-Za-z_]\\w*\\s*=\\s*(?:${PYTHON_VALUE})\\s*,?)*)\\s*\\)`,
  "g"
)

/** `[get_weather(town="Harwick", day='today')]`: the text must consist of calls */
const pythonCalls = (text: string): ReadonlyArray<ReadCall> => {
  const bare = text.trim().replace(/^\[([\s\S]*)\]$/, "$1")
  if (bare.replace(PYTHON_CALL, "").replace(/[\s,;]/g, "") !== "") return []
  return [...bare.matchAll(PYTHON_CALL)].map(([, name = "", given = ""]) => ({
    name: plainName(name),
    arguments: Object.fromEntries(
      [...given.matchAll(new RegExp(`([A-Za-z_]\\w*)\\s*=\\s*(${PYTHON_VALUE})`, "g"))].map(
        ([, key = "", value = ""]) => [key, literal(value)]
      )
    )
  }))
}

const parameters = (text: string, pattern: RegExp): Arguments =>
  Object.fromEntries([...text.matchAll(pattern)].map(([, key = "", value = ""]) => [key, literal(value.trim())]))

type Written = (text: string) => ReadonlyArray<ReadCall>

const each =
  (pattern: RegExp, toCalls: (found: RegExpExecArray) => ReadonlyArray<ReadCall>): Written =>
  (text) =>
    [...text.matchAll(pattern)].flatMap(toCalls)

const named = (name: string | undefined, given: unknown): ReadonlyArray<ReadCall> =>
  name === undefined ? [] : [{ name: plainName(name), arguments: argumentsOf(given) }]

/** the ways in which families write calls, most particular first; the first that finds one is taken */
const WRITTEN: ReadonlyArray<Written> = [
  // harmony: the name stands in the head of the message
  each(
    /to=(?:functions\.)?([\w.-]+)[^<{]*(?:<\|constrain\|>\s*\w+)?\s*(?:<\|message\|>)\s*(\{[\s\S]*?\})\s*(?:<\|call\|>|<\|end\|>|$)/g,
    ([, name, given]) => named(name, given)
  ),
  each(
    /<(?:tool_call|function_call|tool_use|toolcall)>\s*([\s\S]*?)\s*(?:<\/(?:tool_call|function_call|tool_use|toolcall)>|$)/g,
    ([, body = ""]) => [...callsOf(parseJson(body)), ...xmlCalls(body)]
  ),
  each(/\[TOOL_CALLS\]\s*([\w.-]+)?\s*(?:\[ARGS\])?\s*(\[[\s\S]*\]|\{[\s\S]*\})/g, ([, name, body = ""]) =>
    name === undefined ? callsOf(parseJson(body)) : named(name, body)
  ),
  each(/<\|python_tag\|>\s*([\s\S]+?)\s*(?:<\|e\w+_id\|>|$)/g, ([, body = ""]) => [
    ...callsOf(parseJson(body)),
    ...pythonCalls(body.replace(/\.call\(/g, "("))
  ]),
  each(
    /<｜tool▁call▁begin｜>(?:function)?<｜tool▁sep｜>\s*([\w.-]+)\s*(?:```json)?\s*(\{[\s\S]*?\})\s*(?:```)?\s*(?:<｜tool▁call▁end｜>|$)/g,
    ([, name, given]) => named(name, given)
  ),
  (text) => xmlCalls(text),
  each(/^\s*Action:\s*([\w.-]+)\s*\n\s*Action Input:\s*(\{[\s\S]*?\})\s*$/gm, ([, name, given]) => named(name, given)),
  each(/```(?:json|tool_call|tool_code|python)?[^\S\n]*\n([\s\S]*?)```/g, ([, body = ""]) => [
    ...callsOf(parseJson(body)),
    ...pythonCalls(body)
  ]),
  (text) => callsOf(parseJson(text.replace(/<\|[^|<>\n]{1,40}\|>/g, "").trim())),
  (text) => pythonCalls(text.replace(/<\|[^|<>\n]{1,40}\|>/g, ""))
]

/** `<function=name>{…}</function>`, with `<parameter=key>` within, and `<invoke name="…"><parameter name="…">` */
function xmlCalls(text: string): ReadonlyArray<ReadCall> {
  return [
    ...[...text.matchAll(/<function=([\w.-]+)>([\s\S]*?)(?:<\/function>|$)/g)].flatMap(([, name, body = ""]) =>
      named(
        name,
        body.includes("<parameter=") ? parameters(body, /<parameter=([\w.-]+)>([\s\S]*?)<\/parameter>/g) : body
      )
    ),
    ...[...text.matchAll(/<invoke\s+name="([\w.-]+)"\s*>([\s\S]*?)<\/invoke>/g)].flatMap(([, name, body = ""]) =>
      named(name, parameters(body, /<parameter\s+name="([\w.-]+)"[^>]*>([\s\S]*?)<\/parameter>/g))
    )
  ]
}

const fromWire = ({ name, arguments: given }: ToolCall): ReadCall => ({
  name: plainName(name),
  arguments: argumentsOf(given)
})

/** the calls of an answer; none when it only talks */
export const readToolCalls = ({ toolCalls, text }: Pick<Answer, "toolCalls" | "text">): ReadCalls => {
  if (toolCalls.length > 0)
    return {
      calls: toolCalls.map(fromWire),
      strict: toolCalls.every((call) => isObject(parseJson(call.arguments)) && call.name === plainName(call.name))
    }
  for (const written of WRITTEN) {
    const calls = written(text)
    if (calls.length > 0) return { calls, strict: false }
  }
  return { calls: [], strict: false }
}
