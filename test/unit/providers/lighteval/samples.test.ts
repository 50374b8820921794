/** Rows of the framework's details as records, and which Python reads them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { WRAPPER } from "../../../../providers/lighteval/main.ts"
import { itemRecords } from "../../../../providers/lighteval/samples.ts"
import { interpreterOf } from "../../../../providers/sdk/framework/interpreter.ts"
import { promptDigest } from "../../../../providers/sdk/prompt-digest.ts"
import { readRequest } from "../../../support/framework-request.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const messages = [{ role: "user", content: "What is 2 + 3?" }]
const row = (metric: object, doc: object = {}, said: object = {}) => ({
  doc: { id: "7", query: "What is 2 + 3?", choices: ["5"], gold_index: 0, ...doc },
  model_response: { input: messages, text: ["The answer is 5."], reasonings: [null], ...said },
  metric
})
const records = (...lines: ReadonlyArray<unknown>) => [...itemRecords("gsm8k", lines, "extractive_match")]

describe("items of LightEval as samples", () => {
  it("what was asked, said and wanted, judged by the primary metric", () => {
    const [first, second] = records(
      row({ extractive_match: 1, other: 0 }),
      row({ extractive_match: 0 }, {}, { reasonings: ["I add."] })
    )
    assert.deepInclude(first, {
      ...{ sample_id: "gsm8k:0", task: "gsm8k", index: 0, repeat: 0, verdict: "correct", reason: "answer_equal" },
      ...{ response: "The answer is 5.", reference: "5", scores: { extractive_match: 1, other: 0 } },
      prompt_sha256: promptDigest({ messages })
    })
    assert.notProperty(first, "choices")
    assert.deepInclude(second, { index: 1, verdict: "incorrect", reason: "answer_different", reasoning: "I add." })
  })

  it("options are choices where some of them are wrong; several right answers are all references", () => {
    const [letters, aliases] = records(
      row({ acc: 1 }, { choices: ["A", "B"], gold_index: 1 }),
      row({ acc: 1 }, { choices: ["5", "five"], gold_index: [0, 1] })
    )
    assert.deepInclude(letters, { reference: "B", choices: ["A", "B"] })
    assert.deepInclude(aliases, { reference: ["5", "five"] })
    assert.notProperty(aliases, "choices")
  })

  it("an answer without a word is none, several answers are turns, and log-likelihoods have no answer", () => {
    const [empty, several, likely] = records(
      row({ extractive_match: 0 }, {}, { text: [""] }),
      row({ "pass@k:k=2&n=2": 0.5 }, {}, { text: ["5", "6"] }),
      row({ acc: true }, { choices: [" A", " B"] }, { text: [], logprobs: [-0.5, -1.5] })
    )
    assert.deepInclude(empty, { verdict: "invalid", reason: "no_answer_empty" })
    assert.deepInclude(several, { turns: ["5", "6"], scores: { "pass@2": 0.5 }, verdict: "incorrect" })
    assert.deepInclude(likely, {
      ...{ verdict: "correct", reason: "likelihood" },
      logprobs: { continuations: [{ logprob: -0.5 }, { logprob: -1.5 }] }
    })
  })

  it("every record is one that the server takes; a row of another shape is a record that was not judged", () => {
    const lines = [
      row({ extractive_match: 1 }),
      row({}),
      null,
      { doc: 3, metric: [], model_response: { text: "no list" } }
    ]
    const made = records(...lines)
    assert.lengthOf(made, lines.length)
    for (const [line, record] of made.entries()) {
      const { problems, unknown } = readSample(JSON.parse(JSON.stringify(record)), [line])
      assert.deepStrictEqual([problems, unknown], [[], []])
    }
    assert.strictEqual(made[2]?.verdict, "skipped")
  })
})

describe("the Python of a framework", () => {
  it.scoped("is the one that its script names, on the first line or, where that is too long, on the second", () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const named = (name: string, text: string) => {
        const path = join(folder, name)
        writeFileSync(path, text)
        return interpreterOf(path)
      }
      assert.strictEqual(named("plain", "#!/venv/bin/python3.12\nimport sys\n"), "/venv/bin/python3.12")
      assert.strictEqual(named("long", `#!/bin/sh\n'''exec' "/a long/way/bin/python" "$0" "$@"\n' '''\n`), undefined)
      assert.strictEqual(named("long", `#!/bin/sh\n'''exec' "/long/bin/python" "$0" "$@"\n' '''\n`), "/long/bin/python")
      assert.strictEqual(named("shell", "#!/bin/bash\nexec lighteval\n"), undefined)
      assert.strictEqual(named("env", "#!/usr/bin/env python3\n"), undefined)
      assert.strictEqual(interpreterOf(join(folder, "nowhere")), undefined)
    })
  )

  it.scoped("without it, and without details, the result stands and a note says that there are no samples", () =>
    Effect.gen(function* () {
      const output = yield* tempDir
      const report = {
        results: { "gsm8k|0": { extractive_match: 0.5 } },
        config_tasks: { "gsm8k|0": { effective_num_docs: 4 } }
      }
      writeFileSync(join(output, "results_2026.json"), JSON.stringify(report))
      const none = yield* WRAPPER.read(readRequest(WRAPPER, "gsm8k", output, {}))
      assert.include(none.notes?.join() ?? "", "samples: the framework left no details of its items")
      writeFileSync(join(output, "details_gsm8k|0_2026-11-22T10-00-00.000000.parquet"), "PAR1")
      const unread = yield* WRAPPER.read(readRequest(WRAPPER, "gsm8k", output, {}))
      assert.include(unread.notes?.join() ?? "", "does not name the Python that runs it")
      assert.strictEqual(unread.metrics.find(({ name }) => name === "extractive_match")?.value, 0.5)
    })
  )
})
