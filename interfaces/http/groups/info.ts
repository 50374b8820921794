/** The contract of the route that says what the service is and what its caller may do; it needs a caller and no right. Reference: api.md, "Service routes". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Info } from "../dto/health.ts"
import { Guarded, headers, json, texts } from "./operation.ts"

const info = HttpApiEndpoint.get("getInfo", "/api/v1/info")
  .setHeaders(headers("X-Tenant"))
  .addSuccess(json(Info, "the service and its caller", { headers: ["Cache-Control"] }))
  .annotateContext(texts("Tell what the service is and what the caller may do"))

export const About = HttpApiGroup.make("about")
  .add(info)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "About", description: "The service as its caller sees it." }))
