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

export const renderDocsPage = Effect.gen(function* () {
  const page = HttpApiSwagger.layer({ path: "/docs" }).pipe(
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
    Effect.provide(Layer.merge(page, layerContext)),
    Effect.scoped
  )
  return { html: Buffer.from(html), etag: tagOf(html), policy }
})
