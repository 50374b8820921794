import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { StatusEvent } from "../../../../domain/job/status-event.ts"
import { type DecodedStatusEvent, decodeStatusEvent } from "../../../../providers/contract/status-event.ts"
import { golden } from "./golden-events.ts"

const decode = (body: unknown): DecodedStatusEvent =>
  Either.getOrThrowWith(decodeStatusEvent(body), (problems) => new Error(JSON.stringify(problems))).event
const problemsOf = (body: unknown) =>
  Either.match(decodeStatusEvent(body), { onLeft: (problems) => problems, onRight: () => [] })
const without = ({ digest: _, ...event }: DecodedStatusEvent) => event
const event = (members: object) => ({ benchmark_status_event: { id: "b", status: "running", ...members } })
const completed = (members: object) => event({ status: "completed", ...members })

describe("golden corpus", () => {
  it("is what the domain takes", () => {
    const event: StatusEvent = decode(golden.E4)
    assert.strictEqual(event.benchmarkId, "b")
  })

  it("E1, E2: phases", () => {
    assert.deepStrictEqual(without(decode(golden.E1)), {
      benchmarkId: "b",
      providerId: "p",
      index: 0,
      status: "running",
      phase: "initializing"
    })
    assert.strictEqual(decode(golden.E2).phase, "running_evaluation")
    assert.strictEqual(decode(golden.E2).digest, decode(golden.E2).digest)
  })

  it("E3: warning", () =>
    assert.deepStrictEqual(decode(golden.E3).warning, { message: "slow", code: "w1", origin: "adapter" }))

  it("E4: metrics, run id and microseconds", () =>
    assert.deepStrictEqual(without(decode(golden.E4)), {
      benchmarkId: "b",
      providerId: "p",
      index: 0,
      status: "completed",
      metrics: { acc: 0.5, acc_stderr: 0.05, note: "ok", flag: true },
      metricsSchema: [{ name: "acc", type: "float" }],
      artifacts: { oci_reference: "h/r:t@sha256:0", oci_digest: "sha256:0", "evalhub.env_card": {} },
      trackerRunId: "r1",
      completedAt: "2026-08-17T10:11:12.123Z"
    }))

  it("E5 to E8: the phase of a failure is dropped, another text is another event", () => {
    assert.isUndefined(decode(golden.E5).phase)
    assert.deepStrictEqual(decode(golden.E5).error, {
      message: "401",
      code: "model_authentication_failed",
      origin: "adapter"
    })
    assert.strictEqual(decode(golden.E7).digest, decode(golden.E5).digest)
    assert.notStrictEqual(decode(golden.E6).digest, decode(golden.E5).digest)
    assert.deepStrictEqual(decode(golden.E8).error, {
      message: "Failed to save",
      code: "mlflow_save_failed",
      origin: "sdk"
    })
  })

  it("E9: an empty provider is absent", () =>
    assert.deepStrictEqual(without(decode(golden.E9)), { benchmarkId: "b", status: "running" }))

  it("E10: odd metrics", () => {
    const { metrics, additionalInfo } = decode(golden.E10)
    assert.deepStrictEqual(metrics, { acc: "NaN", ppl: "Infinity" })
    assert.deepStrictEqual(additionalInfo, { unsupported_metrics: { nested: { a: 1 } } })
  })

  it("E11 to E13: nothing but a status is enough", () => {
    assert.isUndefined(decode(golden.E11).error)
    assert.isUndefined(decode(golden.E12).startedAt)
    assert.strictEqual(decode(golden.E13).phase, "post_processing")
  })

  it("E14: cancelled cannot be reported", () => {
    const [problem] = problemsOf(golden.E14)
    assert.deepStrictEqual([problem?.path, problem?.code], ["/benchmark_status_event/status", "invalid_value"])
    assert.include(problem?.message, '"cancelled"')
  })

  it("E15: unknown members are named, not refused", () => {
    const decoded = Either.getOrThrow(decodeStatusEvent(golden.E15))
    assert.deepStrictEqual(decoded.unknownMembers, ["/sent_by", "/benchmark_status_event/colour"])
    assert.strictEqual(decoded.event.digest, decode(golden.E4).digest)
  })

  it("an error object with its members in another order is the same event", () => {
    const failed = (error: object) =>
      decode({ benchmark_status_event: { id: "b", provider_id: "p", status: "failed", error } }).digest
    assert.strictEqual(failed({ code: "x", detail: "y" }), failed({ detail: "y", code: "x" }))
  })
  it("E16: a time without zone is UTC", () => {
    const { startedAt, completedAt } = decode(golden.E16)
    assert.deepStrictEqual([startedAt, completedAt], ["2026-08-17T10:11:12.100Z", "2026-08-17T10:11:11.000Z"])
  })
})

describe("one form", () => {
  it("aliases, member order, time notation and event_id do not change the digest", () => {
    const a = completed({
      completed_at: "2026-08-17T12:11:12+02:00",
      tracker_run_id: "r",
      metrics: { a: 1, b: 2 },
      event_id: "1"
    })
    const b = completed({
      metrics: { b: 2, a: 1 },
      mlflow_run_id: "r",
      completed_at: "2026-08-17T10:11:12.0Z",
      event_id: "2"
    })
    assert.strictEqual(decode(a).digest, decode(b).digest)
  })

  it("null is absent everywhere", () => {
    const nulls = {
      provider_id: null,
      benchmark_index: null,
      phase: null,
      error_message: null,
      metrics: null,
      artifacts: null,
      started_at: null,
      error: null
    }
    assert.deepStrictEqual(without(decode(event(nulls))), { benchmarkId: "b", status: "running" })
  })

  it("a plain error becomes the message, unless there is one", () => {
    assert.deepStrictEqual(decode(event({ status: "failed", error: "boom" })).error, {
      message: "boom",
      code: "benchmark_failed",
      origin: "adapter"
    })
    const both = event({ status: "failed", error: "boom", error_message: { message: "m", message_code: "c" } })
    assert.strictEqual(decode(both).error?.message, "m")
  })

  it("steps of old adapters are progress while running", () => {
    const steps = { message: "half way", completed_steps: 5, total_steps: 10 }
    assert.deepStrictEqual(decode(event(steps)).progress, { message: "half way", completed: 5, total: 10 })
    assert.deepStrictEqual(decode(event({ progress: 0.25 })).progress, { completed: 0.25, total: 1 })
    assert.deepStrictEqual(decode(event({ progress: { message: "x", completed: 1, total: 2 } })).progress, {
      message: "x",
      completed: 1,
      total: 2
    })
    assert.isUndefined(decode(completed(steps)).progress)
  })

  it("keeps job_meta, overall_score and error_details as information", () => {
    const { additionalInfo } = decode(
      completed({
        job_meta: { resolved_sha: "x" },
        overall_score: 0.5,
        error_details: ["d"],
        additional_info: { a: 1 }
      })
    )
    assert.deepStrictEqual(additionalInfo, {
      a: 1,
      job_meta: { resolved_sha: "x" },
      overall_score: 0.5,
      error_details: ["d"]
    })
  })

  it("an unknown phase is refused while running and ignored at the end", () => {
    assert.strictEqual(problemsOf(event({ phase: "warming_up" }))[0]?.path, "/benchmark_status_event/phase")
    assert.isUndefined(decode(completed({ phase: "warming_up" })).phase)
  })
})

describe("control characters in messages", () => {
  const hostile = "\u001b[31mred\u001b[0m \u0007bell\u0000\r\nsecond\tline\u009b1m \u202eevil"
  it("are taken out, colours of terminals with their codes; lines and tabs stay", () => {
    const clean = "red bell\nsecond\tline1m evil"
    const failure = decode(
      event({ status: "failed", error_message: { message: hostile, message_code: "a\u001bb\nc" } })
    ).error
    assert.deepStrictEqual(failure, { message: clean, code: "abc", origin: "adapter" })
    assert.strictEqual(decode(event({ status: "failed", error: hostile })).error?.message, clean)
    assert.strictEqual(
      decode(event({ warning_message: { message: hostile, message_code: "w" } })).warning?.message,
      clean
    )
    assert.strictEqual(decode(event({ message: hostile })).progress?.message, clean)
    assert.strictEqual(decode(event({ status: "failed", error_message: hostile })).error?.message, clean)
    assert.deepStrictEqual(
      decode(event({ status: "failed", error_message: { message: "\u0007", message_code: "c" } })).error?.message,
      "c"
    )
    assert.strictEqual(
      decode(event({ status: "failed", error_message: { message: "a\n[INFO] b", message_code: "c" } })).error?.message,
      "a\n[INFO] b"
    )
  })
})

describe("limits", () => {
  it("messages end at 8 KiB, never within a character", () => {
    const { error } = decode(
      event({ status: "failed", error_message: { message: "é".repeat(5000), message_code: "c" } })
    )
    assert.strictEqual(error?.message, "é".repeat(4096))
  })

  it("metric texts end at 4 KiB, names at 256 characters, metrics at 5,000", () => {
    const many = Object.fromEntries(Array.from({ length: 5003 }, (_, at) => [`m${at}`, at]))
    const decoded = decode(
      completed({ metrics: { long: "x".repeat(5000), ["n".repeat(300)]: 1, "a\u0007b": 2, "\n": 3, ...many } })
    )
    assert.lengthOf(Object.keys(decoded.metrics ?? {}), 5000)
    assert.strictEqual(decoded.metrics?.["long"], "x".repeat(4096))
    assert.strictEqual(decoded.metrics?.["n".repeat(256)], 1)
    assert.strictEqual(decoded.metrics?.["ab"], 2)
    assert.deepStrictEqual(decoded.additionalInfo, { dropped_metrics: 7 })
  })

  it("a card over 64 KiB is replaced by a note, information over 256 KiB is listed", () => {
    const decoded = decode(
      completed({
        artifacts: { small: { a: 1 }, big: "x".repeat(70_000) },
        additional_info: { big: "x".repeat(300_000), b: 1 }
      })
    )
    assert.deepStrictEqual(decoded.artifacts?.["small"], { a: 1 })
    assert.deepInclude(decoded.artifacts?.["big"], { truncated: true, bytes: 70_002 })
    assert.deepStrictEqual(decoded.additionalInfo, { b: 1, omitted_members: ["big"] })
  })

  it("no NUL, no lone surrogate, no prototype name gets through", () => {
    const hostile: unknown = JSON.parse(
      '{"benchmark_status_event":{"id":"b","status":"completed","metrics":{"__proto__":1,"t":"a\\u0000\\ud800"},"artifacts":{"x":{"__proto__":{"y":1}}}}}'
    )
    const { metrics, artifacts } = decode(hostile)
    assert.deepStrictEqual(metrics, { t: "a\uFFFD" })
    assert.deepStrictEqual(artifacts, { x: {} })
    assert.isUndefined(Object.getPrototypeOf(metrics)?.y)
  })

  it("1e400 is an infinity, and infinities are texts", () => {
    const { metrics } = decode(
      JSON.parse(
        '{"benchmark_status_event":{"id":"b","status":"completed","metrics":{"a":1e400,"b":-1e400,"c":"-inf","d":"information"}}}'
      )
    )
    assert.deepStrictEqual(metrics, { a: "Infinity", b: "-Infinity", c: "-Infinity", d: "information" })
  })
})

describe("details of a terminal event", () => {
  const base = "/benchmark_status_event"
  const taken = (members: object) => {
    const { event: read, setAside } = Either.getOrThrowWith(
      decodeStatusEvent(event(members)),
      (problems) => new Error(JSON.stringify(problems))
    )
    return { ...without(read), setAside }
  }
  const plain = { benchmarkId: "b", status: "completed" }
  const failed = { benchmarkId: "b", status: "failed" }

  for (const [what, members, wanted, said] of [
    [
      "an epoch number as completed_at",
      { completed_at: 1_765_000_000 },
      plain,
      ["completed_at must be a string, got 1765000000; the server's clock is used"]
    ],
    [
      "no time as completed_at",
      { completed_at: "yesterday" },
      plain,
      ['completed_at must be a time like 2026-08-17T10:11:12.123Z, got "yesterday"; the server\'s clock is used']
    ],
    [
      "completed_at without a zone",
      { completed_at: "2026-08-17T10:11:12.5" },
      { ...plain, completedAt: "2026-08-17T10:11:12.500Z" },
      ["completed_at has no time zone and is taken as UTC"]
    ],
    [
      "an epoch number as started_at",
      { started_at: 1.5 },
      plain,
      ["started_at must be a string, got 1.5; the server's clock is used"]
    ],
    [
      "a wrong list of metric descriptions",
      { metrics_schema: {} },
      plain,
      ["metrics_schema must be an array, got {}; it is left out"]
    ],
    [
      "a wrong metric description",
      { metrics_schema: [{ name: "a", ci: [1] }, "x", { name: "b", n: 1 }] },
      { ...plain, metricsSchema: [{ name: "a" }, { name: "b", n: 1 }] },
      [
        "ci must be two numbers, got [1]; it is left out",
        'an entry of metrics_schema must be an object, got "x"; it is left out'
      ]
    ],
    [
      "artifacts that are no object",
      { artifacts: "x" },
      plain,
      ['artifacts must be an object, got "x"; it is left out']
    ],
    [
      "information that is no object",
      { additional_info: 7, job_meta: 7 },
      plain,
      ["job_meta must be an object, got 7; it is left out", "additional_info must be an object, got 7; it is left out"]
    ],
    [
      "a number as run id",
      { mlflow_run_id: 7, logs_path: {} },
      plain,
      ["mlflow_run_id must be a string, got 7; it is left out", "logs_path must be a string, got {}; it is left out"]
    ],
    ["a number as phase", { phase: 7 }, plain, ["phase must be a string, got 7; it is left out"]],
    [
      "an error without a code",
      { status: "failed", error_message: { message: "broke" } },
      { ...failed, error: { message: "broke", code: "benchmark_failed", origin: "adapter" } },
      ["error_message has no message_code; benchmark_failed is used"]
    ],
    [
      "an error with a code alone",
      { status: "failed", error_message: { message_code: "out_of_memory", message_origin: "elsewhere" } },
      { ...failed, error: { message: "out_of_memory", code: "out_of_memory", origin: "adapter" } },
      [
        "error_message has no message; its code is used",
        'message_origin must be one of server, runtime, adapter, sdk, got "elsewhere"; it is left out'
      ]
    ],
    [
      "an error that is a list",
      { status: "failed", error_message: ["x"] },
      failed,
      ['error_message must be an object, got ["x"]; it is left out']
    ],
    [
      "metrics of a failure",
      { status: "failed", metrics: [] },
      failed,
      ["metrics must be an object, got []; it is left out"]
    ],
    [
      "a warning without a code",
      { warning_message: { message: "slow" } },
      { ...plain, warning: { message: "slow", code: "adapter_warning", origin: "adapter" } },
      ["warning_message has no message_code; adapter_warning is used"]
    ]
  ] as const)
    it(`${what} is said, and the event is taken`, () => {
      const { setAside, ...read } = taken({ status: "completed", ...members })
      assert.deepStrictEqual(read, wanted)
      assert.sameMembers([...setAside], [...said])
    })

  it("what decides is still refused: which benchmark, its state, and the metrics of a result", () => {
    const paths = (members: object) => problemsOf(event(members)).map(({ path }) => path)
    assert.deepStrictEqual(paths({ status: "completed", metrics: [] }), [`${base}/metrics`])
    assert.deepStrictEqual(paths({ status: "completed", id: "" }), [`${base}/id`])
    assert.deepStrictEqual(paths({ status: "failed", provider_id: 7, benchmark_index: "0" }), [
      `${base}/benchmark_index`,
      `${base}/provider_id`
    ])
  })

  it("while running they are refused, so that an adapter's author learns of them", () => {
    assert.deepStrictEqual(
      problemsOf(event({ started_at: 7, error_message: { message: "m" } })).map(({ path }) => path),
      [`${base}/error_message/message_code`, `${base}/started_at`]
    )
    assert.deepStrictEqual(taken({ started_at: "2026-08-17T10:11:12" }).setAside, [
      "started_at has no time zone and is taken as UTC"
    ])
  })
})

describe("what is changed on the way in is noted", () => {
  const notesOf = (members: object) => decode(completed(members)).notes
  it("nothing is noted of an event that is stored as it is", () => {
    assert.isUndefined(
      notesOf({ metrics: { a: 1, b: "text" }, artifacts: { card: { a: 1 } }, additional_info: { a: 1 } })
    )
  })

  it("metric texts and names that were cut", () => {
    const long = "x".repeat(5000)
    assert.deepStrictEqual(notesOf({ metrics: { first: long, second: long, fine: "x" } }), [
      "texts of the metrics first, second were cut to 4096 bytes"
    ])
    assert.deepStrictEqual(notesOf({ metrics: { ["n".repeat(300)]: 1, "a\u0007b": 2 } }), [
      "2 names of metrics were changed: they have at most 256 characters and no control characters"
    ])
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, long]))
    assert.match(
      notesOf({ metrics: many })?.[0] ?? "",
      /^texts of the metrics m0, m1, .*, m4 and 25 more were cut to 4096 bytes$/
    )
  })

  it("metrics beyond 5,000, of which the primary one can still be taken", () => {
    const many = Object.fromEntries(Array.from({ length: 5003 }, (_, at) => [`m${at}`, at]))
    const { metrics, moreMetrics, notes, additionalInfo } = decode(completed({ metrics: { ...many, "\n": 1 } }))
    assert.lengthOf(Object.keys(metrics ?? {}), 5000)
    assert.deepStrictEqual(
      moreMetrics,
      [5000, 5001, 5002].map((at) => [`m${at}`, at])
    )
    assert.deepStrictEqual(notes, [
      "4 of 5004 metrics were dropped: at most 5000 with a usable name are kept, the primary one always"
    ])
    assert.deepStrictEqual(additionalInfo, { dropped_metrics: 4 })
    assert.strictEqual(decode(completed({ metrics: many })).digest, decode(completed({ metrics: many })).digest)
  })

  it("descriptions beyond 5,000, artifacts that were replaced, members of information that were left out", () => {
    const described = Array.from({ length: 5001 }, (_, at) => ({ name: `m${at}` }))
    assert.deepStrictEqual(notesOf({ metrics_schema: described }), ["1 of 5001 descriptions of metrics were dropped"])
    assert.deepStrictEqual(notesOf({ artifacts: { small: 1, big: "x".repeat(70_000) } }), [
      "the artifacts big are larger than 65536 bytes and were replaced by a note"
    ])
    assert.deepStrictEqual(notesOf({ additional_info: { big: "x".repeat(300_000), b: 1 } }), [
      "members of additional_info beyond 262144 bytes were left out: big"
    ])
    const cards = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`c${at}`, "x".repeat(60_000)]))
    assert.deepStrictEqual(notesOf({ artifacts: cards }), [
      "members of artifacts beyond 262144 bytes were left out: c4"
    ])
  })

  it("a message that was cut is said, not noted: it stands in the record itself", () => {
    const read = Either.getOrThrow(
      decodeStatusEvent(event({ status: "failed", error_message: { message: "x".repeat(9000), message_code: "c" } }))
    )
    assert.deepStrictEqual([read.setAside, read.event.notes], [["error_message was cut to 8192 bytes"], undefined])
  })
})

describe("refusals", () => {
  it("names every problem at once", () => {
    const wrong = {
      status: 5,
      benchmark_index: -1,
      metrics: [],
      metrics_schema: [{ ci: [1] }],
      error_message: { message: 1 },
      completed_at: "yesterday"
    }
    assert.sameMembers(
      problemsOf({ benchmark_status_event: wrong }).map(({ path }) => path),
      [
        "status",
        "benchmark_index",
        "metrics",
        "metrics_schema/0/ci",
        "metrics_schema/0/name",
        "error_message/message",
        "error_message/message_code",
        "completed_at",
        "id"
      ].map((path) => `/benchmark_status_event/${path}`)
    )
  })

  for (const [name, body, path] of [
    ["no object", [], ""],
    ["no wrapper", { status: "running" }, "/benchmark_status_event"],
    ["a wrapper that is no object", { benchmark_status_event: "x" }, "/benchmark_status_event"],
    ["no status", event({ status: undefined }), "/benchmark_status_event/status"],
    ["an empty status", event({ status: "" }), "/benchmark_status_event/status"],
    ["a fraction as index", event({ benchmark_index: 0.5 }), "/benchmark_status_event/benchmark_index"]
  ] as const)
    it(name, () =>
      assert.deepStrictEqual(
        problemsOf(body).map((problem) => problem.path),
        [path]
      )
    )
})
