/** The published contract of the provider routes. Spec: "Providers". */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ProviderBody } from "../../../config/definition-schemas.ts"
import { providerListQuery } from "../dto/list-queries.ts"
import { listWithErrors, partOf } from "../dto/lists.ts"
import { PatchBody } from "../dto/patch.ts"
import { Provider } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { documented } from "./documented.ts"

const id = HttpApiSchema.param("id", text("identifier of the provider"))
const notModified = { 304: "nothing has changed" }

const list = HttpApiEndpoint.get("listProviders", "/")
  .setUrlParams(published(providerListQuery))
  .addSuccess(listWithErrors("ProviderList", Schema.Union(Provider, partOf("ProviderPart"))))
  .annotateContext(
    documented({
      summary: "List providers, built-in ones first, by name",
      answers: { 200: ["a page of providers", "ProviderList"] },
      codes: ["query_parameter_invalid", "query_parameter_value_invalid"],
      requestHeaders: ["If-None-Match"],
      headers: ["ETag", "Link"],
      statuses: notModified
    })
  )

const create = HttpApiEndpoint.post("createProvider", "/")
  .setPayload(ProviderBody)
  .addSuccess(Provider, { status: 201 })
  .annotateContext(
    documented({
      summary: "Create a provider of the tenant",
      answers: { 201: ["the stored record", "Provider"] },
      body: ["application/json"],
      codes: ["idempotency_key_invalid", "idempotency_key_reused"],
      requestHeaders: ["Idempotency-Key"],
      headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"],
      example: { name: "my-benchmarks", runtime: { local: { command: "my-adapter" } }, benchmarks: [{ id: "one" }] }
    })
  )

const get = HttpApiEndpoint.get("getProvider")`/${id}`.addSuccess(Provider).annotateContext(
  documented({
    summary: "Get a provider",
    answers: { 200: ["the record", "Provider"] },
    codes: ["resource_not_found"],
    requestHeaders: ["If-None-Match"],
    headers: ["ETag"],
    statuses: notModified
  })
)

const replace = HttpApiEndpoint.put("replaceProvider")`/${id}`
  .setPayload(ProviderBody)
  .addSuccess(Provider)
  .annotateContext(
    documented({
      summary: "Replace a provider of the tenant",
      answers: { 200: ["the record after the change", "Provider"] },
      description: "Replaces the whole body. The member `resource` of a record that was read before is ignored.",
      body: ["application/json"],
      codes: ["resource_not_found", "read_only_provider", "precondition_failed"],
      requestHeaders: ["If-Match"],
      headers: ["ETag", "Warning"],
      example: { name: "my-benchmarks", runtime: { local: { command: "my-adapter" } }, benchmarks: [{ id: "one" }] }
    })
  )

const patch = HttpApiEndpoint.patch("patchProvider")`/${id}`
  .setPayload(PatchBody)
  .addSuccess(Provider)
  .annotateContext(
    documented({
      summary: "Change parts of a provider of the tenant",
      answers: { 200: ["the record after the change", "Provider"] },
      description: "An array of operations (RFC 6902: add, remove, replace), or an object as merge patch (RFC 7396). All of it is applied, or nothing.",
      body: ["application/json", "application/json-patch+json", "application/merge-patch+json"],
      codes: ["resource_not_found", "read_only_provider", "precondition_failed", "invalid_patch_operation", "unallowed_patch"],
      requestHeaders: ["If-Match"],
      headers: ["ETag"],
      example: [{ op: "replace", path: "/description", value: "new text" }]
    })
  )

const remove = HttpApiEndpoint.del("removeProvider")`/${id}`.addSuccess(HttpApiSchema.NoContent).annotateContext(
  documented({
    summary: "Delete a provider of the tenant",
    answers: { 204: ["deleted"] },
    codes: ["resource_not_found", "read_only_provider", "precondition_failed", "resource_in_use"],
    requestHeaders: ["If-Match"]
  })
)

export const Providers = HttpApiGroup.make("providers", { topLevel: true })
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .prefix("/api/v1/evaluations/providers")
  .annotateContext(OpenApi.annotations({ title: "Providers", description: "Evaluation frameworks: how they run and which benchmarks they offer." }))
