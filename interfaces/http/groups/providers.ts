/** The published contract of the provider routes. Reference: api.md, "Definitions". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { ProviderBody } from "../../../config/definition-schemas.ts"
import { providerListQuery } from "../dto/list-queries.ts"
import { listWithErrors, partOf } from "../dto/lists.ts"
import { PatchBody } from "../dto/patch.ts"
import { Provider } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { definitionTexts } from "./definition-texts.ts"

const id = HttpApiSchema.param("id", text("identifier of the provider"))

const texts = definitionTexts({
  one: "provider",
  record: "Provider",
  bodyCodes: [],
  readOnly: "read_only_provider",
  removalCodes: ["resource_in_use"],
  example: { name: "my-benchmarks", runtime: { local: { command: "my-adapter" } }, benchmarks: [{ id: "one" }] }
})

const list = HttpApiEndpoint.get("listProviders", "/")
  .setUrlParams(published(providerListQuery))
  .addSuccess(listWithErrors("ProviderList", Schema.Union(Provider, partOf("ProviderPart"))))
  .annotateContext(texts.list)

const create = HttpApiEndpoint.post("createProvider", "/").setPayload(ProviderBody).addSuccess(Provider, { status: 201 }).annotateContext(texts.create)

const get = HttpApiEndpoint.get("getProvider")`/${id}`.addSuccess(Provider).annotateContext(texts.get)

const replace = HttpApiEndpoint.put("replaceProvider")`/${id}`.setPayload(ProviderBody).addSuccess(Provider).annotateContext(texts.replace)

const patch = HttpApiEndpoint.patch("patchProvider")`/${id}`.setPayload(PatchBody).addSuccess(Provider).annotateContext(texts.patch)

const remove = HttpApiEndpoint.del("removeProvider")`/${id}`.addSuccess(HttpApiSchema.NoContent).annotateContext(texts.remove)

export const Providers = HttpApiGroup.make("providers", { topLevel: true })
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .prefix("/api/v1/evaluations/providers")
  .annotateContext(OpenApi.annotations({ title: "Providers", description: "Evaluation frameworks: how they run and which benchmarks they offer." }))
