/**
 * The job file of one unit: what an adapter is told about its benchmark, in the words of the wire contract. Pure; the place (pod or
 * local directory) only decides addresses and paths. Never holds a weight, a threshold, hardware, a job tag or another benchmark.
 * Reference: adapter-contract.md, "Job file", "Addresses", "Artifacts".
 */
import { createHash } from "node:crypto"
import { Either } from "effect"
import type { Unit } from "../../application/ports/runtime.ts"
import type { FreeForm } from "../../domain/free-form.ts"
import type { BenchmarkSnapshot } from "../../domain/job/job.ts"
import { defaultSeed, numExamplesOf, seedOf } from "../../domain/job/submission/parameters.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { defined } from "../../values/defined.ts"

/** where the unit runs, as its adapter sees it */
export interface Place {
  /** base of the event route, without trailing slash */
  readonly callbackUrl: string
  /** address the adapter sends model traffic to; absent: the model's own address */
  readonly modelGateway?: string
  readonly outputDir: string
  /** present iff the benchmark has test data */
  readonly testDataDir?: string
  /** what `model.auth.secret_ref` says, from the given name */
  readonly secretRef: (name: string) => string
  /** string parameters that point below `/test_data` are moved to `testDataDir` (local only: foreign adapters hard-code that path) */
  readonly moveTestData: boolean
  /** where results are pushed to, when not to the registry itself */
  readonly push?: { readonly host: string; readonly prefix?: string }
}

export interface DocumentOptions {
  /** seconds; absent or 0 = no limit */
  readonly timeoutSeconds?: number
  /** `upload` false: nobody takes them here */
  readonly samples: { readonly write: boolean; readonly includeText: boolean; readonly upload?: boolean }
  /** copies of `id` and `parameters` for adapters built against the first contract (`compat.legacy_job_keys`) */
  readonly legacyJobKeys: boolean
}

const maxTag = 128

/** `https://h:1/x/v1?y` behind `gateway` is `<gateway>/x/v1?y`; a bare origin stays bare */
const behind = (gateway: string, url: string): string => gateway + url.slice(pathStart(url))

const pathStart = (url: string): number => {
  const authority = url.indexOf("//") + 2
  const ends = [url.indexOf("/", authority), url.indexOf("?", authority)].filter((at) => at >= 0)
  return ends.length === 0 ? url.length : Math.min(...ends)
}

const moved = (value: unknown, directory: string): unknown => {
  if (typeof value === "string")
    return value === "/test_data" || value.startsWith("/test_data/")
      ? directory + value.slice("/test_data".length)
      : value
  if (Array.isArray(value)) return value.map((item) => moved(item, directory))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, moved(member, directory)]))
}

/** the tag of this benchmark's artifact: the given one, made unique within the job, or one derived from the identity of the unit */
export const artifactTag = (unit: Unit): string => {
  const { providerId, id } = unit.benchmark.entry
  const given = unit.request.exports?.oci.coordinates.tag
  if (given === undefined)
    return `evalhub-${createHash("sha256").update(`${unit.jobId}:${providerId}:${id}:${unit.index}`).digest("hex")}`
  const { counts } = unit.head
  if (counts.pending + counts.running + counts.completed + counts.failed + counts.cancelled === 1) return given
  const suffix = `-${unit.index}`
  return given.slice(0, maxTag - suffix.length) + suffix
}

const exportsOf = (unit: Unit, place: Place): Pick<JobSpec, "exports"> => {
  const coordinates = unit.request.exports?.oci.coordinates
  if (coordinates === undefined) return {}
  const { host, repository, subject, annotations } = coordinates
  return {
    exports: {
      oci: {
        coordinates: {
          oci_host: host,
          oci_repository: repository,
          oci_tag: artifactTag(unit),
          ...defined({ oci_subject: subject, annotations })
        },
        ...(place.push === undefined ? {} : { push_scheme: "http", push_host: place.push.host }),
        ...defined({ push_prefix: place.push?.prefix })
      }
    }
  }
}

/** only when the experiment was made at submission: the presence of its name makes adapters log there */
const experimentOf = (unit: Unit): Pick<JobSpec, "experiment_name" | "tags"> => {
  const { experiment } = unit.request
  if (experiment === undefined) return {}
  const tags = experiment.tags ?? []
  return {
    ...(unit.head.trackerExperimentId === undefined ? {} : { experiment_name: experiment.name }),
    ...(tags.length === 0 ? {} : { tags: tags.map(({ key, value }) => ({ key, value })) })
  }
}

/** what the provider says of the benchmark: a wrapper knows its shipped rows, and of all others only what stands here */
const requirementsOf = ({
  requirements,
  numFewShot
}: BenchmarkSnapshot): Pick<JobSpec, "requirements" | "num_few_shot"> => {
  const { endpoint, frameworkTask, frameworkMin, flags, percentMetrics } = requirements ?? {}
  const told = {
    ...defined({ endpoint, framework_task: frameworkTask, framework_min: frameworkMin }),
    ...(flags === undefined || flags.length === 0 ? {} : { flags }),
    ...(percentMetrics === undefined || percentMetrics.length === 0 ? {} : { percent_metrics: percentMetrics })
  }
  return {
    ...(Object.keys(told).length === 0 ? {} : { requirements: told }),
    ...defined({ num_few_shot: numFewShot })
  }
}

const stopOf = ({ earlyStop }: BenchmarkSnapshot): Pick<JobSpec, "early_stop"> => {
  if (earlyStop === undefined) return {}
  const { alpha, gating, criteria, baseline } = earlyStop
  const told =
    baseline === undefined ? undefined : { ...defined({ dataset_sha256: baseline.dataset }), items: baseline.items }
  return { early_stop: { alpha, gating, criteria, ...defined({ baseline: told }) } }
}

/** the job file of this unit at this place */
export const jobDocument = (unit: Unit, place: Place, options: DocumentOptions): JobSpec => {
  const { entry, snapshot } = unit.benchmark
  const { model } = unit.request
  const { num_examples: _, ...given } = entry.parameters ?? {}
  const parameters =
    place.moveTestData && place.testDataDir !== undefined ? (moved(given, place.testDataDir) as FreeForm) : given
  const primary = snapshot.primaryScore
  return {
    spec_version: "1",
    id: unit.jobId,
    provider_id: entry.providerId,
    benchmark_id: entry.id,
    benchmark_index: unit.index,
    attempt: unit.attempt,
    tenant: unit.tenant,
    model: {
      url: place.modelGateway === undefined ? model.url : behind(place.modelGateway, model.url),
      name: model.name,
      ...(model.auth === undefined ? {} : { auth: { secret_ref: place.secretRef(model.auth.secretRef) } }),
      ...defined({ parameters: model.parameters })
    },
    parameters,
    ...Either.match(numExamplesOf(entry.parameters), {
      onLeft: () => ({}),
      onRight: (count) => (count === undefined ? {} : { num_examples: count })
    }),
    seed: Either.getOrElse(seedOf(given), () => defaultSeed),
    ...(primary === undefined
      ? {}
      : { primary_score: { metric: primary.metric, lower_is_better: primary.lowerIsBetter } }),
    ...requirementsOf(snapshot),
    ...stopOf(snapshot),
    ...(options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
      ? {}
      : { timeout_seconds: options.timeoutSeconds }),
    callback_url: place.callbackUrl,
    output_dir: place.outputDir,
    ...defined({ test_data_dir: place.testDataDir }),
    samples: {
      write: options.samples.write,
      include_text: options.samples.includeText,
      ...(options.samples.upload === false ? { upload: false } : {})
    },
    ...experimentOf(unit),
    ...exportsOf(unit, place),
    ...defined({ traceparent: unit.request.traceparent }),
    ...(options.legacyJobKeys ? { job_id: unit.jobId, benchmark_config: parameters } : {})
  }
}
