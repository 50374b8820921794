import { assert, describe, it } from "@effect/vitest"
import { toolsSolver } from "../../../../../providers/demo-model/solvers/tools.ts"
import { fits } from "../../../../../providers/evald/structure/schema-check.ts"
import { scoreToolCall, toolCallItems } from "../../../../../providers/evald/tools/tool-call.ts"
import { tools } from "../../../../../providers/evald/tools/tool-definitions.ts"
import { toolRequests } from "../../../../../providers/evald/tools/tool-requests.ts"
import { answerOf } from "../item-fixtures.ts"

const call = (name: string, args: unknown) => ({
  id: "call_0",
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})

describe("tool_call", () => {
  it("has 60 different requests over fifteen tools", () => {
    assert.strictEqual(new Set(toolRequests.map(({ text }) => text)).size, 60)
    assert.strictEqual(new Set(toolCallItems.map(({ id }) => id)).size, 60)
    assert.strictEqual(new Set(toolRequests.map(({ tool }) => tool)).size, tools.length)
  })

  it("every expected call fits the schema of its tool, and its values stand in the request", () => {
    for (const { tool, text, arguments: wanted } of toolRequests) {
      const schema = tools.find(({ name }) => name === tool)?.parameters
      assert.isDefined(schema, tool)
      assert.isTrue(fits(schema ?? {}, wanted), text)
      for (const value of Object.values(wanted)) assert.include(text.toLowerCase(), String(value).toLowerCase())
    }
  })

  it("offers four different tools, the right one at every place", () => {
    const places = toolCallItems.map((item, number) => {
      const names = (item.tools ?? []).map(({ name }) => name)
      assert.strictEqual(new Set(names).size, 4, item.id)
      const place = names.indexOf(toolRequests[number]?.tool ?? "")
      assert.isAtLeast(place, 0, item.id)
      return place
    })
    for (const place of [0, 1, 2, 3])
      assert.lengthOf(
        places.filter((other) => other === place),
        15
      )
  })

  it.each(toolCallItems.map((item) => [item.id, item] as const))(
    "%s is served by reading the request, and a slip is found",
    (_, item) => {
      const solution = toolsSolver.solve({ messages: item.messages, tools: item.tools ?? [] }, () => 0)
      const scores = (reply: "right" | "wrong") =>
        item.score(
          answerOf(
            "",
            (solution?.[reply].toolCalls ?? []).map(({ name, arguments: args }) => call(name, args))
          )
        ).scores
      assert.deepStrictEqual(scores("right"), {
        args_acc: 1,
        args_acc_strict: 1,
        tool_name_acc: 1,
        no_call_rate: 0,
        format_error_rate: 0
      })
      assert.deepStrictEqual(scores("wrong"), {
        args_acc: 0,
        args_acc_strict: 0,
        tool_name_acc: 1,
        no_call_rate: 0,
        format_error_rate: 0
      })
    }
  )
})

describe("scoring of calls", () => {
  const score = scoreToolCall({ tool: "set_timer", text: "", arguments: { minutes: 12, label: "pasta" } })
  const of = (...calls: ReadonlyArray<ReturnType<typeof call>>) => {
    const { verdict, scores } = score(answerOf("", calls))
    return [verdict, scores["args_acc"], scores["tool_name_acc"], scores["no_call_rate"]]
  }

  it.each([
    [
      "case and outer space of texts do not matter",
      [call("set_timer", { label: " Pasta ", minutes: 12 })],
      ["correct", 1, 1, 0]
    ],
    ["12.0 is 12", [call("set_timer", '{"minutes": 12.0, "label": "pasta"}')], ["correct", 1, 1, 0]],
    ["a number as text is wrong", [call("set_timer", { minutes: "12", label: "pasta" })], ["incorrect", 0, 1, 0]],
    ["a missing argument is wrong", [call("set_timer", { minutes: 12 })], ["incorrect", 0, 1, 0]],
    [
      "an invented argument is wrong",
      [call("set_timer", { minutes: 12, label: "pasta", loud: true })],
      ["incorrect", 0, 1, 0]
    ],
    ["arguments that are no JSON are wrong", [call("set_timer", "{minutes: 12")], ["incorrect", 0, 1, 0]],
    ["another tool is wrong", [call("get_weather", { minutes: 12, label: "pasta" })], ["incorrect", 0, 0, 0]],
    [
      "two calls are one too many",
      [call("set_timer", { minutes: 12, label: "pasta" }), call("get_weather", {})],
      ["incorrect", 0, 1, 0]
    ],
    ["prose is no call", [], ["invalid", 0, 0, 1]]
  ] as const)("%s", (_, calls, want) => {
    assert.deepStrictEqual(of(...calls), [...want])
  })
})
