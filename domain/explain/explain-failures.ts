/** Why benchmarks failed: what the error itself names, else the first cause in its log, else what the traffic shows. Reference: explain.md, "First causes". */
import { millisOf } from "../job/iso-time.ts"
import type { Benchmark, Message } from "../job/job.ts"
import { cut } from "../job/message.ts"
import { adapterCodes, runtimeCodes } from "../job/message-codes.ts"
import { type Sentence, say, unquoted } from "../sentence.ts"
import { type Cause, type Evidence, nameOf, placeOf, type UnitSight } from "./finding.ts"
import { type FoundCause, firstCauseIn } from "./first-cause.ts"
import { type Slowness, slownessOf } from "./pace.ts"
import { remedyOfCode, remedyOfFlag } from "./remedies.ts"

/** they say that something went wrong, not what */
const symptoms: ReadonlySet<string> = new Set([
  "adapter_exited_without_result",
  "adapter_internal_error",
  "benchmark_failed",
  "framework_failed",
  "framework_output_unreadable",
  "init_failed",
  "no_samples_scored",
  "too_many_errors",
  "deadline_exceeded",
  "model_request_timeout"
])

/** others name their causes as they like */
const isKnown = (code: string): boolean => Object.hasOwn(runtimeCodes, code) || Object.hasOwn(adapterCodes, code)

/** causes that only a log or the traffic names */
export const ownCauses: { readonly [code: string]: { readonly says: string; readonly remedy: Sentence } } = {
  model_tls_untrusted: {
    says: "the certificate of the endpoint is not trusted",
    remedy: "Add the endpoint's CA to the model secret (ca_cert), and submit again."
  },
  model_context_exceeded: {
    says: "a question is longer than the model's context",
    remedy:
      "Raise the context length of the endpoint, use fewer examples in the prompt or shorter items, and submit again."
  },
  credential_revoked: {
    says: "the endpoint refused the credentials after it had taken them",
    remedy: remedyOfFlag("credential_revoked")
  },
  no_requests: {
    says: "the adapter got no answer from the model in all its time",
    remedy:
      "Read the benchmark's log: it loads or waits for something else, or the endpoint holds its first answer back."
  },
  model_slow: {
    says: "the model takes long to answer",
    remedy: "Give the endpoint more capacity, or use fewer examples; where it is idle in between, raise num_concurrent."
  },
  few_workers: {
    says: "too few requests are under way at once",
    remedy: "Raise the benchmark's parameter num_concurrent, as far as the endpoint takes it, and submit again."
  },
  adapter_slow: {
    says: "the adapter itself takes the time, not the model",
    remedy: say`Read the benchmark's log, and give the benchmark more CPU (${unquoted(["hardware"])}).`
  }
}

/** what a code means and what to do about it */
export const knownCause = (code: string): { readonly says: string; readonly remedy: Sentence } =>
  ownCauses[code] ?? {
    says:
      { ...runtimeCodes, ...adapterCodes }[code as keyof typeof runtimeCodes & keyof typeof adapterCodes] ??
      `the adapter reports ${code}`,
    remedy: remedyOfCode(code)
  }

const shownBytes = 400
/** the first line, without the log behind it */
const headline = ({ message }: Message): string => cut(message.split("\n", 1)[0] ?? "", shownBytes)

/** the time from the start of the unit to its end */
export const elapsedOf = ({ resumedAt, spawnedAt, startedAt, completedAt }: Benchmark, now: string): number => {
  const from = resumedAt ?? spawnedAt ?? startedAt
  return from === undefined ? 0 : millisOf(completedAt ?? now) - millisOf(from)
}

export const trafficEvidence = (benchmark: Benchmark, { text }: Slowness): Evidence => ({
  kind: "traffic",
  ref: placeOf(benchmark),
  text
})

interface Traced {
  readonly code: string
  readonly evidence: ReadonlyArray<Evidence>
}

const logEvidence = (benchmark: Benchmark, { line }: FoundCause): Evidence => ({
  kind: "log",
  ref: `${placeOf(benchmark)}/logs`,
  text: cut(line, shownBytes)
})

const traced = (benchmark: Benchmark, error: Message, sight: UnitSight | undefined, now: string): Traced => {
  if (isKnown(error.code) && !symptoms.has(error.code)) return { code: error.code, evidence: [] }
  const said = firstCauseIn(error.message)
  // a limit that was reached says nothing of a cause, but its text may name the member to change
  if (said !== undefined && said.code !== error.code)
    return { code: said.code, evidence: [logEvidence(benchmark, said)] }
  const slow = sight?.traffic === undefined ? undefined : slownessOf(sight.traffic, elapsedOf(benchmark, now))
  return slow === undefined
    ? { code: error.code, evidence: [] }
    : { code: slow.code, evidence: [trafficEvidence(benchmark, slow)] }
}

const causeOf = (benchmark: Benchmark, error: Message, sight: UnitSight | undefined, now: string): Cause => {
  const { code, evidence } = traced(benchmark, error, sight, now)
  const { says, remedy } = knownCause(code)
  return {
    ...{ code, remedy },
    says: `${nameOf(benchmark)} failed: ${says}`,
    since: benchmark.completedAt ?? now,
    evidence: [...evidence, { kind: "message", ref: placeOf(benchmark), text: `${error.code}: ${headline(error)}` }]
  }
}

/** `certain`: what can be said to be a cause; `unclear`: failures of which only the symptom is known */
export const explainFailures = (
  benchmarks: ReadonlyArray<Benchmark>,
  sights: ReadonlyMap<number, UnitSight>,
  now: string
): { readonly certain: ReadonlyArray<Cause>; readonly unclear: ReadonlyArray<Cause> } => {
  const causes = benchmarks.flatMap((benchmark) =>
    benchmark.state === "failed" && benchmark.error !== undefined
      ? [causeOf(benchmark, benchmark.error, sights.get(benchmark.index), now)]
      : []
  )
  return {
    certain: causes.filter(({ code }) => !symptoms.has(code)),
    unclear: causes.filter(({ code }) => symptoms.has(code))
  }
}
