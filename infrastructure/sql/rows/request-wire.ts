/** The part of a job's record that never changes: what was asked, as it goes out. Reference: api.md, "Submitting a job". */
import type { JobGate } from "../../../domain/gate/criteria.ts"
import type { HardwareConfig } from "../../../domain/hardware/hardware-config.ts"
import type { Queue } from "../../../domain/hardware/queue.ts"
import type { BenchmarkEntry, Experiment, Job, ModelRef, OciExport } from "../../../domain/job/job.ts"
import { redactParameters } from "../../../domain/job/redaction.ts"
import { inside, present } from "./present.ts"

const model = ({ url, name, parameters, auth }: ModelRef) =>
  present({
    url,
    name,
    parameters: redactParameters(parameters),
    auth: auth === undefined ? undefined : { secret_ref: auth.secretRef }
  })

const queue = (value: Queue | undefined) =>
  value === undefined ? undefined : present({ kind: value.kind, name: value.name })

const amounts = (value: { readonly request?: string; readonly limit?: string } | undefined) =>
  value === undefined ? undefined : present({ request: value.request, limit: value.limit })

const hardware = (value: HardwareConfig | undefined) =>
  value === undefined
    ? undefined
    : present({
        hardware_profile_name: value.profileName,
        cpu: amounts(value.cpu),
        memory: amounts(value.memory),
        gpu: value.gpu === undefined ? undefined : present({ name: value.gpu.name, count: value.gpu.count }),
        queue: queue(value.queue)
      })

const benchmark = (entry: BenchmarkEntry) =>
  present({
    id: entry.id,
    provider_id: entry.providerId,
    url: entry.url,
    weight: entry.weight,
    primary_score:
      entry.primaryScore === undefined
        ? undefined
        : present({
            metric: entry.primaryScore.metric,
            lower_is_better: entry.primaryScore.lowerIsBetter,
            scale: entry.primaryScore.scale
          }),
    pass_criteria: present({ threshold: entry.threshold }),
    parameters: redactParameters(entry.parameters),
    test_data_ref:
      entry.testData === undefined
        ? undefined
        : // an empty key is the whole bucket
          {
            s3: {
              bucket: entry.testData.s3.bucket,
              key: entry.testData.s3.key,
              ...present({ secret_ref: entry.testData.s3.secretRef })
            }
          },
    hardware_config: hardware(entry.hardware),
    budget: entry.budget
  })

const collection = (value: Job["request"]["collection"]) =>
  value === undefined ? undefined : present({ id: value.id, parameters: redactParameters(value.parameters) })

const experiment = (value: Experiment | undefined) =>
  value === undefined
    ? undefined
    : present({
        name: value.name,
        tags: value.tags?.map((tag) => ({ key: tag.key, value: tag.value })),
        artifact_location: value.artifactLocation
      })

const oci = ({ coordinates, connection }: OciExport) =>
  present({
    coordinates: present({
      oci_host: coordinates.host,
      oci_repository: coordinates.repository,
      oci_tag: coordinates.tag,
      oci_subject: coordinates.subject,
      annotations: coordinates.annotations
    }),
    k8s: present({ connection })
  })

const gate = (value: JobGate | undefined) =>
  value === undefined
    ? undefined
    : present({
        policy: present({
          name: value.policy.name,
          criteria: value.policy.criteria.map(({ providerId, ...criterion }) => ({
            ...criterion,
            ...present({ provider_id: providerId })
          }))
        }),
        baseline: value.baseline === undefined ? undefined : { job: value.baseline },
        policy_sha256: value.policyDigest
      })

/** `"name":…,"model":…,…`: the inside of the record's text between `resource` and `status` */
export const requestWire = (request: Job["request"]): string =>
  inside({
    name: request.name,
    description: request.description,
    tags: request.tags,
    model: model(request.model),
    benchmarks: request.benchmarks.map(benchmark),
    collection: collection(request.collection),
    pass_criteria: present({ threshold: request.threshold }),
    experiment: experiment(request.experiment),
    exports: request.exports === undefined ? undefined : present({ oci: oci(request.exports.oci) }),
    queue: queue(request.queue),
    hardware_config: hardware(request.hardware),
    validity_limits: request.validityLimits,
    custom: request.custom,
    budget: request.budget,
    resume: request.resume,
    gate: gate(request.gate),
    early_stop: request.earlyStop,
    rerun_of: request.rerunOf,
    notifications: request.notifications?.map(({ url, events, secretRef }) => ({ url, events, secret_ref: secretRef }))
  })
