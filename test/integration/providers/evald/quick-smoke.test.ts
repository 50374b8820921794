import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { evaluate, value } from "./evaluate.ts"

interface Entry {
  readonly id: string
  readonly primary_score: NonNullable<JobSpec["primary_score"]>
  readonly parameters?: { readonly num_examples?: number }
}

const entriesOf = (collection: string) =>
  (
    parse(readFileSync(new URL(`../../../../config/collections/${collection}.yaml`, import.meta.url), "utf8")) as {
      benchmarks: ReadonlyArray<Entry>
    }
  ).benchmarks

const numExamples = ({ parameters }: Entry) =>
  parameters?.num_examples === undefined ? {} : { numExamples: parameters.num_examples }

describe("quick-smoke on the demo model", () => {
  for (const entry of entriesOf("quick-smoke").filter(({ id }) => !id.startsWith("perf_"))) {
    const { id, primary_score: primary } = entry
    const best = primary.lower_is_better === true ? 0 : 1

    it.live(`${id}: a perfect demo model scores exactly ${best}`, () =>
      Effect.gen(function* () {
        const results = yield* evaluate({ id, primary, demo: { skill: 1, jailbreak: 0 }, ...numExamples(entry) })
        assert.strictEqual(value(results, primary.metric), best)
        assert.strictEqual(value(results, "error_rate"), 0)
        assert.deepInclude(results.additionalInfo?.["dataset"], { used: entry.parameters?.num_examples })
      })
    )
  }
})
