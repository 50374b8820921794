/** Bodies with every member that requests may have, each with a value that fits. */
import { limitCodes } from "../../domain/validity/limits.ts"

const entry = {
  id: "b",
  provider_id: "p",
  url: "https://bench.example.com/b",
  weight: 2,
  primary_score: { metric: "acc", lower_is_better: false, scale: "unit" },
  pass_criteria: { threshold: 0.5 },
  parameters: { seed: 1 },
  test_data_ref: { s3: { bucket: "data", key: "a/b", secret_ref: "s3-key" } }
}

const hardware = {
  cpu: { request: "1", limit: "2" },
  memory: { request: "1Gi", limit: "2Gi" },
  gpu: { name: "example.com/gpu", count: 1 },
  queue: { kind: "kueue", name: "team" }
}

export const fullJob = {
  name: "full",
  description: "everything",
  tags: ["one"],
  model: {
    url: "http://model.example.com/v1",
    name: "m",
    parameters: { temperature: 0 },
    auth: { secret_ref: "model-key" }
  },
  benchmarks: [{ ...entry, hardware_config: hardware }],
  pass_criteria: { threshold: 0.5 },
  experiment: { name: "e", tags: [{ key: "k", value: "v" }], artifact_location: "s3://bucket/path" },
  exports: {
    oci: {
      coordinates: {
        oci_host: "registry.example.com",
        oci_repository: "team/results",
        oci_tag: "v1",
        oci_subject: "v0",
        annotations: { a: "b" }
      },
      k8s: { connection: "registry-login" }
    }
  },
  queue: { kind: "kueue", name: "team" },
  hardware_config: hardware,
  validity_limits: Object.fromEntries(limitCodes.map((code) => [code, code === "few_items" ? 10 : 0.2])),
  notifications: [{ url: "https://hooks.example.com/evald", events: ["completed", "decided"], secret_ref: "hook-key" }],
  custom: { ticket: 1 }
}

const policy = {
  name: "release",
  criteria: [
    {
      ...{ benchmark: "b", provider_id: "p", metric: "acc", direction: "higher", kind: "relative_to_baseline" },
      ...{ tolerance: 0.1, tier: "gating", alpha: 0.05 }
    },
    { benchmark: "b", kind: "absolute", threshold: 0.5 }
  ]
}

const budget = { requests: 10, tokens: 10, seconds: 10 }

/** what a job is decided by, beside the least that it needs */
export const decidedJob = (baseline: string) => ({
  name: "decided",
  model: fullJob.model,
  benchmarks: [{ id: "b", provider_id: "p", budget }],
  budget,
  resume: true,
  gate: { policy, baseline: { job: baseline }, policy_sha256: "0".repeat(64) },
  early_stop: { alpha: 0.05 }
})

/** members that others exclude, and those that need a price */
export const otherJob = {
  budget: { cost: 10 },
  benchmarks: [{ budget: { cost: 10 }, hardware_config: { hardware_profile_name: "small" } }],
  collection: { id: "c", parameters: { seed: 1 } },
  hardware_config: { hardware_profile_name: "small" }
}

/** bodies of what is asked about jobs that have ended, and of small questions */
export const fullDecisions = (job: string, other: string) => {
  const { benchmarks: _, ...decided } = decidedJob(job)
  const { name, model, description, tags, pass_criteria, hardware_config, validity_limits, custom } = fullJob
  return {
    ComparisonRequest: {
      ...{ baseline: { job }, candidates: [{ job: other }], alpha: 0.05, tolerance: 0.1 },
      benchmarks: [{ id: "b", provider_id: "p" }]
    },
    GateRequest: { policy, baseline: { job: other } },
    RerunRequest: {
      ...{ which: "all", reuse: false },
      overrides: {
        ...{ ...decided, name, model, description, tags, pass_criteria, hardware_config, validity_limits, custom },
        parameters: { seed: 1 }
      }
    },
    CollectionClone: { name: "copy" },
    NotificationTest: { url: "https://hooks.example.com/evald", secret_ref: "hook-key" }
  }
}

const agent = {
  evaluates: ["reasoning"],
  recommended_when: ["often"],
  summary: "short",
  complements: ["others"],
  hints: ["a hint"],
  result_interpretation: ["higher is better"]
}

export const fullProvider = {
  name: "full",
  title: "Full",
  description: "everything",
  tags: ["one"],
  agent: { ...agent, target_type: "model" },
  runtime: {
    k8s: {
      image: "registry.example.com/image:1",
      entrypoint: ["run"],
      cpu_request: "1",
      memory_request: "1Gi",
      cpu_limit: "2",
      memory_limit: "2Gi",
      env: [{ name: "A", value: "b" }],
      image_pull_policy: "always"
    },
    local: { command: "run", env: [{ name: "A", value: "b" }] }
  },
  parameters: [
    {
      name: "seed",
      type: "integer",
      default: 1,
      enum: [1, 2],
      minimum: 0,
      maximum: 9,
      required: false,
      aliases: ["random_seed"],
      description: "of chance"
    }
  ],
  requirements: { network: true },
  benchmarks: [
    {
      id: "b",
      name: "B",
      category: "general",
      metrics: ["acc"],
      url: "https://bench.example.com/b",
      description: "one",
      num_few_shot: 0,
      dataset_size: 10,
      tags: ["one"],
      primary_score: { metric: "acc", lower_is_better: false, scale: "unit" },
      pass_criteria: { threshold: 0.5 },
      agent: { result_interpretation: "higher is better", score_ranges: [{ range: "0.0-0.5", meaning: "bad" }] },
      requirements: {
        endpoint: "chat",
        framework_task: "t",
        framework_min: "1.0",
        flags: ["needs_judge"],
        percent_metrics: ["acc"],
        calls: 2
      }
    }
  ]
}

export const fullCollection = {
  name: "full",
  category: "general",
  description: "everything",
  tags: ["one"],
  custom: { a: 1 },
  pass_criteria: { threshold: 0.5 },
  agent,
  benchmarks: [entry]
}
