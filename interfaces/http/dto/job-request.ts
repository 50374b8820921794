/** Body of POST jobs. Shapes only: the rules are the domain's (`domain/job/submission/submission.ts`). Reference: api.md, "Submitting a job". */
import { Either, Schema } from "effect"
import type { JobRequest as Domain } from "../../../domain/job/job.ts"
import { type BodyReader, decoder } from "./decode.ts"
import { as, FreeForm, HardwareConfig, maybe, maybeAs, number, PrimaryScore, Queue, Tags, TestData, Threshold, text, withoutEmptyCriteria } from "./shapes.ts"

const ModelRef = Schema.Struct({
  url: text("base URL of the OpenAI-compatible endpoint, without credentials"),
  name: text("name of the model at the endpoint"),
  parameters: maybe(FreeForm),
  auth: maybe(Schema.Struct({ secretRef: as("secret_ref", text("secret of the tenant with the endpoint's credentials")) }))
}).annotations({ identifier: "ModelRef" })

const BenchmarkEntry = Schema.Struct({
  id: text("benchmark id within the provider"),
  providerId: as("provider_id", text("provider that offers the benchmark")),
  url: maybe(text("link to a description of the benchmark")),
  weight: maybe(number("share in the job's score; default 1, 0 excludes", { minimum: 0 })),
  primaryScore: maybeAs("primary_score", PrimaryScore),
  threshold: maybeAs("pass_criteria", Threshold),
  parameters: maybe(FreeForm),
  testData: maybeAs("test_data_ref", TestData),
  hardware: maybeAs("hardware_config", HardwareConfig)
}).annotations({ identifier: "EvaluationBenchmarkConfig" })

const Experiment = Schema.Struct({
  name: text("name of the experiment in the tracking server"),
  tags: maybe(Schema.Array(Schema.Struct({ key: text("", { maxLength: 250 }), value: text("", { maxLength: 5000 }) }))),
  artifactLocation: maybeAs("artifact_location", text("where the tracking server keeps artifacts"))
}).annotations({ identifier: "ExperimentConfig" })

const Oci = Schema.Struct({
  coordinates: Schema.Struct({
    host: as("oci_host", text("registry host")),
    repository: as("oci_repository", text("repository within the registry")),
    tag: maybeAs("oci_tag", text("tag of the artifact")),
    subject: maybeAs("oci_subject", text("artifact that this one refers to")),
    annotations: maybe(Schema.Record({ key: Schema.String, value: Schema.String }))
  }),
  connection: maybeAs(
    "k8s",
    Schema.transform(Schema.Struct({ connection: text("secret of type docker-config-json in the tenant") }), Schema.String, {
      strict: true,
      decode: ({ connection }) => connection,
      encode: (connection) => ({ connection })
    })
  )
})

const Exports = Schema.Struct({ oci: maybe(Oci) }).annotations({ identifier: "EvaluationExports" })

export const jobRequestFields = {
  name: text("name of the job", { minLength: 1, maxLength: 256 }),
  description: maybe(text("free text", { maxLength: 4096 })),
  tags: maybe(Tags),
  model: ModelRef,
  benchmarks: maybe(Schema.Array(BenchmarkEntry)),
  collection: maybe(
    Schema.Struct({
      id: text("collection whose benchmarks are run instead of `benchmarks`"),
      parameters: maybe(FreeForm.annotations({ description: "given to every entry whose provider declares them, before what the collection says" }))
    })
  ),
  threshold: maybeAs("pass_criteria", Threshold),
  experiment: maybe(Experiment),
  exports: maybe(Exports),
  queue: maybe(Queue),
  hardware: maybeAs("hardware_config", HardwareConfig),
  custom: maybe(FreeForm)
}

export const JobRequest = Schema.Struct(jobRequestFields).annotations({ identifier: "JobRequest" })

/** `exports: {}` and `pass_criteria: {}` ask for nothing */
const withoutEmptyMembers = ({ exports, benchmarks, ...request }: typeof JobRequest.Type): Domain => ({
  ...withoutEmptyCriteria(request),
  ...(benchmarks === undefined ? {} : { benchmarks: benchmarks.map(withoutEmptyCriteria) }),
  ...(exports?.oci === undefined ? {} : { exports: { oci: exports.oci } })
})

const decode = decoder(JobRequest, { "/model/url": "model_url_required" })

export const decodeJobRequest: BodyReader<Domain> = (document, options) =>
  Either.map(decode(document, options), ({ value, ignored }) => ({ value: withoutEmptyMembers(value), ignored }))
