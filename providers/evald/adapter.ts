/** The adapter `evald`: finds the benchmark, checks the parameters, opens the endpoint and runs. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import type { Adapter } from "../sdk/adapter.ts"
import { notSupported } from "../sdk/failures.ts"
import { samplesInfo, writeSampleRecords } from "../sdk/framework/sample-files.ts"
import { modelClientForJob } from "../sdk/model/model-client.ts"
import { benchmarkById, benchmarkIds } from "./catalogue.ts"
import { openItemLog } from "./items/item-log.ts"
import { contextOf, runItems } from "./items/run-items.ts"
import { knownParameters, readParameters } from "./parameters.ts"
import { checkPrimary } from "./primary-metric.ts"
import { chooseRoute } from "./route.ts"

const resultFolder = (given: string | undefined) => given ?? process.env["EVALD_OUTPUT_DIR"] ?? "/data/results"

/** `version`, and the commit that it was built from, are recorded as the framework's beside every result */
export const evaldAdapter = (version: string, revision?: string): Adapter => ({
  name: "evald",
  run: (job, callbacks) =>
    Effect.gen(function* () {
      // a provider of somebody's own names one of ours as its task
      const task = job.requirements?.framework_task ?? job.benchmark_id
      const benchmark = benchmarkById(task)
      if (benchmark === undefined) {
        return yield* notSupported(`adapter evald has no benchmark ${task}; it has ${benchmarkIds.join(", ")}`)
      }
      const parameters = yield* readParameters(job)
      if (parameters.unknown.length > 0) {
        const message = `parameters ${parameters.unknown.join(", ")} are not known and were ignored; known are ${knownParameters.join(", ")}`
        yield* callbacks.warn({ code: "invalid_parameter", message })
      }
      const client = yield* modelClientForJob(job, {
        timeoutMs: parameters.timeoutSeconds * 1000,
        maxRetries: parameters.maxRetries
      })
      const framework = { name: "evald", version, ...defined({ revision }) }
      if (benchmark.kind === "procedure") {
        const capabilities = yield* client.capabilities
        yield* chooseRoute(benchmark, capabilities, parameters)
        const { records = [], ...results } = yield* benchmark.run(
          contextOf(job, parameters, capabilities),
          client,
          callbacks
        )
        const samples = yield* writeSampleRecords(job, resultFolder(job.output_dir), job.benchmark_id, records)
        yield* checkPrimary(job, results.metrics)
        return {
          ...results,
          additionalInfo: {
            framework,
            ...results.additionalInfo,
            ...samplesInfo([samples]),
            ...(capabilities.demo ? { demo: true } : {})
          }
        }
      }
      const log = yield* openItemLog(job, resultFolder(job.output_dir), parameters)
      const results = yield* runItems(benchmark, { job, parameters, client, callbacks, log })
      yield* checkPrimary(job, results.metrics)
      return { ...results, additionalInfo: { framework, ...results.additionalInfo } }
    })
})
