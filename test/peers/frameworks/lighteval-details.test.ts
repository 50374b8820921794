/**
 * Details of items as LightEval's tracker writes them: a data set of rows to Parquet, by the library that it uses. The framework itself is not run
 * here, because its tasks are fetched from a hub; the library comes with another framework's environment.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WRAPPER } from "../../../providers/lighteval/main.ts"
import { readRequest } from "../../support/framework-request.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { tempDir } from "../../support/temp-dir.ts"

const venv = await peerVenv(peerEnvironments.lmEval)

const tracker = `
import sys
from datasets import Dataset
def item(at):
    right = at % 2
    return {
        "doc": {"query": f"What is {at} + 1?", "choices": [str(at + 1)], "gold_index": 0, "instruction": None, "images": None, "specific": None,
                "id": str(at), "task_name": "gsm8k|0", "fewshot_samples": [], "stop_sequences": ["\\n\\n"], "num_samples": 1},
        "model_response": {"input": [{"role": "user", "content": f"What is {at} + 1?"}], "input_tokens": [], "text": ["" if at == 3 else f"It is {at + right}."],
                           "output_tokens": [], "text_post_processed": None, "reasonings": [None], "logprobs": [], "logits": None},
        "metric": {"extractive_match": float(right), "other": float("nan")},
    }
dataset = Dataset.from_list([item(at) for at in range(200)])
with open(sys.argv[1], "wb") as out:
    dataset.select_columns(sorted(dataset.column_names)).to_parquet(out)
`

describe.runIf(venv._tag === "Ready")("details of LightEval's items", () => {
  it.scopedLive("become samples, read by the Python that the framework's command names", () =>
    Effect.gen(function* () {
      const bin = venv._tag === "Ready" ? venv.bin : ""
      const output = yield* tempDir
      const folder = join(output, "details", "openai", "m")
      mkdirSync(folder, { recursive: true })
      const report = {
        results: { "gsm8k|0": { extractive_match: 0.5, extractive_match_stderr: 0.035 } },
        config_tasks: { "gsm8k|0": { effective_num_docs: 200 } }
      }
      writeFileSync(join(output, "results_2026.json"), JSON.stringify(report))
      const parquet = join(folder, "details_gsm8k|0_2026-11-22T10-00-00.123456.parquet")
      execFileSync(join(bin, "python"), ["-c", tracker, parquet], { stdio: "pipe" })
      const command = join(output, "lighteval")
      writeFileSync(command, `#!${join(bin, "python")}\n`)
      const request = { ...readRequest(WRAPPER, "gsm8k", output, {}), executable: command }
      const { info, notes = [], controls } = yield* WRAPPER.read(request)
      assert.deepInclude(info?.["samples"] as object, { path: "samples/gsm8k.ndjson", lines: 200 })
      assert.notInclude(notes.join(), "samples:")
      assert.deepStrictEqual(controls, { n: 200, random: 0 })
      const lines = readFileSync(join(output, "samples", "gsm8k.ndjson"), "utf8")
        .trim()
        .split("\n")
      const [first, second, , fourth] = lines.map((line) => JSON.parse(line) as { readonly [name: string]: unknown })
      assert.deepInclude(first, {
        verdict: "incorrect",
        reference: "1",
        response: "It is 0.",
        scores: { extractive_match: 0 }
      })
      assert.deepInclude(second, { verdict: "correct", prompt: [{ role: "user", content: "What is 1 + 1?" }] })
      assert.deepInclude(fourth, { verdict: "invalid", reason: "no_answer_empty" })
    })
  )
})
