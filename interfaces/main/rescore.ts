/** `evald rescore JOB`: metrics of a job once more, from its samples alone, and whether they agree. Reference: samples.md, "Checking a score". */
import { Effect, Either, Schema } from "effect"
import { defaultSeed, numExamplesOf, seedOf } from "../../domain/job/submission/parameters.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { SampleRecord } from "../../providers/contract/sample-record.ts"
import { benchmarkById } from "../../providers/evald/catalogue.ts"
import { type Rescored, rescore } from "../../providers/evald/rescore.ts"
import { defined } from "../../values/defined.ts"
import { exits, opened, recordOf } from "../cli/client/exit.ts"
import { plainLines } from "../cli/client/screen.ts"
import { type Handler, jobArgument } from "../cli/client/session.ts"
import { commands } from "../cli/commands.ts"
import type { Client } from "../client/client.ts"
import { main as clientMain } from "./client-commands.ts"

interface Entry {
  readonly id: string
  readonly provider_id: string
  readonly parameters?: { readonly [name: string]: unknown }
}

interface Result {
  readonly benchmark_index: number
  readonly metrics?: { readonly [name: string]: unknown }
}

interface JobRecord {
  readonly resource: { readonly id: string }
  readonly model: { readonly url: string; readonly name: string }
  readonly benchmarks: ReadonlyArray<Entry>
  readonly results?: { readonly benchmarks: ReadonlyArray<Result> }
}

const decode = Schema.decodeUnknownEither(SampleRecord)

const recordsOf = async (client: Client, id: string, index: number): Promise<ReadonlyArray<SampleRecord>> => {
  const response = await client.open("listBenchmarkSamples", {
    path: { id, index: String(index) },
    headers: { accept: "application/x-ndjson" }
  })
  // a refusal stops
  if (!response.ok) await opened(response)
  const lines = (await response.text()).split("\n").filter((line) => line !== "")
  return lines.map((line) => Either.getOrThrowWith(decode(JSON.parse(line)), (error) => new Error(error.message)))
}

/** the job as the unit got it, without addresses */
const specOf = (job: JobRecord, entry: Entry, index: number): JobSpec => {
  const { num_examples: _, ...parameters } = entry.parameters ?? {}
  const count = Either.getOrUndefined(numExamplesOf(entry.parameters))
  return {
    id: job.resource.id,
    provider_id: entry.provider_id,
    benchmark_id: entry.id,
    benchmark_index: index,
    model: job.model,
    parameters,
    ...defined({ num_examples: count }),
    seed: Either.getOrElse(seedOf(parameters), () => defaultSeed),
    callback_url: "http://127.0.0.1:9"
  }
}

const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === "number" && typeof b === "number" ? Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)) : a === b

/** one line a benchmark, and one for each metric that differs; whether all is well */
const compare = (name: string, reported: Result["metrics"], again: Rescored): readonly [boolean, string] => {
  const shared = again.metrics.filter((metric) => reported?.[metric.name] !== undefined)
  const apart = shared.filter((metric) => !isSame(metric.value, reported?.[metric.name]))
  const agrees = apart.length === 0 && again.different.length === 0 && shared.length > 0
  const lines = [
    `${agrees ? "agrees " : "DIFFERS"} ${name}: ${shared.length} metrics from ${again.records} samples, ${again.judgedAgain} answers judged again`,
    ...apart.map(
      (metric) => `        ${metric.name}: reported ${reported?.[metric.name]}, from the samples ${metric.value}`
    ),
    ...(again.different.length === 0
      ? []
      : [
          `        judged otherwise: ${again.different.slice(0, 10).join(", ")}${again.different.length > 10 ? ", …" : ""}`
        ])
  ]
  return [agrees, lines.join("\n")]
}

const check: Handler = async (session) => {
  const { screen } = session
  const { client } = await session.connect()
  const id = jobArgument(session)
  const job = recordOf(await client.getJob({ path: { id } })) as unknown as JobRecord
  let all = true
  for (const [index, entry] of job.benchmarks.entries()) {
    const name = `${index} ${entry.provider_id}/${entry.id}`
    const result = job.results?.benchmarks.find((one) => one.benchmark_index === index)
    if (benchmarkById(entry.id)?.kind !== "items" || result?.metrics === undefined) {
      const why = result?.metrics === undefined ? "no result" : "not of questions of ours"
      screen.out(plainLines(`skipped ${name}: ${why}\n`))
      continue
    }
    const records = await recordsOf(client, id, index)
    if (records.length === 0) {
      all = false
      screen.out(plainLines(`missing ${name}: the server has no samples\n`))
      continue
    }
    const again = await Effect.runPromise(rescore(specOf(job, entry, index), records))
    const [agrees, text] = compare(name, result.metrics, again)
    all &&= agrees
    screen.out(plainLines(`${text}\n`))
  }
  return all ? exits.done : exits.other
}

export const main = (args: ReadonlyArray<string>): void => {
  const client = commands.find(({ name }) => name === "rescore")?.client
  if (client !== undefined) void clientMain("rescore", client, args, check)
}
