/** The published contract of the collection routes. Reference: api.md, "Definitions". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { CollectionBody } from "../../../config/definition-schemas.ts"
import { collectionListQuery } from "../dto/list-queries.ts"
import { listOf, partOf } from "../dto/lists.ts"
import { PatchBody } from "../dto/patch.ts"
import { Collection } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { definitionTexts } from "./definition-texts.ts"

const id = HttpApiSchema.param("id", text("identifier of the collection"))

const texts = definitionTexts({
  one: "collection",
  record: "Collection",
  bodyCodes: ["resource_does_not_exist"],
  readOnly: "read_only_collection",
  removalCodes: [],
  example: { name: "release-gate", category: "general", benchmarks: [{ id: "arith_basic", provider_id: "evald", weight: 2 }] }
})

const list = HttpApiEndpoint.get("listCollections", "/")
  .setUrlParams(published(collectionListQuery))
  .addSuccess(listOf("CollectionList", Schema.Union(Collection, partOf("CollectionPart"))))
  .annotateContext(texts.list)

const create = HttpApiEndpoint.post("createCollection", "/").setPayload(CollectionBody).addSuccess(Collection, { status: 201 }).annotateContext(texts.create)

const get = HttpApiEndpoint.get("getCollection")`/${id}`.addSuccess(Collection).annotateContext(texts.get)

const replace = HttpApiEndpoint.put("replaceCollection")`/${id}`.setPayload(CollectionBody).addSuccess(Collection).annotateContext(texts.replace)

const patch = HttpApiEndpoint.patch("patchCollection")`/${id}`.setPayload(PatchBody).addSuccess(Collection).annotateContext(texts.patch)

const remove = HttpApiEndpoint.del("removeCollection")`/${id}`.addSuccess(HttpApiSchema.NoContent).annotateContext(texts.remove)

export const Collections = HttpApiGroup.make("collections", { topLevel: true })
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .prefix("/api/v1/evaluations/collections")
  .annotateContext(OpenApi.annotations({ title: "Collections", description: "Named, reusable sets of benchmarks." }))
