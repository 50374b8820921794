import { assert, describe, it } from "@effect/vitest"
import { explain, failureOf, hide } from "../../../../../providers/sdk/framework/error-table.ts"

const codeOf = (...lines: ReadonlyArray<string>) => explain(lines)?.rule.code

describe("the error table", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    ["openai.AuthenticationError: Error code: 401 - {'error': …}", "model_authentication_failed"],
    [
      "ClientResponseError: 401, message='Unauthorized', url='http://m/v1/chat/completions'",
      "model_authentication_failed"
    ],
    ["openai.PermissionDeniedError: Error code: 403", "model_access_forbidden"],
    ["openai.NotFoundError: Error code: 404 - The model `x` does not exist", "model_endpoint_not_found"],
    ["API request failed! Status code: 404, Response text: x", "model_endpoint_not_found"],
    ["ConnectionRefusedError: [Errno 111] Connection refused", "model_endpoint_unreachable"],
    ["socket.gaierror: [Errno -2] Name or service not known", "model_endpoint_unreachable"],
    ["openai.APITimeoutError: Request timed out.", "model_request_timeout"],
    ["asyncio.exceptions.TimeoutError", "model_request_timeout"],
    ["openai.RateLimitError: Error code: 429", "model_rate_limited"],
    ["openai.InternalServerError: Error code: 500", "model_server_error"],
    ["API request failed! Status code: 503, Response text: busy", "model_server_error"],
    [
      "huggingface_hub.errors.GatedRepoError: 401 Client Error. Access to dataset x is restricted",
      "gated_dataset_auth_required"
    ],
    [
      "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://huggingface.co/api/datasets/x",
      "gated_dataset_auth_required"
    ],
    ["ConnectionError: Couldn't reach 'openai/gsm8k' on the Hub (OfflineModeIsEnabled)", "dataset_unavailable"],
    [
      "datasets.exceptions.DatasetNotFoundError: Dataset 'x' doesn't exist on the Hub or cannot be accessed.",
      "dataset_unavailable"
    ],
    [
      "MaxRetryError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded",
      "dataset_unavailable"
    ],
    ["ValueError: Tasks not found: nope", "benchmark_not_supported"],
    ["NotImplementedError: Loglikelihood is not supported for chat completions.", "benchmark_not_supported"],
    ["ModuleNotFoundError: No module named 'sympy'", "framework_missing"]
  ]
  for (const [line, code] of table) it(`${code}: ${line.slice(0, 60)}`, () => assert.strictEqual(codeOf(line), code))

  it("the last line that says something decides, not a warning before it", () => {
    assert.strictEqual(
      codeOf("WARNING Status code: 429, retrying", "ValueError: Tasks not found: x", "bye"),
      "benchmark_not_supported"
    )
  })
  it("progress bars, reports of what happens and places in a traceback say nothing", () => {
    for (const line of [
      "Requesting API:  40%|███  | 401/1000 [00:01<00:02, 404it/s]",
      "2026-01-01:10:00 INFO [x:404] code 404",
      '  File "/lib/timeout.py", line 401, in TimeoutError'
    ]) {
      assert.strictEqual(codeOf(line), undefined, line)
    }
    assert.strictEqual(
      codeOf("Requesting API:   0%|  | 0/4 [00:00<?, ?it/s]2026 WARNING API request failed! Status code: 500, …"),
      "model_server_error"
    )
  })
  it("numbers alone are no status", () => {
    for (const line of ["scored 401 of 500 items", "took 429 ms", "epoch 5001"])
      assert.strictEqual(codeOf(line), undefined, line)
  })
  it("unknown failures show the last 20 lines without colours, keys and callback secrets", () => {
    const secret = "k".repeat(43)
    const lines = [
      ...Array.from({ length: 30 }, (_, index) => `line ${index}`),
      `\u001b[31mboom\u001b[0m Bearer sk-12345 http://h/cb/${secret}/model`
    ]
    const error = failureOf({ code: null, signal: "SIGKILL", lines }, { framework: "x", secrets: ["sk-12345"] })
    assert.strictEqual(error.code, "framework_failed")
    assert.match(error.message, /^x was ended by SIGKILL\. Its last lines:\nline 11\n/)
    assert.match(error.message, /\nboom Bearer \*\*\* http:\/\/h\/cb\/\*\*\*\/model$/)
  })
  it("exit status 0 without a reason is an unreadable output", () => {
    assert.strictEqual(
      failureOf({ code: 0, signal: null, lines: ["done"] }, { framework: "x", secrets: [] }).code,
      "framework_output_unreadable"
    )
  })
  it("short values are not hidden: they would hide the text", () => assert.strictEqual(hide("a b k", ["k"]), "a b k"))
})
