/** Makes the page of the interactive documentation. It brings a script that is larger than the rest of the server. */

import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { layerContext } from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { tagOf } from "../middleware/conditional.ts"
import { openApi } from "./openapi.ts"

/** the page may run what it holds and call this server, and nothing else */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** where the page starts; what it sends must say that it comes from a page of ours */
const start = "dom_id: '#swagger-ui',"
const marked = (html: string): string => {
  const at = html.lastIndexOf(start)
  if (at === -1) throw new Error("the page of the documentation does not start as it did")
  const sends = `${start} requestInterceptor: (request) => { request.headers["X-Evald-Client"] = "docs"; return request },`
  return html.slice(0, at) + sends + html.slice(at + start.length)
}

export const renderDocsPage = Effect.gen(function* () {
  const served = HttpApiSwagger.layer({ path: "/docs" }).pipe(
    Layer.provideMerge(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.succeed(HttpApi.Api, { api: openApi().api as never, context: Context.empty() }))
  )
  const html = yield* Effect.gen(function* () {
    const { router } = yield* HttpApiBuilder.Router
    const app = yield* HttpRouter.toHttpApp(yield* router)
    const response = yield* Effect.orDie(app)
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  }).pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://docs.invalid/docs"))
    ),
    Effect.provide(Layer.merge(served, layerContext)),
    Effect.scoped
  )
  const page = marked(html)
  return { html: Buffer.from(page), etag: tagOf(page), policy }
})
