/** Provider and collection records as they go out. Reference: providers-and-collections.md, "Provider file", "Collection file"; the bodies are `config/definition-schemas.ts`. */
import { Schema } from "effect"
import { CollectionBody, ProviderBody } from "../../../config/definition-schemas.ts"
import { dateTime, given, text } from "./shapes.ts"

const Resource = Schema.Struct({
  id: text("identifier of the record"),
  tenant: given(text("tenant namespace; absent on built-in records")),
  created_at: dateTime("when the record was created"),
  updated_at: dateTime("when the record last changed"),
  owner: given(text("identity that created the record; `system` for built-in records"))
}).annotations({ identifier: "Resource" })

export const Provider = Schema.Struct({ resource: Resource, ...ProviderBody.fields }).annotations({
  identifier: "Provider",
  description: "An evaluation framework: how it runs and which benchmarks it offers."
})

export const Collection = Schema.Struct({ resource: Resource, ...CollectionBody.fields }).annotations({
  identifier: "Collection",
  description: "A named, reusable set of benchmarks with weights and pass criteria."
})
