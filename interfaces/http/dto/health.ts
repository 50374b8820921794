/** Answers of the routes about the service. Reference: api.md, "Service routes". */
import { Schema } from "effect"
import { dateTime, given, integer, Texts, text } from "./shapes.ts"

export const Health = Schema.Struct({
  status: Schema.Literal("healthy"),
  timestamp: dateTime("time of the answer"),
  build: Schema.String,
  git_hash: Schema.String
}).annotations({ identifier: "Health" })

const Dependency = Schema.Struct({ name: Schema.String, ok: Schema.Boolean, detail: given(Schema.String) }).annotations(
  { identifier: "Dependency" }
)

export const Readiness = Schema.Struct({
  status: Schema.Literal("ready", "not_ready"),
  timestamp: dateTime("time of the answer"),
  dependencies: Schema.Array(Dependency)
}).annotations({ identifier: "Readiness" })

const limit = (description: string) => given(integer(`${description}; absent: no limit`))

export const Info = Schema.Struct({
  version: Schema.String,
  git_hash: Schema.String,
  mode: Schema.Literal("local", "cluster"),
  limits: Schema.Struct({
    max_body_bytes: integer("largest body of a request"),
    max_running: limit("benchmarks of a tenant that run at once"),
    max_queued: limit("benchmarks of a tenant that wait beyond them"),
    max_stored_bytes: limit("bytes kept of a tenant")
  }),
  features: Texts.annotations({ description: "operations of this server, by their names in this document" }),
  hardware_profiles: given(
    Texts.annotations({ description: "hardware profiles that a job of the caller may name; absent: not known" })
  ),
  queues: given(
    Texts.annotations({ description: "queues of the tenant that a job of the caller may name; absent: not known" })
  ),
  links: Schema.Struct({ openapi: Schema.String, docs: Schema.String }),
  caller: Schema.Struct({
    user: Schema.String,
    groups: Texts,
    tenant: text("tenant of this request"),
    allowed: Schema.Record({ key: Schema.String, value: Texts }).annotations({
      description: "by resource the verbs that the caller may use in this tenant"
    })
  })
}).annotations({ identifier: "Info" })
