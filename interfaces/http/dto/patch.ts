/** Body of a PATCH as it is published; read by `domain/patch/patch-policy.ts`. Reference: api.md, "Definitions". */
import { Schema } from "effect"
import { FreeForm, given, text } from "./shapes.ts"

const PatchOperation = Schema.Struct({
  op: Schema.Literal("add", "remove", "replace"),
  path: text("JSON Pointer (RFC 6901)"),
  value: given(Schema.Unknown)
}).annotations({ identifier: "PatchOperation" })

export const PatchBody = Schema.Union(Schema.Array(PatchOperation), FreeForm).annotations({ identifier: "PatchBody" })
