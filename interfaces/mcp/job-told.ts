/** A job as an agent is told of it: figures, states, names and messages, and nothing that a model has answered. */

import { defined } from "../../values/defined.ts"
import type { RecordOf } from "../cli/client/exit.ts"
import { type Arguments, type Asking, record, textOf } from "./tool.ts"

type Job = RecordOf<"getJob">

/** the argument of every tool that is about one job */
export const id = { type: "string", description: "identifier of the job" } as const

/** the job that the arguments name */
export const jobOf = ({ client, signal }: Asking, args: Arguments): Promise<Job> =>
  record(client.getJob({ signal, path: { id: textOf(args, "id") ?? "" } }))

type Result = Job["results"]["benchmarks"][number]

export const headOf = ({ resource, name, tags, model, collection, status, rerun_of }: Job) => ({
  id: resource.id,
  name,
  ...defined({ tags: tags?.length === 0 ? undefined : tags, collection: collection?.id, rerun_of: rerun_of?.job }),
  model: model.name,
  ...defined({ owner: resource.owner }),
  created_at: resource.created_at,
  updated_at: resource.updated_at,
  state: status.state,
  message: status.message.message
})

/** how many benchmarks are in which state */
export const countsOf = ({ status }: Job): { readonly [state: string]: number } => {
  const counts: Record<string, number> = {}
  for (const one of status.benchmarks) counts[one.status] = (counts[one.status] ?? 0) + 1
  return counts
}

export const statusOf = (one: Job["status"]["benchmarks"][number]) => ({
  benchmark: one.benchmark_index,
  id: `${one.provider_id}/${one.id}`,
  state: one.status,
  ...defined({
    phase: one.phase,
    steps: one.progress?.completed_steps,
    of_steps: one.progress?.total_steps,
    error: one.error_message?.message,
    error_code: one.error_message?.message_code,
    warning: one.warning_message?.message,
    started_at: one.started_at,
    completed_at: one.completed_at
  })
})

/** numbers and truth values: a text may be what a model has answered */
const figures = (metrics: Result["metrics"]): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    Object.entries(metrics).filter(([, value]) => typeof value === "number" || typeof value === "boolean")
  )

export const resultOf = (one: Result) => ({
  benchmark: one.benchmark_index,
  id: `${one.provider_id}/${one.id}`,
  metrics: figures(one.metrics),
  ...defined({
    verdict: one.test,
    validity: one.validity,
    samples: one.samples?.count,
    usage: one.usage,
    notes: one.notes,
    carried_from: one.carried_from
  })
})
