/** Answer of `POST jobs?dry_run=true`, and of a job's plan: what would run or was to run, with the source of every value. Reference: api.md, "Plan". */

import { Schema } from "effect"
import type { Plan as Domain } from "../../../application/jobs/plan-job.ts"
import type { PlanToken } from "../../../application/jobs/plan-token.ts"
import { FreeForm } from "../../../config/free-form.ts"
import { wireSentence } from "../../../config/wire-names.ts"
import type { Benchmark } from "../../../domain/job/job.ts"
import { redactParameters } from "../../../domain/job/redaction.ts"
import { scaleOf } from "../../../domain/job/scoring.ts"
import { defined } from "../../../values/defined.ts"
import { given, integer, number, Scale, Texts, text } from "./shapes.ts"

const source = Schema.Literal("job", "collection", "provider", "default")
const resourceSource = Schema.Literal("profile", "hardware_config", "provider", "built_in")
const Sourced = Schema.Struct({ value: Schema.String, source: resourceSource }).annotations({
  identifier: "SourcedQuantity"
})

const Resources = Schema.Struct({
  cpu_request: Sourced,
  memory_request: Sourced,
  cpu_limit: Sourced,
  memory_limit: Sourced,
  extended: given(
    Schema.Array(
      Schema.Struct({ name: Schema.String, request: Schema.String, limit: Schema.String, source: resourceSource })
    )
  )
}).annotations({ identifier: "ResolvedResources" })

const Estimate = Schema.Struct({
  requests: integer("requests to the model", { minimum: 0 }),
  tokens: given(
    Schema.Struct({
      input: integer("tokens asked", { minimum: 0 }),
      output: integer("tokens generated", { minimum: 0 })
    })
  ),
  cost: given(number("by the price of the model", { minimum: 0 })),
  basis: Schema.Union(
    Schema.Struct({
      kind: Schema.Literal("earlier_runs"),
      runs: integer("of this benchmark in this tenant, whatever their parameters were", { minimum: 1 })
    }),
    Schema.Struct({ kind: Schema.Literal("num_examples") })
  )
}).annotations({ identifier: "UsageEstimate", description: "what the benchmark may use, and what that is told from" })

const PlannedBenchmark = Schema.Struct({
  benchmark_index: integer("position in the job", { minimum: 0 }),
  id: Schema.String,
  provider_id: Schema.String,
  weight: number("share in the job's score"),
  parameters: given(
    FreeForm.annotations({ description: "what the benchmark is run with, those of `collection.parameters` included" })
  ),
  primary_score: given(Schema.Struct({ metric: Schema.String, lower_is_better: Schema.Boolean, scale: Scale, source })),
  threshold: given(Schema.Struct({ value: Schema.Number, source })),
  resources: Resources,
  queue: given(
    Schema.Struct({
      kind: Schema.String,
      name: Schema.String,
      source: Schema.Literal("profile", "hardware_config", "job_queue")
    })
  ),
  image: given(text("container image, in a cluster; absent where the provider names none: the server's own")),
  entrypoint: given(Texts),
  command: given(text("local command, in local mode")),
  estimate: given(Estimate)
}).annotations({ identifier: "PlannedBenchmark" })

export const Plan = Schema.Struct({
  runtime: Schema.Literal("local", "cluster"),
  threshold: number("threshold of the job's score"),
  benchmarks: Schema.Array(PlannedBenchmark),
  service_account: given(text("service account of the pods, in a cluster")),
  warnings: Texts.annotations({ description: "settings that have no effect here" }),
  plan_token: given(
    Schema.Struct({
      value: text("to be sent as `Plan-Token` with the body that was planned"),
      expires_at: text("time after which it is refused")
    }).annotations({ identifier: "PlanToken", description: "submits what was planned, once" })
  )
}).annotations({ identifier: "Plan", description: "What a job would run, or was stored to run." })

const planned = ({ index, entry, snapshot, estimate }: Domain["benchmarks"][number], runtime: Domain["runtime"]) => ({
  benchmark_index: index,
  id: entry.id,
  provider_id: entry.providerId,
  weight: snapshot.weight,
  ...(entry.parameters === undefined || Object.keys(entry.parameters).length === 0
    ? {}
    : { parameters: redactParameters(entry.parameters) }),
  ...(snapshot.primaryScore === undefined
    ? {}
    : { primary_score: primaryScore(snapshot.primaryScore, scaleOf(snapshot)) }),
  ...(snapshot.threshold === undefined
    ? {}
    : { threshold: { value: snapshot.threshold.value, source: snapshot.threshold.source } }),
  resources: resources(snapshot.resources),
  ...(snapshot.queue === undefined
    ? {}
    : { queue: { kind: snapshot.queue.kind, name: snapshot.queue.name, source: snapshot.queue.source } }),
  ...(runtime === "local" ? local(snapshot.runtime.local) : container(snapshot.runtime.k8s)),
  ...defined({ estimate })
})

const primaryScore = (
  { metric, lowerIsBetter, source }: NonNullable<Benchmark["snapshot"]["primaryScore"]>,
  scale: ReturnType<typeof scaleOf>
) => ({
  metric,
  lower_is_better: lowerIsBetter,
  scale,
  source
})

const resources = ({
  cpuRequest,
  memoryRequest,
  cpuLimit,
  memoryLimit,
  extended
}: Benchmark["snapshot"]["resources"]) => ({
  cpu_request: cpuRequest,
  memory_request: memoryRequest,
  cpu_limit: cpuLimit,
  memory_limit: memoryLimit,
  ...defined({ extended })
})

const local = (runtime: Benchmark["snapshot"]["runtime"]["local"]) =>
  runtime === undefined ? {} : { command: runtime.command }

const container = (runtime: Benchmark["snapshot"]["runtime"]["k8s"]) => ({
  ...defined({ image: runtime?.image, entrypoint: runtime?.entrypoint })
})

export const planWire = (
  { runtime, threshold, benchmarks, serviceAccount, warnings }: Domain,
  token?: PlanToken
): typeof Plan.Encoded => ({
  runtime,
  threshold,
  benchmarks: benchmarks.map((benchmark) => planned(benchmark, runtime)),
  ...defined({ service_account: serviceAccount }),
  warnings: warnings.map(wireSentence),
  ...(token === undefined ? {} : { plan_token: { value: token.value, expires_at: token.expiresAt } })
})
