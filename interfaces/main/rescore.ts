/** `evald rescore JOB`: metrics of a job once more, from its samples alone, and whether they agree. Reference: samples.md, "Checking a score". */
import { Effect, Either, Schema } from "effect"
import { defaultSeed, numExamplesOf, seedOf } from "../../domain/job/submission/parameters.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { SampleRecord } from "../../providers/contract/sample-record.ts"
import { benchmarkById } from "../../providers/evald/catalogue.ts"
import { type Rescored, rescore } from "../../providers/evald/rescore.ts"
import { defined } from "../../values/defined.ts"
import { type CommandHelp, parseFlags, renderHelp, usageExit } from "../cli/flags.ts"
import { type Client, makeClient } from "../client/client.ts"

const command: CommandHelp = {
  usage: "evald rescore [flags] <job id>",
  summary:
    "Makes the metrics of a job's embedded benchmarks again from its samples alone, with the same scorers and without a model, and says whether they agree.\n\nExit status: 0 all agree, 1 something differs or could not be checked.",
  flags: [
    { name: "server", value: "<url>", meaning: "where the job is (default http://127.0.0.1:8080)" },
    { name: "tenant", value: "<name>", meaning: "its tenant, where the server has tenants; EVALD_TOKEN is the token" },
    { name: "help", meaning: "shows this" }
  ],
  examples: ["evald rescore 01a1f6f2-9c5e-7000-8000-1f2e3d4c5b6a"]
}

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
  if (!response.ok) throw new Error(`the samples of benchmark ${index} can not be read: ${await response.text()}`)
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

const check = async (client: Client, id: string): Promise<boolean> => {
  const answer = await client.getJob({ path: { id } })
  if (!answer.ok) throw new Error(answer.error?.message ?? `HTTP ${answer.status}`)
  const job = answer.value as unknown as JobRecord
  let all = true
  for (const [index, entry] of job.benchmarks.entries()) {
    const name = `${index} ${entry.provider_id}/${entry.id}`
    const result = job.results?.benchmarks.find((one) => one.benchmark_index === index)
    if (benchmarkById(entry.id)?.kind !== "items" || result?.metrics === undefined) {
      process.stdout.write(
        `skipped ${name}: ${result?.metrics === undefined ? "no result" : "not of questions of ours"}\n`
      )
      continue
    }
    const records = await recordsOf(client, id, index)
    if (records.length === 0) {
      all = false
      process.stdout.write(`missing ${name}: the server has no samples\n`)
      continue
    }
    const [agrees, text] = compare(
      name,
      result.metrics,
      await Effect.runPromise(rescore(specOf(job, entry, index), records))
    )
    all &&= agrees
    process.stdout.write(`${text}\n`)
  }
  return all
}

export const main = (args: ReadonlyArray<string>): void => {
  const { switches, values, positional, problems } = parseFlags(args, command.flags)
  const [id, ...further] = positional
  if (switches.has("help")) {
    process.stdout.write(renderHelp(command))
    return
  }
  const wrong = problems[0] ?? (id === undefined ? "which job?" : further.length > 0 ? "one job at a time" : undefined)
  if (wrong !== undefined || id === undefined) {
    process.stderr.write(`evald rescore: ${wrong}\n\n${renderHelp(command)}`)
    process.exitCode = usageExit
    return
  }
  const tenant = values.get("tenant")?.[0]
  const token = process.env["EVALD_TOKEN"]
  const client = makeClient({
    baseUrl: values.get("server")?.[0] ?? "http://127.0.0.1:8080",
    headers: {
      ...defined({ "x-tenant": tenant }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    }
  })
  check(client, id).then(
    (all) => {
      process.exitCode = all ? 0 : 1
    },
    (error: unknown) => {
      process.stderr.write(`evald rescore: ${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    }
  )
}
