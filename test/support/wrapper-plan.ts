/** What a wrapper's plan is made of, without an endpoint and without folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { AdapterError } from "../../providers/sdk/adapter.ts"
import { apiBase } from "../../providers/sdk/framework/base-url.ts"
import { type FrameworkDefinition, rowOf } from "../../providers/sdk/framework/definition.ts"
import { readFrameworkParameters } from "../../providers/sdk/framework/parameters.ts"
import type { PlanRequest, ReadRequest, Wrapper } from "../../providers/sdk/framework/wrapper.ts"
import { allCapabilities } from "./framework-request.ts"

export interface Asked {
  readonly benchmark: string
  readonly parameters?: { readonly [name: string]: unknown }
  readonly job?: Partial<JobSpec>
  readonly url?: string
  readonly modelParameters?: { readonly [name: string]: unknown }
  readonly apiKey?: string
  readonly otherKeys?: { readonly [name: string]: string }
  readonly version?: string
}

/** left: what the reader of parameters refuses */
export const planRequest = (
  definition: FrameworkDefinition,
  asked: Asked
): Either.Either<PlanRequest, AdapterError> => {
  const url = asked.url ?? "http://127.0.0.1:9100/v1"
  const job: JobSpec = {
    ...{
      id: "j",
      provider_id: "p",
      benchmark_id: asked.benchmark,
      benchmark_index: 0,
      callback_url: "http://127.0.0.1:9000/cb/s"
    },
    model: { url, name: "tiny", ...(asked.modelParameters === undefined ? {} : { parameters: asked.modelParameters }) },
    parameters: asked.parameters ?? {},
    ...asked.job
  }
  return Either.map(readFrameworkParameters(definition.parameters, job), (parameters) => ({
    ...{ job, parameters, row: rowOf(definition, job), baseUrl: apiBase(url) },
    endpoint: allCapabilities,
    folders: { results: "/r", output: "/r/framework", work: "/w", cache: "/w/cache" },
    ...(asked.apiKey === undefined ? {} : { apiKey: asked.apiKey }),
    ...(asked.otherKeys === undefined ? {} : { otherKeys: asked.otherKeys }),
    ...(asked.version === undefined ? {} : { version: asked.version })
  }))
}

export interface Left {
  readonly benchmark: string
  /** what the framework left in its output folder, by name */
  readonly files: { readonly [name: string]: string }
  readonly collected?: ReadRequest["collected"]
}

/** what a wrapper makes of a run that ended with 0 and left these files */
export const readLeft = (wrapper: Wrapper, { benchmark, files, collected = {} }: Left) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "framework-"))),
    (folder) =>
      Effect.gen(function* () {
        const output = join(folder, "framework")
        mkdirSync(output)
        for (const [name, text] of Object.entries(files)) writeFileSync(join(output, name), text)
        const request = Either.getOrThrow(planRequest(wrapper.definition, { benchmark }))
        const plan = yield* wrapper.plan(request)
        const unexpected = () => new AdapterError({ code: "framework_failed", message: "", retryable: false })
        return yield* Effect.either(
          Effect.scoped(
            wrapper.read({
              ...request,
              folders: { ...request.folders, output, results: folder },
              ...{ executable: "", env: {} },
              plan,
              exit: { code: 0, signal: null, lines: [] },
              counts: {},
              collected,
              failure: unexpected,
              reported: unexpected
            })
          )
        )
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
