/** The contract of the collection routes. Reference: api.md, "Definitions". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { CollectionBody } from "../../../config/definition-schemas.ts"
import { collectionPatch } from "../../../domain/patch/patch-policy.ts"
import { collectionFacetQuery, collectionListQuery } from "../dto/list-queries.ts"
import { listOf, partOf } from "../dto/lists.ts"
import { patchBody, patchMediaTypes, patchReader } from "../dto/patch.ts"
import { CollectionClone, decodeClone, decodeCollection, replacement, replacing } from "../dto/provider-body.ts"
import { Collection, CollectionFacets } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { definitionOperations } from "./definition-operation.ts"
import { body, Guarded, json, refusals, texts } from "./operation.ts"

const id = HttpApiSchema.param("id", text("identifier of the collection"))

const its = definitionOperations({
  one: "collection",
  record: Collection,
  list: listOf("CollectionList", Schema.Union(Collection, partOf("CollectionPart"))),
  bodyCodes: ["resource_does_not_exist"],
  readOnly: "read_only_collection"
})
const example = {
  name: "release-gate",
  category: "general",
  benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2 }]
}

const list = HttpApiEndpoint.get("listCollections", "/api/v1/evaluations/collections")
  .setHeaders(its.conditional)
  .setUrlParams(published(collectionListQuery))
  .addSuccess(its.list.success)
  .addSuccess(its.list.notModified)
  .addError(its.list.refused)
  .annotateContext(its.list.texts)

const create = HttpApiEndpoint.post("createCollection", "/api/v1/evaluations/collections")
  .setHeaders(its.create.headers)
  .setPayload(body(CollectionBody, { read: decodeCollection, example }))
  .addSuccess(its.create.success)
  .addError(its.create.refused)
  .annotateContext(its.create.texts)

const get = HttpApiEndpoint.get("getCollection")`/api/v1/evaluations/collections/${id}`
  .setHeaders(its.conditional)
  .addSuccess(its.get.success)
  .addSuccess(its.notModified)
  .addError(its.get.refused)
  .annotateContext(its.get.texts)

const replace = HttpApiEndpoint.put("replaceCollection")`/api/v1/evaluations/collections/${id}`
  .setHeaders(its.guardedWrite)
  .setPayload(
    body(replacement(CollectionBody, "CollectionReplacement"), { read: replacing(decodeCollection), example })
  )
  .addSuccess(its.changed)
  .addError(its.replace.refused)
  .annotateContext(its.replace.texts)

const patch = HttpApiEndpoint.patch("patchCollection")`/api/v1/evaluations/collections/${id}`
  .setHeaders(its.guardedWrite)
  .setPayload(
    body(patchBody(collectionPatch, "CollectionPatch"), {
      read: patchReader(collectionPatch),
      example: [{ op: "replace", path: "/description", value: "new text" }],
      mediaTypes: patchMediaTypes
    })
  )
  .addSuccess(its.changed)
  .addError(its.patch.refused)
  .annotateContext(its.patch.texts)

const remove = HttpApiEndpoint.del("removeCollection")`/api/v1/evaluations/collections/${id}`
  .setHeaders(its.guardedWrite)
  .addSuccess(its.remove.success)
  .addError(its.remove.refused)
  .annotateContext(its.remove.texts)

const clone = HttpApiEndpoint.post("cloneCollection")`/api/v1/evaluations/collections/${id}/clones`
  .setHeaders(its.create.headers)
  .setPayload(body(CollectionClone, { read: decodeClone, example: { name: "my-release-gate" } }))
  .addSuccess(its.create.success)
  .addError(its.create.refused)
  .addError(refusals("resource_not_found"))
  .annotateContext(texts("Copy a collection, built-in ones included, into one of the tenant"))

const facets = HttpApiEndpoint.get("getCollectionFacets", "/api/v1/evaluations/collections/facets")
  .setHeaders(its.conditional)
  .setUrlParams(published(collectionFacetQuery))
  .addSuccess(json(CollectionFacets, "counts of values", { headers: ["ETag", "Cache-Control"] }))
  .addSuccess(its.notModified)
  .addError(its.list.refused)
  .annotateContext(texts("Count what the list of collections can be narrowed by"))

export const Collections = HttpApiGroup.make("collections")
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .add(clone)
  .add(facets)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "Collections", description: "Named, reusable sets of benchmarks." }))
