/** Answers of the health routes. Reference: api.md, "Service routes". */
import { Schema } from "effect"
import { dateTime, given } from "./shapes.ts"

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
