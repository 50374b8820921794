/** The published contract of the collection routes. Spec: "Collections". */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { CollectionBody } from "../../../config/definition-schemas.ts"
import { collectionListQuery } from "../dto/list-queries.ts"
import { listOf, partOf } from "../dto/lists.ts"
import { PatchBody } from "../dto/patch.ts"
import { Collection } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { documented } from "./documented.ts"

const id = HttpApiSchema.param("id", text("identifier of the collection"))
const notModified = { 304: "nothing has changed" }

const list = HttpApiEndpoint.get("listCollections", "/")
  .setUrlParams(published(collectionListQuery))
  .addSuccess(listOf("CollectionList", Schema.Union(Collection, partOf("CollectionPart"))))
  .annotateContext(
    documented({
      summary: "List collections, built-in ones first, by name",
      answers: { 200: ["a page of collections", "CollectionList"] },
      codes: ["query_parameter_invalid", "query_parameter_value_invalid"],
      requestHeaders: ["If-None-Match"],
      headers: ["ETag", "Link"],
      statuses: notModified
    })
  )

const create = HttpApiEndpoint.post("createCollection", "/")
  .setPayload(CollectionBody)
  .addSuccess(Collection, { status: 201 })
  .annotateContext(
    documented({
      summary: "Create a collection of the tenant",
      answers: { 201: ["the stored record", "Collection"] },
      body: ["application/json"],
      codes: ["resource_does_not_exist", "idempotency_key_invalid", "idempotency_key_reused"],
      requestHeaders: ["Idempotency-Key"],
      headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"],
      example: { name: "release-gate", category: "general", benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2 }] }
    })
  )

const get = HttpApiEndpoint.get("getCollection")`/${id}`.addSuccess(Collection).annotateContext(
  documented({
    summary: "Get a collection",
    answers: { 200: ["the record", "Collection"] },
    codes: ["resource_not_found"],
    requestHeaders: ["If-None-Match"],
    headers: ["ETag"],
    statuses: notModified
  })
)

const replace = HttpApiEndpoint.put("replaceCollection")`/${id}`
  .setPayload(CollectionBody)
  .addSuccess(Collection)
  .annotateContext(
    documented({
      summary: "Replace a collection of the tenant",
      answers: { 200: ["the record after the change", "Collection"] },
      description: "Replaces the whole body. The member `resource` of a record that was read before is ignored.",
      body: ["application/json"],
      codes: ["resource_does_not_exist", "resource_not_found", "read_only_collection", "precondition_failed"],
      requestHeaders: ["If-Match"],
      headers: ["ETag", "Warning"],
      example: { name: "release-gate", category: "general", benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2 }] }
    })
  )

const patch = HttpApiEndpoint.patch("patchCollection")`/${id}`
  .setPayload(PatchBody)
  .addSuccess(Collection)
  .annotateContext(
    documented({
      summary: "Change parts of a collection of the tenant",
      answers: { 200: ["the record after the change", "Collection"] },
      description: "An array of operations (RFC 6902: add, remove, replace), or an object as merge patch (RFC 7396). All of it is applied, or nothing.",
      body: ["application/json", "application/json-patch+json", "application/merge-patch+json"],
      codes: ["resource_does_not_exist", "resource_not_found", "read_only_collection", "precondition_failed", "invalid_patch_operation", "unallowed_patch"],
      requestHeaders: ["If-Match"],
      headers: ["ETag"],
      example: [{ op: "replace", path: "/description", value: "new text" }]
    })
  )

const remove = HttpApiEndpoint.del("removeCollection")`/${id}`.addSuccess(HttpApiSchema.NoContent).annotateContext(
  documented({
    summary: "Delete a collection of the tenant",
    answers: { 204: ["deleted"] },
    codes: ["resource_not_found", "read_only_collection", "precondition_failed"],
    requestHeaders: ["If-Match"]
  })
)

export const Collections = HttpApiGroup.make("collections", { topLevel: true })
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .prefix("/api/v1/evaluations/collections")
  .annotateContext(OpenApi.annotations({ title: "Collections", description: "Named, reusable sets of benchmarks." }))
