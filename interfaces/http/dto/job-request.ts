/** Body of POST jobs. Shapes only: the rules are the domain's (`domain/job/submission/submission.ts`). Reference: api.md, "Submitting a job". */

import { Either, Schema } from "effect"
import { FreeForm } from "../../../config/free-form.ts"
import type { JobRequest as Domain } from "../../../domain/job/job.ts"
import { maxNotifications } from "../../../domain/notification/check-notifications.ts"
import { limitCodes, mostItems } from "../../../domain/validity/limits.ts"
import { defined } from "../../../values/defined.ts"
import { alphaField, JobGate, jobGateOf } from "./decisions/gate-policy.ts"
import { type BodyReader, decoder } from "./decode.ts"
import { Notification } from "./notification.ts"
import {
  as,
  HardwareConfig,
  integer,
  JobQueue,
  listOf,
  maybe,
  maybeAs,
  named,
  number,
  PrimaryScore,
  subdomain,
  Tags,
  TestData,
  Threshold,
  text,
  withoutEmptyCriteria
} from "./shapes.ts"

const ModelRef = Schema.Struct({
  url: text("base URL of the OpenAI-compatible endpoint, without credentials", {
    maxLength: 2048,
    pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/\\s#\\\\][^\\s#\\\\]*$"
  }),
  name: named("name of the model at the endpoint"),
  parameters: maybe(FreeForm),
  auth: maybe(
    Schema.Struct({ secretRef: as("secret_ref", subdomain("secret of the tenant with the endpoint's credentials")) })
  )
}).annotations({ identifier: "ModelRef" })

const Budget = Schema.Struct({
  requests: maybe(integer("requests to the model", { minimum: 1 })),
  tokens: maybe(integer("tokens asked and generated", { minimum: 1 })),
  seconds: maybe(number("from the first request to the last one that leaves", { minimum: 1 })),
  cost: maybe(number("by the price that the operator set for the model", { minimum: 0 }))
}).annotations({
  identifier: "Budget",
  description:
    "the most of each; a request that would be beyond it is refused, and its benchmark fails with `budget_exhausted`"
})

const BenchmarkEntry = Schema.Struct({
  id: named("benchmark id within the provider"),
  providerId: as("provider_id", named("provider that offers the benchmark")),
  url: maybe(text("link to a description of the benchmark", { maxLength: 2048 })),
  weight: maybe(number("share in the job's score; default 1, 0 excludes", { minimum: 0 })),
  primaryScore: maybeAs("primary_score", PrimaryScore),
  threshold: maybeAs("pass_criteria", Threshold),
  parameters: maybe(FreeForm),
  testData: maybeAs("test_data_ref", TestData),
  hardware: maybeAs("hardware_config", HardwareConfig),
  budget: maybe(Budget)
}).annotations({ identifier: "EvaluationBenchmarkConfig" })

const Experiment = Schema.Struct({
  name: named("name of the experiment in the tracking server"),
  tags: maybe(
    listOf(
      Schema.Struct({ key: named("name of the tag", 250), value: text("value of the tag", { maxLength: 5000 }) }),
      { maxItems: 20 }
    )
  ),
  artifactLocation: maybeAs("artifact_location", named("where the tracking server keeps artifacts", 2048))
}).annotations({ identifier: "ExperimentConfig" })

const component = "[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*"

const Oci = Schema.Struct({
  coordinates: Schema.Struct({
    host: as("oci_host", text("registry host with an optional port, without a scheme", { maxLength: 255 })),
    repository: as(
      "oci_repository",
      text("repository within the registry", { maxLength: 255, pattern: `^${component}(/${component})*$` })
    ),
    tag: maybeAs("oci_tag", text("tag of the artifact", { pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$" })),
    subject: maybeAs(
      "oci_subject",
      text("artifact that this one refers to: a digest, a tag, or a reference in the repository", { maxLength: 1024 })
    ),
    annotations: maybe(Schema.Record({ key: Schema.String, value: Schema.String }))
  }),
  connection: maybeAs(
    "k8s",
    Schema.transform(
      Schema.Struct({ connection: subdomain("secret of type docker-config-json in the tenant") }),
      Schema.String,
      {
        strict: true,
        decode: ({ connection }) => connection,
        encode: (connection) => ({ connection })
      }
    )
  )
})

const Exports = Schema.Struct({ oci: maybe(Oci) }).annotations({ identifier: "EvaluationExports" })

const shareLimit = { type: "number", minimum: 0, maximum: 1 }

const EarlyStop = Schema.Struct({ alpha: alphaField }).annotations({
  identifier: "EarlyStop",
  description:
    "stop asking when it is certain enough what the job's gate would say on all items; `alpha` is the chance that it would say otherwise, beside the gate's own"
})

/** names are the domain's to check: one that is misspelt must not be ignored */
const ValidityLimits = Schema.Record({ key: Schema.String, value: Schema.Number }).annotations({
  identifier: "ValidityLimits",
  description: "limits of validity of this job, where they differ from the tenant's and the server's",
  jsonSchema: {
    type: "object",
    additionalProperties: true,
    properties: Object.fromEntries(
      limitCodes.map((code) => [
        code,
        code === "few_items" ? { type: "integer", minimum: 0, maximum: mostItems } : shareLimit
      ])
    )
  }
})

export const jobRequestFields = {
  name: named("name of the job"),
  description: maybe(text("free text", { maxLength: 4096 })),
  tags: maybe(Tags),
  model: ModelRef,
  benchmarks: maybe(listOf(BenchmarkEntry, { maxItems: 1000 })),
  collection: maybe(
    Schema.Struct({
      id: named("collection whose benchmarks are run instead of `benchmarks`"),
      parameters: maybe(
        FreeForm.annotations({
          description: "given to every entry whose provider declares them, before what the collection says"
        })
      )
    })
  ),
  threshold: maybeAs("pass_criteria", Threshold),
  experiment: maybe(Experiment),
  exports: maybe(Exports),
  queue: maybe(JobQueue),
  hardware: maybeAs("hardware_config", HardwareConfig),
  validityLimits: maybeAs("validity_limits", ValidityLimits),
  custom: maybe(FreeForm),
  budget: maybe(Budget),
  resume: maybe(
    Schema.Boolean.annotations({
      description: "keep the model's answers, so that a rerun of what failed does not ask for them again; default false"
    })
  ),
  gate: maybe(JobGate),
  earlyStop: maybeAs("early_stop", EarlyStop),
  notifications: maybe(listOf(Notification, { maxItems: maxNotifications }))
}

/** either one of them */
const whatToRun = {
  anyOf: [
    { required: ["benchmarks"], properties: { benchmarks: { minItems: 1 } }, not: { required: ["collection"] } },
    { required: ["collection"], properties: { benchmarks: { maxItems: 0 } } }
  ]
}

export const JobRequest = Schema.Struct(jobRequestFields).annotations({
  identifier: "JobRequest",
  jsonSchema: { allOf: [whatToRun] }
})

/** `exports: {}` and `pass_criteria: {}` ask for nothing */
const withoutEmptyMembers = ({ exports, benchmarks, gate, ...request }: typeof JobRequest.Type): Domain => ({
  ...withoutEmptyCriteria(request),
  ...defined({ benchmarks: benchmarks?.map(withoutEmptyCriteria) }),
  ...(gate === undefined ? {} : { gate: jobGateOf(gate) }),
  ...(exports?.oci === undefined ? {} : { exports: { oci: exports.oci } })
})

const decode = decoder(JobRequest, { "/model/url": "model_url_required" })

export const decodeJobRequest: BodyReader<Domain> = (document, options) =>
  Either.map(decode(document, options), ({ value, ignored }) => ({ value: withoutEmptyMembers(value), ignored }))
