import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { type JobSpec, readJobSpec, renderJobSpec } from "../../../../providers/contract/job-spec.ts"

const spec: JobSpec = {
  callback_url: "http://127.0.0.1:8080/cb/s",
  parameters: { z: 1, a: { c: null, b: [null, { d: undefined }] } },
  exports: {
    oci: { push_host: "localhost:8080", coordinates: { oci_repository: "r", oci_host: "h" }, push_scheme: "http" }
  },
  seed: 42,
  model: { parameters: { url: 1, name: 2, auth: 3 }, name: "demo", url: "http://h/v1", auth: { secret_ref: "s" } },
  primary_score: { lower_is_better: false, metric: "exact_match" },
  benchmark_index: 0,
  benchmark_id: "b",
  provider_id: "p",
  id: "j",
  spec_version: "1"
}

describe("renderJobSpec", () => {
  it("writes the contract's key order, two spaces, no null, a final newline", () =>
    assert.strictEqual(
      renderJobSpec(spec),
      `{
  "spec_version": "1",
  "id": "j",
  "provider_id": "p",
  "benchmark_id": "b",
  "benchmark_index": 0,
  "model": {
    "url": "http://h/v1",
    "name": "demo",
    "auth": {
      "secret_ref": "s"
    },
    "parameters": {
      "url": 1,
      "name": 2,
      "auth": 3
    }
  },
  "parameters": {
    "z": 1,
    "a": {
      "b": [
        null,
        {}
      ]
    }
  },
  "seed": 42,
  "primary_score": {
    "metric": "exact_match",
    "lower_is_better": false
  },
  "callback_url": "http://127.0.0.1:8080/cb/s",
  "exports": {
    "oci": {
      "coordinates": {
        "oci_host": "h",
        "oci_repository": "r"
      },
      "push_scheme": "http",
      "push_host": "localhost:8080"
    }
  }
}
`
    ))

  it("is what readJobSpec reads", () => {
    const text = renderJobSpec(spec)
    assert.strictEqual(renderJobSpec(Either.getOrThrow(readJobSpec(text))), text)
    assert.strictEqual(renderJobSpec(Either.getOrThrow(readJobSpec(`\uFEFF${text}`))), text)
  })

  it("says what is wrong with a text", () => {
    assert.deepInclude(Either.flip(readJobSpec("{")).pipe(Either.getOrThrow)[0], { path: "" })
    const problems = Either.getOrThrow(Either.flip(readJobSpec('{"id":"j","model":{"url":"u"}}')))
    assert.includeMembers(
      problems.map(({ path }) => path),
      ["/provider_id", "/model/name", "/callback_url"]
    )
  })
})
