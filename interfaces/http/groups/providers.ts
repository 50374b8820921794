/** The contract of the provider routes. Reference: api.md, "Definitions". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { ProviderBody } from "../../../config/definition-schemas.ts"
import { providerPatch } from "../../../domain/patch/patch-policy.ts"
import { benchmarkListQuery, providerListQuery } from "../dto/list-queries.ts"
import { listWithErrors, partOf } from "../dto/lists.ts"
import { patchBody, patchMediaTypes, patchReader } from "../dto/patch.ts"
import { decodeProvider, replacement, replacing } from "../dto/provider-body.ts"
import { BenchmarkList, Provider } from "../dto/provider-record.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { definitionOperations } from "./definition-operation.ts"
import { body, Guarded, json, refusals, texts } from "./operation.ts"

const id = HttpApiSchema.param("id", text("identifier of the provider"))

const its = definitionOperations({
  one: "provider",
  record: Provider,
  list: listWithErrors("ProviderList", Schema.Union(Provider, partOf("ProviderPart"))),
  bodyCodes: [],
  readOnly: "read_only_provider"
})
const example = { name: "my-benchmarks", runtime: { local: { command: "my-adapter" } }, benchmarks: [{ id: "one" }] }

const list = HttpApiEndpoint.get("listProviders", "/api/v1/evaluations/providers")
  .setHeaders(its.conditional)
  .setUrlParams(published(providerListQuery))
  .addSuccess(its.list.success)
  .addSuccess(its.list.notModified)
  .addError(its.list.refused)
  .annotateContext(its.list.texts)

const create = HttpApiEndpoint.post("createProvider", "/api/v1/evaluations/providers")
  .setHeaders(its.create.headers)
  .setPayload(body(ProviderBody, { read: decodeProvider, example }))
  .addSuccess(its.create.success)
  .addError(its.create.refused)
  .annotateContext(its.create.texts)

const get = HttpApiEndpoint.get("getProvider")`/api/v1/evaluations/providers/${id}`
  .setHeaders(its.conditional)
  .addSuccess(its.get.success)
  .addSuccess(its.notModified)
  .addError(its.get.refused)
  .annotateContext(its.get.texts)

const replace = HttpApiEndpoint.put("replaceProvider")`/api/v1/evaluations/providers/${id}`
  .setHeaders(its.guardedWrite)
  .setPayload(body(replacement(ProviderBody, "ProviderReplacement"), { read: replacing(decodeProvider), example }))
  .addSuccess(its.changed)
  .addError(its.replace.refused)
  .annotateContext(its.replace.texts)

const patch = HttpApiEndpoint.patch("patchProvider")`/api/v1/evaluations/providers/${id}`
  .setHeaders(its.guardedWrite)
  .setPayload(
    body(patchBody(providerPatch, "ProviderPatch"), {
      read: patchReader(providerPatch),
      example: [{ op: "replace", path: "/description", value: "new text" }],
      mediaTypes: patchMediaTypes
    })
  )
  .addSuccess(its.changed)
  .addError(its.patch.refused)
  .annotateContext(its.patch.texts)

const remove = HttpApiEndpoint.del("removeProvider")`/api/v1/evaluations/providers/${id}`
  .setHeaders(its.guardedWrite)
  .addSuccess(its.remove.success)
  .addError(its.remove.refused)
  .addError(refusals("resource_in_use"))
  .annotateContext(its.remove.texts)

const benchmarks = HttpApiEndpoint.get("listBenchmarks", "/api/v1/evaluations/benchmarks")
  .setHeaders(its.conditional)
  .setUrlParams(published(benchmarkListQuery))
  .addSuccess(json(BenchmarkList, "a page of benchmarks", { headers: ["ETag", "Cache-Control", "Link"] }))
  .addSuccess(its.list.notModified)
  .addError(its.list.refused)
  .annotateContext(texts("List the benchmarks of all providers, in the order of their list"))

export const Providers = HttpApiGroup.make("providers")
  .add(list)
  .add(create)
  .add(get)
  .add(replace)
  .add(patch)
  .add(remove)
  .add(benchmarks)
  .middleware(Guarded)
  .annotateContext(
    OpenApi.annotations({
      title: "Providers",
      description: "Evaluation frameworks: how they run and which benchmarks they offer."
    })
  )
