/** Runs the adapter `evald` as it runs in production, against a demo model over HTTP. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { type DemoModelOptions, startDemoModel } from "../../../../providers/demo-model/server.ts"
import { evaldAdapter } from "../../../../providers/evald/adapter.ts"
import type { AdapterError, Callbacks, Results } from "../../../../providers/sdk/adapter.ts"

const quiet: Callbacks = { status: () => Effect.void, warn: () => Effect.void }

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface Asked {
  readonly id: string
  readonly demo?: DemoModelOptions
  readonly parameters?: JobSpec["parameters"]
  readonly numExamples?: number
  readonly testData?: string
  readonly primary?: JobSpec["primary_score"]
}

/** the adapter as it runs in production, against the demo model over HTTP */
export const evaluate = ({
  id,
  demo = {},
  parameters = {},
  numExamples,
  testData,
  primary
}: Asked): Effect.Effect<Results, AdapterError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* Effect.orDie(startDemoModel(demo))
      const output = yield* folder
      return yield* evaldAdapter("0.0.0").run(
        {
          id: "job",
          provider_id: "evald",
          benchmark_id: id,
          benchmark_index: 0,
          model: { url, name: "evald-demo" },
          parameters: { num_concurrent: 8, ...parameters },
          ...(numExamples === undefined ? {} : { num_examples: numExamples }),
          ...(testData === undefined ? {} : { test_data_dir: testData }),
          ...(primary === undefined ? {} : { primary_score: primary }),
          callback_url: "http://127.0.0.1:1",
          output_dir: output
        },
        quiet
      )
    })
  )

export const value = (results: Results, name: string): number =>
  Number(results.metrics.find((metric) => metric.name === name)?.value)
