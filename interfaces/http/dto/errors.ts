/** The error body. Reference: errors.md, "Error body". */
import { Schema } from "effect"
import { given } from "./shapes.ts"

const Problem = Schema.Struct({
  path: Schema.String.annotations({
    description: "JSON Pointer into the body, or the query parameter's name after '/'"
  }),
  message: Schema.String,
  message_code: Schema.String
}).annotations({ identifier: "Problem" })

export const ErrorBody = Schema.Struct({
  message: Schema.String.annotations({ description: "what is wrong and how to fix it" }),
  message_code: Schema.String.annotations({ description: "stable code of the failure" }),
  trace: Schema.String.annotations({ description: "identifier of the exchange, equal to X-Request-Id" }),
  errors: given(Schema.Array(Problem).annotations({ description: "every single problem of a validation, at most 20" })),
  detail: Schema.String.annotations({ description: "same text as message" })
}).annotations({ identifier: "Error" })
