import { Schema } from "effect"
import { isObject } from "../values/json.ts"

/** a free-form object: taken and given back as it is, never interpreted, never rebuilt member by member */
export const FreeForm = Schema.declare(isObject).annotations({
  identifier: "FreeForm",
  description: "free-form object",
  jsonSchema: { type: "object", additionalProperties: true }
})
