/** A model client that answers from a function and counts what it was asked; the runner around it is the real one. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import type { EmbeddedBenchmark, ItemBenchmark } from "../../../../providers/evald/benchmark.ts"
import { openItemLog } from "../../../../providers/evald/items/item-log.ts"
import { runItems } from "../../../../providers/evald/items/run-items.ts"
import { readParameters } from "../../../../providers/evald/parameters.ts"
import { AdapterError, type Callbacks, type Metric, type Results } from "../../../../providers/sdk/adapter.ts"
import type {
  Answer,
  ChatMessage,
  EchoedPrompt,
  EndpointCapabilities,
  GenerationRequest,
  ModelClient
} from "../../../../providers/sdk/model/model-exchange.ts"
import { answerOf, context } from "./solver-check.ts"

export type Reply = string | AdapterError | Partial<Answer>

export interface FakeClient extends ModelClient {
  readonly chats: Array<GenerationRequest>
  readonly prompts: Array<string>
}

export const failure = (code: string): AdapterError =>
  new AdapterError({ code, message: `made ${code}`, retryable: false })

const settle = (reply: Reply): Effect.Effect<Answer, AdapterError> => {
  if (reply instanceof AdapterError) return reply
  return Effect.succeed(typeof reply === "string" ? answerOf(reply) : answerOf(reply.text ?? "", reply))
}

export const fakeClient = (
  reply: (messages: ReadonlyArray<ChatMessage>, call: number) => Reply,
  offered: Partial<EndpointCapabilities> = {},
  echo?: (text: string) => EchoedPrompt
): FakeClient => {
  const chats: Array<GenerationRequest> = []
  const prompts: Array<string> = []
  return {
    chats,
    prompts,
    chat: (request) =>
      Effect.suspend(() => {
        chats.push(request)
        return settle(reply(request.messages, chats.length))
      }),
    complete: ({ prompt }) =>
      Effect.suspend(() => {
        prompts.push(prompt)
        return settle(reply([{ role: "user", content: prompt }], prompts.length))
      }),
    chatStream: () => Effect.dieMessage("not used"),
    echo: (text) =>
      Effect.suspend(() => (echo === undefined ? failure("model_server_error") : Effect.succeed(echo(text)))),
    adaptations: Effect.succeed([]),
    capabilities: Effect.succeed({ ...context().capabilities, ...offered })
  }
}

export interface Reported extends Callbacks {
  readonly phases: Array<string>
  readonly progress: Array<readonly [number, number]>
}

export const recordingCallbacks = (): Reported => {
  const phases: Array<string> = []
  const progress: Array<readonly [number, number]> = []
  return {
    phases,
    progress,
    status: ({ phase, completed, total }) =>
      Effect.sync(() => {
        if (phases.at(-1) !== phase) phases.push(phase)
        if (completed !== undefined && total !== undefined) progress.push([completed, total])
      }),
    warn: () => Effect.void
  }
}

export const jobOf = (
  benchmark: EmbeddedBenchmark | string,
  parameters: JobSpec["parameters"] = {},
  more: Partial<JobSpec> = {}
): JobSpec => ({
  ...context().job,
  benchmark_id: typeof benchmark === "string" ? benchmark : benchmark.id,
  parameters,
  ...more
})

/** a folder that is removed with the scope */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-items-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export interface Ran {
  readonly parameters?: JobSpec["parameters"]
  readonly job?: Partial<JobSpec>
  readonly folder?: string
  readonly callbacks?: Callbacks
}

/** the real runner around the fake client, with records in a temporary folder unless one is given */
export const run = (
  benchmark: ItemBenchmark,
  client: ModelClient,
  { parameters = {}, job: more = {}, folder, callbacks }: Ran = {}
): Effect.Effect<Results, AdapterError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const job = jobOf(benchmark, parameters, more)
      const checked = yield* Either.match(readParameters(job), { onLeft: Effect.fail, onRight: Effect.succeed })
      const log = yield* openItemLog(job, folder ?? (yield* temporaryFolder), checked)
      return yield* runItems(benchmark, {
        job,
        parameters: checked,
        client,
        callbacks: callbacks ?? recordingCallbacks(),
        log
      })
    })
  )

export const metric = (results: Results, name: string): Metric => {
  const found = results.metrics.find((one) => one.name === name)
  if (found === undefined)
    throw new Error(`no metric ${name}; reported are ${results.metrics.map((one) => one.name).join(", ")}`)
  return found
}

export const scoreOf = (results: Results, name: string): number => Number(metric(results, name).value)
