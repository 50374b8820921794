import { assert, describe, it } from "@effect/vitest"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { requestRecords } from "../../../../providers/guidellm/samples.ts"

/** as the framework dumps them: latencies in seconds, times to the first token in milliseconds */
const report = {
  benchmarks: [
    {
      requests: {
        successful: [
          {
            ...{ request_id: "r1", prompt_tokens: 100, output_tokens: 20, request_latency: 1.5 },
            ...{ time_to_first_token_ms: 120, request_start_time: 1_800_000_000.25, request_end_time: 1_800_000_001.75 }
          }
        ],
        errored: [
          {
            ...{ request_id: "r2", request_start_time: 1_800_000_000, request_end_time: 1_800_000_000.5 },
            info: { status: "errored", error: "HTTPStatusError('500')" }
          }
        ],
        incomplete: [{ request_id: "r3" }]
      }
    },
    { requests: { successful: [{ type_: "generative_request_stats" }] } }
  ]
}

describe("requests of GuideLLM", () => {
  const records = [...requestRecords("chat", report, () => "model_server_error")]
  it("are records of every measurement, in one order, that the server takes", () => {
    assert.deepStrictEqual(
      records.map(({ sample_id, index, verdict, reason }) => [sample_id, index, verdict, reason]),
      [
        ["chat:point_0:0", 0, "correct", "measured"],
        ["chat:point_0:1", 1, "error", "request_failed"],
        ["chat:point_0:2", 2, "skipped", "request_incomplete"],
        ["chat:point_1:0", 3, "correct", "measured"]
      ]
    )
    for (const record of records) assert.deepStrictEqual(readSample(record, []).problems, [])
  })
  it("have times in milliseconds, and tokens", () => {
    assert.deepInclude(records[0], {
      ...{ latency_ms: 1500, ttft_ms: 120, request_id: "r1", tokens: { prompt: 100, completion: 20 } }
    })
  })
  it("begin and end in milliseconds after the first of their measurement (they were told in seconds since 1970)", () => {
    assert.deepStrictEqual(
      records.map(({ timing }) => timing),
      [{ started: 250, ended: 1750 }, { started: 0, ended: 500 }, undefined, undefined]
    )
  })
  it("have the failure's own words", () => {
    assert.deepStrictEqual(records[1]?.error, { code: "model_server_error", message: "HTTPStatusError('500')" })
  })
})
